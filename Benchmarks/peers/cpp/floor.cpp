// The floor: each task written out by hand in plain C++, for this one shape, without checks.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>

#include "worker.hpp"

namespace {

constexpr int kAnchors = 8;

// Gauss-Newton from the mean of the anchors, closed 3 x 3 Cholesky, until a step is below 1e-6 m.
Numbers trilateration(const Workload &work, size_t items) {
  Numbers result(3 * items);
  double start[3] = {0, 0, 0};
  for (int i = 0; i < kAnchors; ++i)
    for (int c = 0; c < 3; ++c) start[c] += work.anchors[3 * i + c] / kAnchors;
  for (size_t epoch = 0; epoch < items; ++epoch) {
    const double *range = &work.ranges[kAnchors * epoch];
    double x = start[0], y = start[1], z = start[2];
    for (int iteration = 0; iteration < 50; ++iteration) {
      double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, gx = 0, gy = 0, gz = 0;
      for (int i = 0; i < kAnchors; ++i) {
        const double dx = x - work.anchors[3 * i], dy = y - work.anchors[3 * i + 1],
                     dz = z - work.anchors[3 * i + 2];
        const double distance = std::sqrt(dx * dx + dy * dy + dz * dz);
        const double inverse = 1 / distance;
        const double ux = dx * inverse, uy = dy * inverse, uz = dz * inverse;
        const double residual = range[i] - distance;
        a += ux * ux;
        b += ux * uy;
        c += ux * uz;
        d += uy * uy;
        e += uy * uz;
        f += uz * uz;
        gx += ux * residual;
        gy += uy * residual;
        gz += uz * residual;
      }
      // | a b c |
      // | b d e | = L Lt, then forward and back.
      // | c e f |
      const double l11 = std::sqrt(a), l21 = b / l11, l31 = c / l11;
      const double l22 = std::sqrt(d - l21 * l21), l32 = (e - l31 * l21) / l22;
      const double l33 = std::sqrt(f - l31 * l31 - l32 * l32);
      const double y1 = gx / l11, y2 = (gy - l21 * y1) / l22, y3 = (gz - l31 * y1 - l32 * y2) / l33;
      const double sz = y3 / l33, sy = (y2 - l32 * sz) / l22, sx = (y1 - l21 * sy - l31 * sz) / l11;
      x += sx;
      y += sy;
      z += sz;
      if (sx * sx + sy * sy + sz * sz < 1e-12) break;
    }
    result[3 * epoch] = x;
    result[3 * epoch + 1] = y;
    result[3 * epoch + 2] = z;
  }
  return result;
}

// As trilateration, eight epochs side by side: one array per field, so that the compiler uses its
// vectors; a group goes on until its slowest lane has come to rest.
Numbers trilaterationSideBySide(const Workload &work, size_t items) {
  constexpr int lanes = 8;
  Numbers result(3 * items);
  double start[3] = {0, 0, 0};
  for (int i = 0; i < kAnchors; ++i)
    for (int c = 0; c < 3; ++c) start[c] += work.anchors[3 * i + c] / kAnchors;
  for (size_t first = 0; first < items; first += lanes) {
    double range[kAnchors][lanes], x[lanes], y[lanes], z[lanes], left[lanes];
    for (int l = 0; l < lanes; ++l) {
      const size_t epoch = first + l < items ? first + l : items - 1;
      for (int i = 0; i < kAnchors; ++i) range[i][l] = work.ranges[kAnchors * epoch + i];
      x[l] = start[0];
      y[l] = start[1];
      z[l] = start[2];
    }
    for (int iteration = 0; iteration < 30; ++iteration) {
      double a[lanes] = {}, b[lanes] = {}, c[lanes] = {}, d[lanes] = {}, e[lanes] = {},
             f[lanes] = {}, gx[lanes] = {}, gy[lanes] = {}, gz[lanes] = {};
      for (int i = 0; i < kAnchors; ++i) {
        const double ax = work.anchors[3 * i], ay = work.anchors[3 * i + 1],
                     az = work.anchors[3 * i + 2];
        for (int l = 0; l < lanes; ++l) {
          const double dx = x[l] - ax, dy = y[l] - ay, dz = z[l] - az;
          const double distance = std::sqrt(dx * dx + dy * dy + dz * dz);
          const double inverse = 1 / distance;
          const double ux = dx * inverse, uy = dy * inverse, uz = dz * inverse;
          const double residual = range[i][l] - distance;
          a[l] += ux * ux;
          b[l] += ux * uy;
          c[l] += ux * uz;
          d[l] += uy * uy;
          e[l] += uy * uz;
          f[l] += uz * uz;
          gx[l] += ux * residual;
          gy[l] += uy * residual;
          gz[l] += uz * residual;
        }
      }
      for (int l = 0; l < lanes; ++l) {
        const double i11 = 1 / a[l], l21 = b[l] * i11, l31 = c[l] * i11;
        const double i22 = 1 / (d[l] - l21 * b[l]), e2 = e[l] - l31 * b[l], l32 = e2 * i22;
        const double d33 = f[l] - l31 * c[l] - l32 * e2;
        const double y2 = gy[l] - l21 * gx[l], y3 = gz[l] - l31 * gx[l] - l32 * y2;
        const double sz = y3 / d33, sy = y2 * i22 - l32 * sz, sx = gx[l] * i11 - l21 * sy - l31 * sz;
        x[l] += sx;
        y[l] += sy;
        z[l] += sz;
        left[l] = sx * sx + sy * sy + sz * sz;
      }
      double most = 0;
      for (int l = 0; l < lanes; ++l) most = left[l] > most ? left[l] : most;
      if (most < 1e-12) break;
    }
    for (int l = 0; l < lanes && first + l < items; ++l) {
      result[3 * (first + l)] = x[l];
      result[3 * (first + l) + 1] = y[l];
      result[3 * (first + l) + 2] = z[l];
    }
  }
  return result;
}

// Differences of squares against anchor 0, times the pseudo-inverse, which is computed once.
Numbers linear(const Workload &work, size_t items) {
  constexpr int rows = kAnchors - 1;
  double matrix[rows][3], offset[rows];
  const double *first = work.anchors.data();
  for (int i = 0; i < rows; ++i) {
    const double *anchor = first + 3 * (i + 1);
    offset[i] = 0;
    for (int c = 0; c < 3; ++c) {
      matrix[i][c] = 2 * (anchor[c] - first[c]);
      offset[i] += anchor[c] * anchor[c] - first[c] * first[c];
    }
  }
  double n[3][3] = {};
  for (auto &row : matrix)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) n[r][c] += row[r] * row[c];
  double inverse[3][3];
  double determinant = 0;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      const int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
      inverse[r][c] = n[r1][c1] * n[r2][c2] - n[r1][c2] * n[r2][c1];
    }
  }
  for (int c = 0; c < 3; ++c) determinant += n[0][c] * inverse[c][0];
  double pseudo[3][rows];
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < rows; ++i) {
      pseudo[r][i] = 0;
      for (int c = 0; c < 3; ++c) pseudo[r][i] += inverse[r][c] / determinant * matrix[i][c];
    }

  Numbers result(3 * items);
  for (size_t epoch = 0; epoch < items; ++epoch) {
    const double *range = &work.ranges[kAnchors * epoch];
    const double square = range[0] * range[0];
    double x = 0, y = 0, z = 0;
    for (int i = 0; i < rows; ++i) {
      const double side = offset[i] - range[i + 1] * range[i + 1] + square;
      x += pseudo[0][i] * side;
      y += pseudo[1][i] * side;
      z += pseudo[2][i] * side;
    }
    result[3 * epoch] = x;
    result[3 * epoch + 1] = y;
    result[3 * epoch + 2] = z;
  }
  return result;
}

