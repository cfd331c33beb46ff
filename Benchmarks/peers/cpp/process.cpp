// The floor of `fathom process --method filter`: one recording from its text to both result files, by hand
// in plain C++ for this one shape, one thread.
//
// The same work: every byte of the ranges file is looked at and every name numbered; every range updates
// a filter of position and velocity in space in two modes of motion (switching, mixed every 0.05 s),
// whose errors are Student's t with four degrees of freedom; one row of positions with all six
// covariances and one row of distances for every range, numbers rounded to as many decimals.
//
// Left out: the check of rows and what becomes of bad ones (it believes its input), names of more than
// eight bytes, quotes, units, files that are not in order; the estimate of noise and acceleration from the
// recording and the first look through it; the search for a start and for the mirrored position; gates,
// silences, events, zones; the quality of a link from its last ranges (here always good) and its robust
// smoothing (here an exponential mean); summaries, check sums, and files that appear whole or not at all.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

using Pair = double __attribute__((vector_size(16)));  // one number of each of the two modes

inline Pair both(double value) { return Pair{value, value}; }

constexpr double kSigma = 0.10, kFreedom = 4;
constexpr double kMixingInterval = 0.05, kSwitchingRate = 0.4, kLeastProbability = 1e-6;
constexpr double kDensity = 0.5, kLiveliness = 3.5;

// The track of one tag: mean and lower triangle of the covariance, both modes side by side.
struct Track {
  Pair mean[6], p[6][6];
  double gentle = 0.5, unmixed = 0;
  int64_t time = 0;
  bool isStarted = false;

  void start(int64_t now, const double *centre) {
    for (auto &row : p)
      for (auto &value : row) value = both(0);
    for (int i = 0; i < 3; ++i) {
      mean[i] = both(centre[i]);
      mean[i + 3] = both(0);
      p[i][i] = both(i < 2 ? 100 : 4);
      p[i + 3][i + 3] = both(4);
    }
    time = now;
    isStarted = true;
  }

  void mix() {
    const double change = 0.5 * (1 - std::exp(-kSwitchingRate * unmixed));
    unmixed = 0;
    const double last = gentle;
    gentle = (1 - change) * last + change * (1 - last);
    const Pair share = {(1 - change) * last / gentle, change * last / (1 - gentle)};
    const Pair spread = share * (1 - share);
    double difference[6];
    for (int i = 0; i < 6; ++i) {
      difference[i] = mean[i][0] - mean[i][1];
      mean[i] = mean[i][1] + share * difference[i];
    }
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j)
        p[i][j] = p[i][j][1] + share * (p[i][j][0] - p[i][j][1]) +
                  spread * (difference[i] * difference[j]);
  }

  void predict(int64_t now) {
    const double seconds = 1e-9 * static_cast<double>(now - time);
    time = now;
    if (seconds <= 0) return;
    unmixed += seconds;
    if (unmixed >= kMixingInterval) mix();
    const Pair power = {kDensity * kDensity / (kLiveliness * kLiveliness),
                        kDensity * kDensity * kLiveliness * kLiveliness};
    for (int i = 0; i < 3; ++i) mean[i] += seconds * mean[i + 3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j)
        p[i][j] += seconds * (p[i + 3][j] + p[j + 3][i] + seconds * p[i + 3][j + 3]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        p[i + 3][j] += seconds * (i >= j ? p[i + 3][j + 3] : p[j + 3][i + 3]);
    for (int i = 0; i < 3; ++i) {
      p[i][i] += seconds * seconds * seconds / 3 * power;
      p[i + 3][i] += seconds * seconds / 2 * power;
      p[i + 3][i + 3] += seconds * power;
    }
  }

  void update(double distance, const double *anchor) {
    const Pair x = mean[0] - anchor[0], y = mean[1] - anchor[1], z = mean[2] - anchor[2];
    const Pair square = x * x + y * y + z * z;
    const Pair metres = {std::sqrt(square[0]), std::sqrt(square[1])};
    const Pair ux = x / metres, uy = y / metres, uz = z / metres;
    Pair gain[6];
    for (int i = 0; i < 6; ++i)
      gain[i] = (i >= 0 ? p[i][0] : p[0][i]) * ux + (i >= 1 ? p[i][1] : p[1][i]) * uy +
                (i >= 2 ? p[i][2] : p[2][i]) * uz;
    const Pair spread = ux * gain[0] + uy * gain[1] + uz * gain[2];
    const Pair variance = spread + kSigma * kSigma;
    const Pair residual = distance - metres, squares = residual * residual / variance;
    Pair weight = (kFreedom + 1) / (kFreedom + squares);
    weight = weight > 1 ? both(1) : weight;
    const Pair inverse = 1 / (spread + kSigma * kSigma / weight);
    for (int i = 0; i < 6; ++i) {
      const Pair step = gain[i] * inverse;
      mean[i] += step * residual;
      for (int j = 0; j <= i; ++j) p[i][j] -= step * gain[j];
    }
    // The likelihood of Student's t in both modes.
    const Pair base = 1 + squares / kFreedom, fourth = base * base * base * base;
    const Pair product = variance * fourth * base;
    const double ratio = std::sqrt(product[0] / product[1]);
    gentle = gentle / (gentle + (1 - gentle) * ratio);
    gentle = std::fmin(1 - kLeastProbability, std::fmax(kLeastProbability, gentle));
  }

  // Position and its covariance over both modes.
  void estimate(double *position, double *covariance) const {
    double difference[3];
    for (int i = 0; i < 3; ++i) {
      difference[i] = mean[i][0] - mean[i][1];
      position[i] = mean[i][1] + gentle * difference[i];
    }
    const double between = gentle * (1 - gentle);
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        *covariance++ = p[j][i][1] + gentle * (p[j][i][0] - p[j][i][1]) +
                        between * difference[i] * difference[j];
  }
};

