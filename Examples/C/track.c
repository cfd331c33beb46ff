/* Tracks a tag range by range, and processes a recording.

   cc track.c -I include -L lib -lFathomC -o track && ./track RECORDING */

#include <fathom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, int32_t status) {
  fprintf(stderr, "%s: %s\n", what, fathom_last_error());
  return status;
}

/* The example of the README: four anchors, ten ranges a second, anchors in turn. */
static int track(void) {
  const char *names[] = {"A", "B", "C", "D"};
  const double x[] = {0, 8, 8, 0}, y[] = {0, 0, 6, 6}, z[] = {2.4, 2.1, 2.4, 2.1};
  const fathom_anchors anchors = {.count = 4, .name = names, .x_m = x, .y_m = y, .z_m = z};
  const double distances[] = {3.16, 6.38, 7.15, 4.63, 3.51, 6.14, 6.90, 4.60, 3.79, 7.05, 6.44, 4.70};

  fathom_tracker *tracker = NULL;
  int32_t status = fathom_tracker_create(&anchors, "{\"height_m\": 1.0}", &tracker);
  if (status != FATHOM_OK) return fail("tracker", status);
  for (int index = 0; index < 12; index++) {
    const int64_t time = 100000000LL * index;
    int32_t outcome = 0;
    fathom_tracker_update(tracker, time, index % 4, distances[index], NAN, &outcome);
    const char *word = fathom_word(FATHOM_OUTCOME, outcome);
    if (strcmp(word, "discounted") == 0) printf("range %d discounted\n", index + 1);
    fathom_estimate estimate;
    if (index % 4 == 3 && fathom_tracker_estimate(tracker, time, &estimate) == FATHOM_OK)
      printf(
          "x %.2f ± %.2f m, y %.2f ± %.2f m\n", estimate.position_m[0],
          sqrt(estimate.covariance_m2[0]), estimate.position_m[1],
          sqrt(estimate.covariance_m2[3]));
  }
  fathom_tracker_free(tracker);
  return 0;
}

static int process(const char *path) {
  fathom_recording *recording = NULL;
  int32_t status = fathom_recording_read(path, NULL, NULL, &recording);
  if (status != FATHOM_OK) return fail("recording", status);
  fathom_result *result = NULL;
  status = fathom_process(recording, "{\"method\": \"smooth\"}", NULL, NULL, &result);
  fathom_recording_free(recording);
  if (status != FATHOM_OK) return fail("process", status);
  fathom_positions positions;
  fathom_result_positions(result, &positions);
  const int64_t last = positions.count - 1;
  printf(
      "%lld positions; the last of %s: %.2f, %.2f, %.2f m, %s\n", (long long)positions.count,
      fathom_result_name(result, FATHOM_LOCATED, positions.tag[last]), positions.x_m[last],
      positions.y_m[last], positions.z_m[last],
      fathom_word(FATHOM_STATUS, positions.status[last]));
  fathom_result_free(result);
  return 0;
}

int main(int count, char **arguments) {
  if (fathom_abi_version() != FATHOM_ABI_VERSION) return 1;
  const int status = track();
  return status != 0 || count < 2 ? status : process(arguments[1]);
}
