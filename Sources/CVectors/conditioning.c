#include "panels.h"

INLINE void condition_any(
    double *panels, double *mean, double *gain, long count, cvectors_pair step,
    cvectors_pair root) {
  const quad steps = twice(step), roots = twice(root);
  for (long index = 0; index < count; ++index) {
    const quad own = quad_at(gain + 4 * index);
    put(mean + 4 * index, quad_at(mean + 4 * index) + steps * own);
    put(gain + 4 * index, roots * own);
  }
  double *panel = panels;
  for (long index = 0; index < count; ++index) {
    const quad own = quad_at(gain + 4 * index);
    const octet both = __builtin_shufflevector(own, own, 0, 1, 2, 3, 0, 1, 2, 3);
    // Processes two columns at a time.
    for (long other = 0; other < index; ++other, panel += 8) {
      const quad pairs = quad_at(gain + 4 * other);
      const octet factors = __builtin_shufflevector(pairs, pairs, 0, 1, 0, 1, 2, 3, 2, 3);
      *(loose_octet *)panel = *(loose_octet *)panel - both * factors;
    }
    // On the diagonal, clamp the variance at 0: rounding could make a vanishing one negative.
    quad first = quad_at(panel) - own * __builtin_shufflevector(own, own, 0, 1, 0, 1);
    quad second = quad_at(panel + 4) - own * __builtin_shufflevector(own, own, 2, 3, 2, 3);
    const cvectors_pair none = {0, 0};
    const cvectors_pair low = first.lo > none ? first.lo : none;
    const cvectors_pair high = second.hi > none ? second.hi : none;
    put(panel, joined(low, first.hi));
    put(panel + 4, joined(second.lo, high));
    panel += 8;
  }
}

#if defined(__x86_64__)
WIDE("avx2")
condition_avx2(
    double *panels, double *mean, double *gain, long count, cvectors_pair step,
    cvectors_pair root) {
  condition_any(panels, mean, gain, count, step, root);
}
WIDE("avx512f,avx512vl,avx512dq")
condition_avx512(
    double *panels, double *mean, double *gain, long count, cvectors_pair step,
    cvectors_pair root) {
  condition_any(panels, mean, gain, count, step, root);
}
#endif

void cvectors_condition(
    double *panels, double *mean, double *gain, long count, cvectors_pair step,
    cvectors_pair root) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    condition_avx512(panels, mean, gain, count, step, root);
    return;
  }
  if (__builtin_cpu_supports("avx2")) {
    condition_avx2(panels, mean, gain, count, step, root);
    return;
  }
#endif
  condition_any(panels, mean, gain, count, step, root);
}

void cvectors_condition_plainly(
    double *panels, double *mean, double *gain, long count, cvectors_pair step,
    cvectors_pair root) {
  condition_any(panels, mean, gain, count, step, root);
}
