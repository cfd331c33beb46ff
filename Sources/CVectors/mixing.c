#include "panels.h"

/// Of two pairs, the numbers of the gentle mode, for both modes.
INLINE quad gentle(quad numbers) {
  return __builtin_shufflevector(numbers, numbers, 0, 0, 2, 2);
}
/// Of two pairs, the numbers of the lively mode, for both modes.
INLINE quad lively(quad numbers) {
  return __builtin_shufflevector(numbers, numbers, 1, 1, 3, 3);
}

INLINE void mix_any(
    double *panels, double *mean, double *gain, long count, cvectors_pair shares,
    cvectors_pair spreads) {
  const quad share = twice(shares), spread = twice(spreads);
  for (long index = 0; index < count; ++index) {
    const quad numbers = quad_at(mean + 4 * index);
    const quad difference = gentle(numbers) - lively(numbers);
    put(mean + 4 * index, lively(numbers) + share * difference);
    put(gain + 4 * index, difference);
  }
  double *column = panels;
  for (long index = 0; index < count; ++index) {
    const quad own = quad_at(gain + 4 * index);
    for (long other = 0; other < 2 * index + 2; ++other, column += 4) {
      const quad numbers = quad_at(column);
      // In this order of factors, so that mirrored numbers stay equal to the bit.
      const quad square = own * twice(pair_at(gain + 2 * other));
      put(column,
          lively(numbers) + share * (gentle(numbers) - lively(numbers)) + spread * square);
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