// Names of up to eight bytes, numbered as they come.
struct Names {
  std::vector<uint64_t> keys;
  std::vector<std::string> names;
  size_t last = 0;
  size_t number(const char *text, size_t length) {
    uint64_t key = 0;
    std::memcpy(&key, text, length < 8 ? length : 8);
    if (last < keys.size() && keys[last] == key) return last;
    for (last = 0; last < keys.size(); ++last)
      if (keys[last] == key) return last;
    keys.push_back(key);
    names.emplace_back(text, length);
    return last;
  }
};

// Text on its way to a file, a megabyte at a time.
class Output {
 public:
  Output(const std::string &path, const char *header)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644)), buffer_(1 << 20) {
    text(header, std::strlen(header));
  }
  ~Output() {
    flush();
    close(file_);
  }
  void row() {
    if (end_ + 512 > buffer_.size()) flush();
  }
  void text(const char *bytes, size_t count) {
    std::memcpy(&buffer_[end_], bytes, count);
    end_ += count;
  }
  void text(const std::string &bytes) { text(bytes.data(), bytes.size()); }
  void byte(char value) { buffer_[end_++] = value; }
  // `value` with so many decimals, which are `scale` apart, to the nearest; large ones by the library.
  void decimal(double value, int decimals, double scale) {
    if (!(std::fabs(value) < 1e9)) {
      char *begin = &buffer_[end_];
      end_ += static_cast<size_t>(
          std::to_chars(begin, begin + 400, value, std::chars_format::fixed, decimals).ptr - begin);
      return;
    }
    const auto units = static_cast<int64_t>(std::llrint(std::fabs(value) * scale));
    if (value < 0 && units != 0) byte('-');
    const auto factor = static_cast<int64_t>(scale);
    whole(static_cast<uint64_t>(units / factor));
    byte('.');
    fraction(static_cast<uint64_t>(units % factor), decimals);
  }
  void whole(uint64_t value) {
    char *begin = &buffer_[end_];
    end_ += static_cast<size_t>(std::to_chars(begin, begin + 20, value).ptr - begin);
  }
  void fraction(uint64_t value, int digits) {
    for (int i = digits - 1; i >= 0; --i, value /= 10)
      buffer_[end_ + static_cast<size_t>(i)] = static_cast<char>('0' + value % 10);
    end_ += static_cast<size_t>(digits);
  }
  void flush() {
    for (size_t done = 0; done < end_;) {
      const ssize_t count = write(file_, &buffer_[done], end_ - done);
      if (count <= 0) std::exit(74);
      done += static_cast<size_t>(count);
    }
    end_ = 0;
  }

 private:
  int file_;
  std::vector<char> buffer_;
  size_t end_ = 0;
};

