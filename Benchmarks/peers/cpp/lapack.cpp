// The linear task by direct calls of LAPACK from C, one per epoch: what a call of Fathom's
// `leastSquares` may cost on top of its routine.
#include <lapacke.h>

#include <cstring>

#include "worker.hpp"

namespace {

constexpr int kRows = 7, kColumns = 3, kAnchors = 8;

// Differences of squares against anchor 0, by columns; |a_i|^2 - |a_0|^2.
struct Differences {
  double matrix[kRows * kColumns], offset[kRows];

  explicit Differences(const Workload &work) {
    for (int i = 0; i < kRows; ++i) {
      offset[i] = 0;
      for (int c = 0; c < kColumns; ++c) {
        const double a = work.anchors[3 * (i + 1) + c], first = work.anchors[c];
        matrix[i + kRows * c] = 2 * (a - first);
        offset[i] += a * a - first * first;
      }
    }
  }
};

// `Solve` overwrites the matrix and the right-hand side, whose head becomes the solution.
template <typename Solve>
Numbers linear(const Workload &work, size_t items, Solve solve) {
  const Differences differences(work);
  Numbers result(3 * items);
  for (size_t epoch = 0; epoch < items; ++epoch) {
    const double *range = &work.ranges[kAnchors * epoch];
    double matrix[kRows * kColumns], side[kRows];
    std::memcpy(matrix, differences.matrix, sizeof matrix);
    for (int i = 0; i < kRows; ++i)
      side[i] = differences.offset[i] - range[i + 1] * range[i + 1] + range[0] * range[0];
    solve(matrix, side);
    std::memcpy(&result[3 * epoch], side, 3 * sizeof(double));
  }
  return result;
}

Numbers dgels(const Workload &work, size_t items) {
  return linear(work, items, [](double *matrix, double *side) {
    LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', kRows, kColumns, 1, matrix, kRows, side, kRows);
  });
}

Numbers dgelsWork(const Workload &work, size_t items) {
  double size = 0;
  LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', kRows, kColumns, 1, nullptr, kRows, nullptr, kRows,
                     &size, -1);
  Numbers space(static_cast<size_t>(size));
  return linear(work, items, [&space](double *matrix, double *side) {
    LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', kRows, kColumns, 1, matrix, kRows, side, kRows,
                       space.data(), static_cast<int>(space.size()));
  });
}

Numbers dgelsy(const Workload &work, size_t items) {
  return linear(work, items, [](double *matrix, double *side) {
    lapack_int pivots[kColumns] = {}, rank = 0;
    LAPACKE_dgelsy(LAPACK_COL_MAJOR, kRows, kColumns, 1, matrix, kRows, side, kRows, pivots, 1e-12,
                   &rank);
  });
}

}  // namespace

int main(int argc, char **argv) {
  return serve(argc, argv, {{"dgels", dgels}, {"dgels-work", dgelsWork}, {"dgelsy", dgelsy}});
}
