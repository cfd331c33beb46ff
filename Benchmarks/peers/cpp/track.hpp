// The track of one tag in the floor of `fathom process --method filter`: position and velocity in space in
// two modes of motion, ranges with errors of Student's t.
#pragma once

#include <cmath>
#include <cstdint>

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
