#include "panels.h"

/// Returns the numbers of the low-noise mode of two pairs, for both modes.
INLINE quad low_noise(quad numbers) {
  return __builtin_shufflevector(numbers, numbers, 0, 0, 2, 2);
}
/// Returns the numbers of the high-noise mode of two pairs, for both modes.
INLINE quad high_noise(quad numbers) {
  return __builtin_shufflevector(numbers, numbers, 1, 1, 3, 3);
}

INLINE void mix_any(
    double *panels, double *mean, double *gain, long count, cvectors_pair shares,
    cvectors_pair spreads) {
  const quad share = twice(shares), spread = twice(spreads);
  for (long index = 0; index < count; ++index) {
    const quad numbers = quad_at(mean + 4 * index);
    const quad difference = low_noise(numbers) - high_noise(numbers);
    put(mean + 4 * index, high_noise(numbers) + share * difference);
    put(gain + 4 * index, difference);
  }
  double *column = panels;
  for (long index = 0; index < count; ++index) {
    const quad own = quad_at(gain + 4 * index);
    for (long other = 0; other < 2 * index + 2; ++other, column += 4) {
      const quad numbers = quad_at(column);
      // This order of factors keeps symmetric elements bitwise equal.
      const quad square = own * twice(pair_at(gain + 2 * other));
      put(column,
          high_noise(numbers) + share * (low_noise(numbers) - high_noise(numbers)) + spread * square);
    }
  }
}

#if defined(__x86_64__)
WIDE("avx2")
mix_avx2(
    double *panels, double *mean, double *gain, long count, cvectors_pair shares,
    cvectors_pair spreads) {
  mix_any(panels, mean, gain, count, shares, spreads);
}
#endif

void cvectors_mix(
    double *panels, double *mean, double *gain, long count, cvectors_pair shares,
    cvectors_pair spreads) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    mix_avx2(panels, mean, gain, count, shares, spreads);
    return;
  }
#endif
  mix_any(panels, mean, gain, count, shares, spreads);
}

void cvectors_mix_plainly(
    double *panels, double *mean, double *gain, long count, cvectors_pair shares,
    cvectors_pair spreads) {
  mix_any(panels, mean, gain, count, shares, spreads);
}
