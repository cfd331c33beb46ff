// Tracks a tag range by range, and processes a recording; the same as track.c.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fathom.hpp>

int main(int count, char **arguments) try {
  fathom::anchors anchors;
  anchors.add("A", 0, 0, 2.4);
  anchors.add("B", 8, 0, 2.1);
  anchors.add("C", 8, 6, 2.4);
  anchors.add("D", 0, 6, 2.1);
  fathom::tracker tracker(anchors, R"({"height_m": 1.0})");
  const double distances[] = {3.16, 6.38, 7.15, 4.63, 3.51, 6.14, 6.90, 4.60, 3.79, 7.05, 6.44, 4.70};
  for (int index = 0; index < 12; index++) {
    const int64_t time = 100000000LL * index;
    if (std::strcmp(tracker.update(time, index % 4, distances[index]), "discounted") == 0)
      std::printf("range %d discounted\n", index + 1);
    if (index % 4 != 3) continue;
    if (const auto estimate = tracker.estimate(time))
      std::printf(
          "x %.2f ± %.2f m, y %.2f ± %.2f m\n", estimate->position_m[0],
          std::sqrt(estimate->covariance_m2[0]), estimate->position_m[1],
          std::sqrt(estimate->covariance_m2[3]));
  }
  if (count < 2) return 0;
  const auto result = fathom::recording::read(arguments[1]).process(R"({"method": "smooth"})");
  const auto positions = result.positions();
  const auto last = positions.count - 1;
  std::printf(
      "%lld positions; the last of %s: %.2f, %.2f, %.2f m, %s\n",
      static_cast<long long>(positions.count),
      fathom_result_name(result.get(), FATHOM_LOCATED, positions.tag[last]), positions.x_m[last],
      positions.y_m[last], positions.z_m[last],
      fathom_word(FATHOM_STATUS, positions.status[last]));
  return 0;
} catch (const fathom::error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status();
}