// Position and velocity, scalar measurement of the position; update, then predict.
Numbers kf2(const Workload &work, size_t items) {
  constexpr double dt = 0.1, power = 0.25, r = 0.01;
  constexpr double q11 = power * dt * dt * dt / 3, q12 = power * dt * dt / 2, q22 = power * dt;
  Numbers result(2 * items);
  double m1 = 0, m2 = 0, p11 = 100, p12 = 0, p22 = 10;
  for (size_t k = 0; k < items; ++k) {
    const double inverse = 1 / (p11 + r), k1 = p11 * inverse, k2 = p12 * inverse;
    const double residual = work.series[k] - m1;
    m1 += k1 * residual;
    m2 += k2 * residual;
    p22 -= k2 * p12;
    p12 -= k1 * p12;
    p11 -= k1 * p11;
    result[2 * k] = m1;
    result[2 * k + 1] = m2;
    m1 += dt * m2;
    p11 += dt * (2 * p12 + dt * p22) + q11;
    p12 += dt * p22 + q12;
    p22 += q22;
  }
  return result;
}

// Position and velocity in space, one range per update, a prediction before every eight of them.
Numbers ekf6(const Workload &work, size_t items) {
  constexpr double dt = 0.1, power = 0.25, r = 0.01;
  constexpr double q11 = power * dt * dt * dt / 3, q12 = power * dt * dt / 2, q22 = power * dt;
  const size_t epochs = items / kAnchors;
  Numbers result(6 * epochs);
  double m[6] = {10, 7.5, 1.2, 0, 0, 0}, p[6][6] = {};
  for (int i = 0; i < 3; ++i) {
    p[i][i] = 25;
    p[i + 3][i + 3] = 4;
  }
  for (size_t epoch = 0; epoch < epochs; ++epoch) {
    for (int i = 0; i < 3; ++i) m[i] += dt * m[i + 3];
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        p[i][j] += dt * (p[i][j + 3] + p[j][i + 3] + dt * p[i + 3][j + 3]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) p[i][j + 3] += dt * (i <= j ? p[i + 3][j + 3] : p[j + 3][i + 3]);
    for (int i = 0; i < 3; ++i) {
      p[i][i] += q11;
      p[i][i + 3] += q12;
      p[i + 3][i + 3] += q22;
    }
    for (int a = 0; a < kAnchors; ++a) {
      const double dx = m[0] - work.anchors[3 * a], dy = m[1] - work.anchors[3 * a + 1],
                   dz = m[2] - work.anchors[3 * a + 2];
      const double distance = std::sqrt(dx * dx + dy * dy + dz * dz), inverse = 1 / distance;
      const double ux = dx * inverse, uy = dy * inverse, uz = dz * inverse;
      // Only the upper triangle of P is kept.
      const double c[6] = {
          p[0][0] * ux + p[0][1] * uy + p[0][2] * uz, p[0][1] * ux + p[1][1] * uy + p[1][2] * uz,
          p[0][2] * ux + p[1][2] * uy + p[2][2] * uz, p[0][3] * ux + p[1][3] * uy + p[2][3] * uz,
          p[0][4] * ux + p[1][4] * uy + p[2][4] * uz, p[0][5] * ux + p[1][5] * uy + p[2][5] * uz};
      const double s = 1 / (c[0] * ux + c[1] * uy + c[2] * uz + r);
      const double residual = s * (work.ranges[kAnchors * epoch + a] - distance);
      for (int i = 0; i < 6; ++i) {
        m[i] += c[i] * residual;
        const double gain = c[i] * s;
        for (int j = i; j < 6; ++j) p[i][j] -= gain * c[j];
      }
    }
    std::memcpy(&result[6 * epoch], m, sizeof m);
  }
  return result;
}

