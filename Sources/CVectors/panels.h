// Common definitions of the kernels for state estimates: vectors of two, four and eight numbers,
// and the positions of numbers in the panels.

#ifndef FATHOM_PANELS_H
#define FATHOM_PANELS_H

#include "CVectors.h"

// Products are never fused with sums: results must not depend on the processor.
#pragma STDC FP_CONTRACT OFF

typedef double quad __attribute__((__ext_vector_type__(4)));
typedef double octet __attribute__((__ext_vector_type__(8)));

// Swift aligns to 16 bytes; vectors of these types may have any alignment.
typedef quad loose_quad __attribute__((__aligned__(8)));
typedef octet loose_octet __attribute__((__aligned__(8)));
typedef cvectors_pair loose_pair __attribute__((__aligned__(8)));

// A wide vector passed by value has a different ABI with and without AVX; inlined functions pass
// none.
#pragma clang diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((__always_inline__))

INLINE quad twice(cvectors_pair pair) { return __builtin_shufflevector(pair, pair, 0, 1, 0, 1); }
INLINE quad joined(cvectors_pair low, cvectors_pair high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
INLINE cvectors_pair pair_at(const double *p) { return *(const loose_pair *)p; }
INLINE quad quad_at(const double *p) { return *(const loose_quad *)p; }
INLINE void put(double *p, quad value) { *(loose_quad *)p = value; }

/// The first column of a panel.
INLINE const double *panel_of(const double *panels, long index) {
  return panels + 4 * index * (index + 1);
}

/// The pair of a row and a column, which is in the panel of the row.
INLINE cvectors_pair element(const double *panels, long row, long column) {
  return pair_at(panel_of(panels, row >> 1) + 4 * column + 2 * (row & 1));
}

// A kernel compiled for instructions that a processor may have.
#define WIDE(name) __attribute__((__target__(name))) static void

#endif
