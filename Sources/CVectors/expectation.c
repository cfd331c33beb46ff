#include "panels.h"

/// Computes the covariance of the state with a distance whose derivatives are `slopes` by the
/// position and `metres` by the scale, plus the bias and the link's error.
///
/// Of each of these, the covariances with later rows are columns; those with earlier rows are in
/// its own row.
INLINE void project(
    const double *panels, const cvectors_range *range, double *gain, const cvectors_pair *slopes,
    cvectors_pair metres, long axes, int has_bias, int has_link) {
  const quad hx = twice(slopes[0]), hy = twice(slopes[1]), hz = twice(slopes[2]);
  const double scale = range->scale;
  const long end = range->panels, bias = range->bias, link = range->link;
  // The panels of the position, then those below, before and from the link's panel on.
  const long own = has_link ? link / 2 : end;
  for (long index = 0; index < axes; ++index) {
    const double *panel = panel_of(panels, index);
    const long first = 2 * index, second = first + 1;
    quad sum = hx * quad_at(panel) + hy * quad_at(panel + 4);
    if (axes == 3) {
      // The third column of the first panel is in the rows below.
      sum += hz * (index > 0 ? quad_at(panel + 8)
                             : joined(element(panels, 2, 0), element(panels, 2, 1)));
    }
    if (has_bias) {
      sum += joined(
          element(panels, bias, first) + metres * element(panels, bias + 1, first),
          element(panels, bias, second) + metres * element(panels, bias + 1, second));
    }
    if (has_link) {
      sum += scale * joined(element(panels, link, first), element(panels, link, second));
    }
    put(gain + 4 * index, sum);
  }
  for (long index = axes; index < end; ++index) {
    const double *panel = panel_of(panels, index);
    quad sum = hx * quad_at(panel) + hy * quad_at(panel + 4);
    if (axes == 3) sum += hz * quad_at(panel + 8);
    if (has_bias) {
      sum += quad_at(panel + 8 * axes) + twice(metres) * quad_at(panel + 8 * axes + 4);
    }
    if (has_link) {
      sum += scale * (index < own ? joined(element(panels, link, 2 * index),
                                           element(panels, link, 2 * index + 1))
                                  : quad_at(panel + 4 * link));
    }
    put(gain + 4 * index, sum);
  }
}

/// Implements `cvectors_expect` for a layout known at compile time.
INLINE void expect(
    const double *panels, const double *mean, double *gain, const cvectors_range *range,
    cvectors_expectation *expectation, long axes, int has_bias, int has_link) {
  const cvectors_pair none = {0, 0};
  const double scale = range->scale;
  const long bias = range->bias, link = range->link;
  const cvectors_pair x = pair_at(mean) - range->anchor[0];
  const cvectors_pair y = pair_at(mean + 2) - range->anchor[1];
  const cvectors_pair z =
      (axes == 3 ? pair_at(mean + 4) : none + range->height) - range->anchor[2];
  const cvectors_pair metres = __builtin_elementwise_sqrt(x * x + y * y + z * z);
  cvectors_pair expected = metres, stretch = {1, 1};
  if (has_bias) {
    stretch += pair_at(mean + 2 * bias + 2);
    expected = stretch * metres + pair_at(mean + 2 * bias);
  }
  const cvectors_pair slope = stretch / metres;
  // At the anchor itself the direction does not exist; the x axis replaces it.
  const cvectors_pair slopes[3] = {
      metres > none ? slope * x : stretch, metres > none ? slope * y : none,
      axes == 3 ? (metres > none ? slope * z : none) : none};
  project(panels, range, gain, slopes, metres, axes, has_bias, has_link);

  cvectors_pair spread = none;
  cvectors_pair terms = slopes[0] * slopes[0] * element(panels, 0, 0) +
                        slopes[1] * slopes[1] * element(panels, 1, 1);
  if (axes == 3) terms += slopes[2] * slopes[2] * element(panels, 2, 2);
  if (has_bias) {
    terms += element(panels, bias, bias) + metres * metres * element(panels, bias + 1, bias + 1);
  }
  if (has_link) {
    expected += scale * pair_at(mean + 2 * link);
    spread += scale * pair_at(gain + 2 * link);
    terms += scale * scale * element(panels, link, link);
  }
  spread += slopes[0] * pair_at(gain) + slopes[1] * pair_at(gain + 2);
  if (axes == 3) spread += slopes[2] * pair_at(gain + 4);
  if (has_bias) spread += pair_at(gain + 2 * bias) + metres * pair_at(gain + 2 * bias + 2);
  expectation->residual = range->distance - expected;
  expectation->spread = spread < none ? none : spread;
  expectation->terms = terms;
}

INLINE void expect_any(
    const double *panels, const double *mean, double *gain, const cvectors_range *range,
    cvectors_expectation *expectation) {
  const int has_bias = range->bias >= 0, has_link = range->link >= 0;
  if (range->axes == 2) {
    expect(panels, mean, gain, range, expectation, 2, has_bias, has_link);
  } else if (has_bias && has_link) {
    expect(panels, mean, gain, range, expectation, 3, 1, 1);
  } else {
    expect(panels, mean, gain, range, expectation, 3, has_bias, has_link);
  }
}

#if defined(__x86_64__)
WIDE("avx2")
expect_avx2(
    const double *panels, const double *mean, double *gain, const cvectors_range *range,
    cvectors_expectation *expectation) {
  expect_any(panels, mean, gain, range, expectation);
}
#endif

void cvectors_expect(
    const double *panels, const double *mean, double *gain, const cvectors_range *range,
    cvectors_expectation *expectation) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    expect_avx2(panels, mean, gain, range, expectation);
    return;
  }
#endif
  expect_any(panels, mean, gain, range, expectation);
}

void cvectors_expect_plainly(
    const double *panels, const double *mean, double *gain, const cvectors_range *range,
    cvectors_expectation *expectation) {
  expect_any(panels, mean, gain, range, expectation);
}