// As kf2, 1024 series side by side: one array per field, so that the compiler uses its vectors.
Numbers bank(const Workload &work, size_t items) {
  constexpr size_t count = 1024;
  constexpr double dt = 0.1, power = 0.25, r = 0.01;
  constexpr double q11 = power * dt * dt * dt / 3, q12 = power * dt * dt / 2, q22 = power * dt;
  static double m1[count], m2[count], p11[count], p12[count], p22[count];
  for (size_t i = 0; i < count; ++i) {
    m1[i] = m2[i] = p12[i] = 0;
    p11[i] = 100;
    p22[i] = 10;
  }
  Numbers result(2 * count);
  const size_t steps = items / count;
  for (size_t step = 0; step < steps; ++step) {
    const double *z = &work.bank[step * count];
    for (size_t i = 0; i < count; ++i) {
      const double inverse = 1 / (p11[i] + r), k1 = p11[i] * inverse, k2 = p12[i] * inverse;
      const double residual = z[i] - m1[i];
      const double a = m1[i] + k1 * residual, b = m2[i] + k2 * residual;
      const double c11 = p11[i] - k1 * p11[i], c12 = p12[i] - k1 * p12[i], c22 = p22[i] - k2 * p12[i];
      if (step + 1 == steps) {
        result[2 * i] = a;
        result[2 * i + 1] = b;
      }
      m1[i] = a + dt * b;
      m2[i] = b;
      p11[i] = c11 + dt * (2 * c12 + dt * c22) + q11;
      p12[i] = c12 + dt * c22 + q12;
      p22[i] = c22 + q22;
    }
  }
  return result;
}

