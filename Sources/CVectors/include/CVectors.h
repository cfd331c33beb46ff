// Arithmetic of two numbers side by side, one instruction each on every processor that Fathom runs on.
//
// Swift takes vectors of floating-point numbers apart, works on one number after the other, and
// leaves it to the optimiser to find out that they were vectors. It often does not, and then spends
// as much on shuffling them as on the work. The results are the same to the bit.

#ifndef FATHOM_CVECTORS_H
#define FATHOM_CVECTORS_H

/// SIMD2<Double> in Swift.
typedef double cvectors_pair __attribute__((__ext_vector_type__(2)));

#define CVECTORS_INLINE static inline __attribute__((__always_inline__))

CVECTORS_INLINE cvectors_pair cvectors_sum(cvectors_pair a, cvectors_pair b) { return a + b; }
CVECTORS_INLINE cvectors_pair cvectors_difference(cvectors_pair a, cvectors_pair b) {
  return a - b;
}
CVECTORS_INLINE cvectors_pair cvectors_product(cvectors_pair a, cvectors_pair b) { return a * b; }
CVECTORS_INLINE cvectors_pair cvectors_quotient(cvectors_pair a, cvectors_pair b) { return a / b; }
CVECTORS_INLINE cvectors_pair cvectors_root(cvectors_pair a) {
  return __builtin_elementwise_sqrt(a);
}

#undef CVECTORS_INLINE

#endif
