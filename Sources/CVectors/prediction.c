#include "panels.h"

/// Returns the address of the pair of a row and a column.
INLINE double *element_at(double *panels, long row, long column) {
  return panels + 4 * (row >> 1) * ((row >> 1) + 1) + 4 * column + 2 * (row & 1);
}

/// Sets the pair of a row and a column, and the symmetric one if it is in the same panel.
INLINE void set(double *panels, long row, long column, cvectors_pair value) {
  *(loose_pair *)element_at(panels, row, column) = value;
  if (row != column && row / 2 == column / 2) {
    *(loose_pair *)element_at(panels, column, row) = value;
  }
}

INLINE void add(double *panels, long row, long column, cvectors_pair value) {
  set(panels, row, column, element(panels, row, column) + value);
}

/// Implements `cvectors_advance` for a number of axes known at compile time.
INLINE void advance(
    double *panels, double *mean, const cvectors_drift *drift, double seconds, long axes,
    long count) {
  for (long axis = 0; axis < axes; ++axis) {
    loose_pair *place = (loose_pair *)(mean + 2 * axis);
    *place += seconds * pair_at(mean + 2 * (axis + axes));
  }
  const double square = seconds * seconds / 2;
  const double cube = seconds * seconds * seconds / 3;
  for (long row = 0; row < axes; ++row) {
    for (long column = 0; column <= row; ++column) {
      const cvectors_pair sum =
          element(panels, axes + row, column) + element(panels, axes + column, row);
      add(panels, row, column,
          seconds * (sum + seconds * element(panels, axes + row, axes + column)));
    }
  }
  for (long row = 0; row < axes; ++row) {
    for (long column = 0; column < axes; ++column) {
      const long more = row > column ? row : column, less = row > column ? column : row;
      add(panels, axes + row, column, seconds * element(panels, axes + more, axes + less));
    }
    const cvectors_pair power = row < 2 ? drift->horizontal : drift->vertical;
    add(panels, row, row, cube * power);
    add(panels, axes + row, row, square * power);
    add(panels, axes + row, axes + row, seconds * power);
  }
  for (long index = axes; index < count; ++index) {
    double *panel = panels + 4 * index * (index + 1);
    for (long axis = 0; axis < axes; ++axis) {
      put(panel + 4 * axis,
          quad_at(panel + 4 * axis) + seconds * quad_at(panel + 4 * (axis + axes)));
    }
  }
}

INLINE void advance_any(
    double *panels, double *mean, const cvectors_drift *drift, double seconds, long axes,
    long count) {
  if (axes == 3) advance(panels, mean, drift, seconds, 3, count);
  else advance(panels, mean, drift, seconds, 2, count);
}

#if defined(__x86_64__)
WIDE("avx2")
advance_avx2(
    double *panels, double *mean, const cvectors_drift *drift, double seconds, long axes,
    long count) {
  advance_any(panels, mean, drift, seconds, axes, count);
}
#endif

void cvectors_advance(
    double *panels, double *mean, const cvectors_drift *drift, double seconds, long axes,
    long count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    advance_avx2(panels, mean, drift, seconds, axes, count);
    return;
  }
#endif
  advance_any(panels, mean, drift, seconds, axes, count);
}

void cvectors_advance_plainly(
    double *panels, double *mean, const cvectors_drift *drift, double seconds, long axes,
    long count) {
  advance_any(panels, mean, drift, seconds, axes, count);
}
