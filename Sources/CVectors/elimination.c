#include <math.h>

#include "panels.h"

// Rows of four or two columns, held in registers: x is L⁻¹ times them, or the subtrahend.
#define COLUMNS(width, vector, loose)                                                                  \
  INLINE void load_##width(vector *x, const double *b, long stride, long order) {                      \
    for (long row = 0; row < order; ++row) x[row] = *(const loose *)(b + stride * row);                \
  }                                                                                                    \
  INLINE void forward_##width(                                                                         \
      const double *lower, const double *inverse, vector *x, double *b, long stride, long order) {     \
    load_##width(x, b, stride, order);                                                                 \
    for (long row = 0; row < order; ++row) {                                                           \
      for (long inner = 0; inner < row; ++inner) x[row] -= lower[order * row + inner] * x[inner];      \
      x[row] *= inverse[row];                                                                          \
      *(loose *)(b + stride * row) = x[row];                                                           \
    }                                                                                                  \
  }                                                                                                    \
  /* Subtracts row `row` of Aᵀ x from the columns at `target`. */                                      \
  INLINE void take_off_##width(                                                                        \
      double *target, const double *a, long columns, long row, const vector *x, long order) {          \
    vector sum = *(const loose *)target;                                                               \
    for (long inner = 0; inner < order; ++inner) sum -= a[columns * inner + row] * x[inner];           \
    *(loose *)target = sum;                                                                            \
  }

COLUMNS(4, quad, loose_quad)
COLUMNS(2, cvectors_pair, loose_pair)
COLUMNS(1, double, double)

/// Computes the lower Cholesky factor of a block and the reciprocals of its diagonal; returns 0
/// when the block is not positive definite.
INLINE int cholesky(double *a, double *inverse, long order) {
  for (long column = 0; column < order; ++column) {
    double pivot = a[order * column + column];
    for (long inner = 0; inner < column; ++inner) {
      pivot -= a[order * column + inner] * a[order * column + inner];
    }
    // A comparison with NaN is false.
    if (!(pivot > 0 && pivot < INFINITY)) return 0;
    const double root = sqrt(pivot);
    inverse[column] = 1 / root;
    a[order * column + column] = root;
    for (long row = column + 1; row < order; ++row) {
      double sum = a[order * row + column];
      for (long inner = 0; inner < column; ++inner) {
        sum -= a[order * row + inner] * a[order * column + inner];
      }
      a[order * row + column] = sum * inverse[column];
    }
  }
  return 1;
}

/// Implements `cvectors_eliminate` for an order known at compile time.
INLINE int eliminate(const cvectors_chain *chain, long order) {
  const long stride = chain->stride, square = order * order;
  for (long index = 0; index < chain->count; ++index) {
    double *block = chain->diagonal + square * index;
    double *own = chain->right + order * index;
    double *edge = chain->border + order * stride * index;
    double inverse[10];
    quad x[10], second[10];
    cvectors_pair y[10];
    double z[10];
    // After the first four columns of a block: four more, two more, and the last one of an odd number.
    const int isDouble = order >= 8, isLong = order % 4 >= 2, isOdd = order % 2 == 1;
    const long rest = isDouble ? 8 : 4;
    if (!cholesky(block, inverse, order)) return 0;
    for (long row = 0; row < order; ++row) {
      for (long inner = 0; inner < row; ++inner) own[row] -= block[order * row + inner] * own[inner];
      own[row] *= inverse[row];
    }
    const int isLast = index + 1 == chain->count && !chain->is_followed;
    double *link = chain->upper + square * index;
    if (!isLast) {
      forward_4(block, inverse, x, link, order, order);
      if (isDouble) forward_4(block, inverse, second, link + 4, order, order);
      if (isLong) forward_2(block, inverse, y, link + rest, order, order);
      if (isOdd) forward_1(block, inverse, z, link + order - 1, order, order);
      for (long row = 0; row < order; ++row) {
        double *target = block + square + order * row;
        take_off_4(target, link, order, row, x, order);
        if (isDouble) take_off_4(target + 4, link, order, row, second, order);
        if (isLong) take_off_2(target + rest, link, order, row, y, order);
        if (isOdd) take_off_1(target + order - 1, link, order, row, z, order);
        for (long inner = 0; inner < order; ++inner) {
          own[order + row] -= link[order * inner + row] * own[inner];
        }
      }
    }
    double *next = edge + order * stride;
    long column = 0;
    for (; column + 4 <= stride; column += 4) {
      forward_4(block, inverse, x, edge + column, stride, order);
      if (!isLast) {
        for (long row = 0; row < order; ++row) {
          take_off_4(next + stride * row + column, link, order, row, x, order);
        }
      }
      for (long inner = 0; inner < order; ++inner) {
        *(loose_quad *)(chain->common + column) -= own[inner] * x[inner];
      }
    }
    for (; column < stride; column += 2) {
      forward_2(block, inverse, y, edge + column, stride, order);
      if (!isLast) {
        for (long row = 0; row < order; ++row) {
          take_off_2(next + stride * row + column, link, order, row, y, order);
        }
      }
      for (long inner = 0; inner < order; ++inner) {
        *(loose_pair *)(chain->common + column) -= own[inner] * y[inner];
      }
    }
    // The lower triangle, and the part of the upper one in the same columns.
    for (column = 0; column + 4 <= stride; column += 4) {
      load_4(x, edge + column, stride, order);
      for (long row = column; row < stride; ++row) {
        take_off_4(chain->corner + stride * row + column, edge, stride, row, x, order);
      }
    }
    for (; column < stride; column += 2) {
      load_2(y, edge + column, stride, order);
      for (long row = column; row < stride; ++row) {
        take_off_2(chain->corner + stride * row + column, edge, stride, row, y, order);
      }
    }
  }
  return 1;
}

INLINE int eliminate_any(const cvectors_chain *chain) {
  switch (chain->order) {
    case 4: return eliminate(chain, 4);
    case 5: return eliminate(chain, 5);
    case 6: return eliminate(chain, 6);
    case 7: return eliminate(chain, 7);
    case 8: return eliminate(chain, 8);
    default: return eliminate(chain, 10);
  }
}

#if defined(__x86_64__)
__attribute__((__target__("avx2"))) static int eliminate_avx2(const cvectors_chain *chain) {
  return eliminate_any(chain);
}
#endif

int cvectors_eliminate_plainly(const cvectors_chain *chain) {
  return eliminate_any(chain);
}

int cvectors_eliminate(const cvectors_chain *chain) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return eliminate_avx2(chain);
#endif
  return cvectors_eliminate_plainly(chain);
}
