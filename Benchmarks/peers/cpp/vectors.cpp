// The floor of the batches: Gauss-Newton over eight epochs side by side, 8 x double, written with
// the vector extensions of GCC, for this one shape, without checks.
//
// On the baseline of x86-64 the compiler makes four SSE2 operations of each.
#include <cmath>

#include "worker.hpp"

// Vectors wider than a register are passed in other ways with other flags; here all is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace {

constexpr int kAnchors = 8, kLanes = 8;

using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// Without errno the compiler makes roots of vectors of it.
inline Lanes squareRoot(Lanes value) {
  for (int l = 0; l < kLanes; ++l) value[l] = std::sqrt(value[l]);
  return value;
}

// Until the slowest lane of a group has come to rest; `Weight` gives that of a squared residual.
template <typename Weight>
Numbers gaussNewton(const Workload &work, size_t items, Weight weigh) {
  Numbers result(3 * items);
  double start[3] = {0, 0, 0};
  for (int i = 0; i < kAnchors; ++i)
    for (int c = 0; c < 3; ++c) start[c] += work.anchors[3 * i + c] / kAnchors;
  for (size_t first = 0; first < items; first += kLanes) {
    Lanes range[kAnchors];
    for (int l = 0; l < kLanes; ++l) {
      const size_t epoch = first + l < items ? first + l : items - 1;
      for (int i = 0; i < kAnchors; ++i) range[i][l] = work.ranges[kAnchors * epoch + i];
    }
    Lanes x = Lanes{} + start[0], y = Lanes{} + start[1], z = Lanes{} + start[2];
    for (int iteration = 0; iteration < 100; ++iteration) {
      Lanes a{}, b{}, c{}, d{}, e{}, f{}, gx{}, gy{}, gz{};
      for (int i = 0; i < kAnchors; ++i) {
        const Lanes dx = x - work.anchors[3 * i], dy = y - work.anchors[3 * i + 1],
                    dz = z - work.anchors[3 * i + 2];
        const Lanes square = dx * dx + dy * dy + dz * dz;
        const Lanes distance = squareRoot(square);
        const Lanes inverse = 1 / distance;
        const Lanes residual = range[i] - distance;
        const Lanes weight = weigh(residual * residual);
        const Lanes ux = dx * inverse, uy = dy * inverse, uz = dz * inverse;
        const Lanes wx = weight * ux, wy = weight * uy, wz = weight * uz;
        a += wx * ux;
        b += wx * uy;
        c += wx * uz;
        d += wy * uy;
        e += wy * uz;
        f += wz * uz;
        gx += wx * residual;
        gy += wy * residual;
        gz += wz * residual;
      }
      const Lanes i11 = 1 / a, l21 = b * i11, l31 = c * i11;
      const Lanes i22 = 1 / (d - l21 * b), e2 = e - l31 * b, l32 = e2 * i22;
      const Lanes d33 = f - l31 * c - l32 * e2;
      const Lanes y2 = gy - l21 * gx, y3 = gz - l31 * gx - l32 * y2;
      const Lanes sz = y3 / d33, sy = y2 * i22 - l32 * sz, sx = gx * i11 - l21 * sy - l31 * sz;
      x += sx;
      y += sy;
      z += sz;
      const Lanes left = sx * sx + sy * sy + sz * sz;
      double most = 0;
      for (int l = 0; l < kLanes; ++l) most = left[l] > most ? left[l] : most;
      if (most < 1e-12) break;
    }
    for (int l = 0; l < kLanes && first + l < items; ++l) {
      result[3 * (first + l)] = x[l];
      result[3 * (first + l) + 1] = y[l];
      result[3 * (first + l) + 2] = z[l];
    }
  }
  return result;
}

Numbers squared(const Workload &work, size_t items) {
  return gaussNewton(work, items, [](Lanes) { return Lanes{} + 1; });
}

// Cauchy's loss, 2.385 standard deviations of 0.10 m, re-weighted at every step.
Numbers cauchy(const Workload &work, size_t items) {
  constexpr double factor = 1 / (0.2385 * 0.2385);
  return gaussNewton(work, items, [](Lanes square) { return 1 / (1 + factor * square); });
}

}  // namespace

int main(int argc, char **argv) {
  return serve(argc, argv, {{"squared", squared}, {"cauchy", cauchy}});
}