// A name's number: names of up to eight bytes, with the last one remembered.
struct Names {
  std::unordered_map<uint64_t, int32_t> numbers;
  uint64_t last = 0;
  int32_t lastNumber = -1;
  int32_t number(const char *text, size_t length) {
    uint64_t key = 0;
    std::memcpy(&key, text, length < 8 ? length : 8);
    if (key == last && lastNumber >= 0) return lastNumber;
    const auto next = static_cast<int32_t>(numbers.size());
    last = key;
    return lastNumber = numbers.try_emplace(key, next).first->second;
  }
};

// A plain decimal number and the comma or line feed after it: digits into an integer, one division.
double decimal(const char *&at) {
  static constexpr double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  uint64_t digits = 0;
  for (; *at >= '0'; ++at) digits = 10 * digits + static_cast<uint64_t>(*at - '0');
  int decimals = 0;
  if (*at == '.')
    for (++at; *at >= '0'; ++at, ++decimals) digits = 10 * digits + static_cast<uint64_t>(*at - '0');
  ++at;
  return static_cast<double>(digits) / powers[decimals];
}

// time_s,tag,anchor,distance_m into four columns.
Outcome csv(const Workload &work, size_t items) {
  const int file = open((work.folder + "/rows-" + std::to_string(items) + ".csv").c_str(), O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return Numbers{};
  const auto size = static_cast<size_t>(status.st_size);
  void *map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  close(file);
  if (map == MAP_FAILED) return Numbers{};
  const char *at = static_cast<const char *>(map), *end = at + size;
  while (*at++ != '\n') {}
  std::vector<double> times, distances;
  std::vector<int32_t> tags, anchors;
  Names tagNames, anchorNames;
  while (at < end) {
    times.push_back(decimal(at));
    const char *name = at;
    while (*at != ',') ++at;
    tags.push_back(tagNames.number(name, static_cast<size_t>(at - name)));
    name = ++at;
    while (*at != ',') ++at;
    anchors.push_back(anchorNames.number(name, static_cast<size_t>(at - name)));
    ++at;
    distances.push_back(decimal(at));
  }
  munmap(map, size);
  const double names[] = {static_cast<double>(tagNames.numbers.size()),
                          static_cast<double>(anchorNames.numbers.size())};
  return Outcome([times = std::move(times), distances = std::move(distances),
                  tags = std::move(tags), anchors = std::move(anchors), names] {
    double timeSum = 0, distanceSum = 0;
    for (double time : times) timeSum += time;
    for (double distance : distances) distanceSum += distance;
    return Numbers{static_cast<double>(times.size()), timeSum, distanceSum, names[0], names[1]};
  });
}

}  // namespace

int main(int argc, char **argv) {
  return serve(argc, argv,
               {{"trilateration", trilateration},
                {"trilateration-side-by-side", trilaterationSideBySide},
                {"linear", linear}, {"kf2", kf2}, {"ekf6", ekf6}, {"bank", bank}, {"csv", csv}});
}