// A plain decimal number times 10 to so many decimals, and the byte after it.
uint64_t scaled(const char *&at, int decimals) {
  uint64_t digits = 0;
  for (; *at >= '0'; ++at) digits = 10 * digits + static_cast<uint64_t>(*at - '0');
  if (*at == '.')
    for (++at; *at >= '0'; ++at, --decimals) digits = 10 * digits + static_cast<uint64_t>(*at - '0');
  ++at;
  for (; decimals > 0; --decimals) digits *= 10;
  return digits;
}

struct Text {
  const char *begin = nullptr, *end = nullptr;
  explicit Text(const std::string &path) {
    const int file = open(path.c_str(), O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) return;
    const auto size = static_cast<size_t>(status.st_size);
    void *map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    close(file);
    if (map == MAP_FAILED) return;
    begin = static_cast<const char *>(map);
    end = begin + size;
  }
};

const char *behindLine(const char *at) {
  while (*at++ != '\n') {}
  return at;
}

}  // namespace

// usage: process FOLDER RESULTS
int main(int argc, char **argv) {
  if (argc != 3) return 64;
  const std::string folder = argv[1], results = argv[2];
  const Text anchorsText(folder + "/anchors.csv"), text(folder + "/ranges.csv");
  if (!anchorsText.begin || !text.begin) return 66;

  Names anchorNames, tagNames;
  std::vector<std::array<double, 3>> anchors;
  double centre[3] = {0, 0, 0};
  for (const char *at = behindLine(anchorsText.begin); at < anchorsText.end;) {
    const char *name = at;
    while (*at != ',') ++at;
    anchorNames.number(name, static_cast<size_t>(at++ - name));
    std::array<double, 3> anchor;
    for (double &value : anchor) {
      at = std::from_chars(at, anchorsText.end, value).ptr;
      ++at;
    }
    anchors.push_back(anchor);
  }
  for (auto &anchor : anchors)
    for (int i = 0; i < 3; ++i) centre[i] += anchor[i] / static_cast<double>(anchors.size());

  Output positions(results + "/positions.csv",
                   "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,"
                   "status\n");
  Output distances(results + "/distances.csv",
                   "time_s,tag,anchor,distance_m,smoothed_m,sigma_m,quality,zone,azimuth_rad,"
                   "elevation_rad,decision\n");
  std::vector<Track> tracks;
  std::vector<double> smoothed;
  for (const char *at = behindLine(text.begin); at < text.end;) {
    const auto time = static_cast<int64_t>(scaled(at, 9));
    const char *name = at;
    while (*at != ',') ++at;
    const size_t tag = tagNames.number(name, static_cast<size_t>(at++ - name));
    name = at;
    while (*at != ',') ++at;
    const size_t anchor = anchorNames.number(name, static_cast<size_t>(at++ - name));
    const double distance = static_cast<double>(scaled(at, 9)) / 1e9;
    if (tag == tracks.size()) {
      tracks.emplace_back();
      smoothed.resize(smoothed.size() + anchors.size(), -1);
    }
    Track &track = tracks[tag];
    if (!track.isStarted) track.start(time, centre);
    track.predict(time);
    track.update(distance, anchors[anchor].data());
    double &mean = smoothed[tag * anchors.size() + anchor];
    mean = mean < 0 ? distance : mean + 0.3 * (distance - mean);

    double position[3], covariance[6];
    track.estimate(position, covariance);
    const auto whole = static_cast<uint64_t>(time / 1'000'000'000);
    const auto millis = static_cast<uint64_t>(time / 1'000'000 % 1000);
    positions.row();
    positions.whole(whole);
    positions.byte('.');
    positions.fraction(millis, 3);
    positions.byte(',');
    positions.text(tagNames.names[tag]);
    for (double value : position) {
      positions.byte(',');
      positions.decimal(value, 4, 1e4);
    }
    for (double value : covariance) {
      positions.byte(',');
      positions.decimal(value, 8, 1e8);
    }
    positions.text(",1,0,tracking\n", 14);
    distances.row();
    distances.whole(whole);
    distances.byte('.');
    distances.fraction(millis, 3);
    distances.byte(',');
    distances.text(tagNames.names[tag]);
    distances.byte(',');
    distances.text(anchorNames.names[anchor]);
    distances.byte(',');
    distances.decimal(distance, 4, 1e4);
    distances.byte(',');
    distances.decimal(mean, 4, 1e4);
    distances.text(",0.0461,good,outside,,,used\n", 28);
  }
  return 0;
}
