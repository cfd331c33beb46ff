// Work on several numbers side by side, one instruction each on every processor that Fathom runs on.
//
// Swift takes vectors of floating-point numbers apart, works on one number after the other, and
// leaves it to the optimiser to find out that they were vectors. It often does not, and then spends
// as much on shuffling them as on the work. The results are the same to the bit.

#ifndef FATHOM_CVECTORS_H
#define FATHOM_CVECTORS_H

#include <stdint.h>

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

/// Sixteen bytes, and what is true of each of them.
typedef unsigned char cvectors_bytes __attribute__((__ext_vector_type__(16)));
typedef _Bool cvectors_flags __attribute__((__ext_vector_type__(16)));

CVECTORS_INLINE unsigned long long cvectors_stops_of_16(const unsigned char *_Nonnull text,
                                                        unsigned char separator) {
  cvectors_bytes bytes;
  __builtin_memcpy(&bytes, text, sizeof bytes);
  const cvectors_flags flags =
      __builtin_convertvector((bytes == separator) | (bytes == '\n'), cvectors_flags);
  return __builtin_bit_cast(unsigned short, flags);
}

/// Which of the 64 bytes at `text` are a separator or a line feed, a bit each, the first the lowest.
CVECTORS_INLINE unsigned long long cvectors_stops(const unsigned char *_Nonnull text,
                                                  unsigned char separator) {
  return cvectors_stops_of_16(text, separator) | cvectors_stops_of_16(text + 16, separator) << 16 |
         cvectors_stops_of_16(text + 32, separator) << 32 |
         cvectors_stops_of_16(text + 48, separator) << 48;
}

#undef CVECTORS_INLINE

// Kernels of a tracker's belief, with vectors as wide as the processor has them: chosen at run time,
// since what is built runs everywhere. None fuses products with sums, so that all widths give the
// same bits.
//
// The layout of the numbers is that of TrackElements in Swift: panels of two rows, four numbers to a
// column. Bounds are the caller's to establish: nothing is checked.

/// A range, and what of a belief it looks at.
typedef struct {
  /// The range, and the position of its anchor.
  double distance;
  double anchor[3];
  /// The height of the tag where a position has two coordinates.
  double height;
  /// What a stored error of a link has to be multiplied by.
  double scale;
  /// Coordinates of a position, 2 or 3.
  long axes;
  /// Pairs of rows in use, at least one, and with a common bias more than `axes`.
  long panels;
  /// Index of the common bias, which the common scale follows; -1 without one.
  long bias;
  /// Index of the link's error, behind all of these; -1 without one.
  long link;
} cvectors_range;

/// How a range looks from a belief: TrackState.Expectation in Swift.
typedef struct {
  cvectors_pair residual;
  cvectors_pair spread;
  cvectors_pair terms;
} cvectors_expectation;

/// Compares a range with the belief, and writes into `gain` the covariances of the state with the
/// distance.
void cvectors_expect(
    const double *_Nonnull panels, const double *_Nonnull mean, double *_Nonnull gain,
    const cvectors_range *_Nonnull range, cvectors_expectation *_Nonnull expectation);

/// Moves the mean by step * gain, multiplies the gain by root, and takes its square off the panels.
void cvectors_condition(
    double *_Nonnull panels, double *_Nonnull mean, double *_Nonnull gain, long count,
    cvectors_pair step, cvectors_pair root);

/// The power of the acceleration in both modes of motion.
typedef struct {
  cvectors_pair horizontal;
  cvectors_pair vertical;
} cvectors_drift;

/// Moves positions by their velocities over a step; 2 or 3 axes, `count` pairs of rows in use.
void cvectors_advance(
    double *_Nonnull panels, double *_Nonnull mean, const cvectors_drift *_Nonnull drift,
    double seconds, long axes, long count);

/// Mixes the modes, each into a share of the gentle one, with `spreads` the shares times what is left
/// of one; overwrites the gain.
void cvectors_mix(
    double *_Nonnull panels, double *_Nonnull mean, double *_Nonnull gain, long count,
    cvectors_pair shares, cvectors_pair spreads);

// The equations of a smoothed track: SmootherEquations in Swift.

/// A chain of states, each tied to the next, with a border to the unknowns that all have in common.
typedef struct {
  /// Numbers of a state: 4 or 6.
  long order;
  /// Number of states.
  long count;
  /// Columns of the border, even.
  long stride;
  /// A block of `order` x `order` for each state; one to the next state for all but the last.
  double *_Nonnull diagonal;
  double *_Nonnull upper;
  /// `order` numbers for each state, and as many rows of the border.
  double *_Nonnull right;
  double *_Nonnull border;
  /// What elimination takes off the block of the common unknowns, `stride` x `stride`, of which the
  /// lower triangle counts, and off their right-hand side: zero before.
  double *_Nonnull corner;
  double *_Nonnull common;
} cvectors_chain;

/// Eliminates the states from the first to the last: blocks on the diagonal become lower factors L, all
/// others L⁻¹ times what they were.
///
/// Returned is 1, and in `logarithm` the sum of the logarithms of the diagonals of all L; 0 where a
/// block is not positive definite.
int cvectors_eliminate(const cvectors_chain *_Nonnull chain, double *_Nonnull logarithm);

// Numbers as text, several at once: of the decimals on offer the one nearest to the exact binary
// value, as FixedDecimal in Swift writes them one by one, each with a comma behind it; NaN and
// infinities leave their fields empty. All widths write the same bytes.
//
// Returned is the end of the text, or NULL, and nothing written, where a number is too large for this
// or lies next to a tie. Room is the caller's to establish.

/// Writes three numbers with four decimals, each below 9999; needs room for 40 bytes.
unsigned char *_Nullable cvectors_write_three(
    unsigned char *_Nonnull end, double a, double b, double c);

/// Writes six numbers with eight decimals, each below 9; needs room for 80 bytes.
unsigned char *_Nullable cvectors_write_six(
    unsigned char *_Nonnull end, double a, double b, double c, double d, double e, double f);

// The check sum of bytes: ContentHash in Swift.

/// Takes `count` stripes of 64 bytes into the eight sums of XXH3, at `place`, 0 to 15, in a block of 16
/// stripes, which moves on; the secret has 192 bytes.
void cvectors_absorb(
    uint64_t *_Nonnull sums, long *_Nonnull place, const unsigned char *_Nonnull stripes, long count,
    const unsigned char *_Nonnull secret);

// The same with vectors as every processor has them, whatever this one has: to compare with.

void cvectors_absorb_plainly(
    uint64_t *_Nonnull sums, long *_Nonnull place, const unsigned char *_Nonnull stripes, long count,
    const unsigned char *_Nonnull secret);

void cvectors_expect_plainly(
    const double *_Nonnull panels, const double *_Nonnull mean, double *_Nonnull gain,
    const cvectors_range *_Nonnull range, cvectors_expectation *_Nonnull expectation);

void cvectors_condition_plainly(
    double *_Nonnull panels, double *_Nonnull mean, double *_Nonnull gain, long count,
    cvectors_pair step, cvectors_pair root);

void cvectors_advance_plainly(
    double *_Nonnull panels, double *_Nonnull mean, const cvectors_drift *_Nonnull drift,
    double seconds, long axes, long count);

void cvectors_mix_plainly(
    double *_Nonnull panels, double *_Nonnull mean, double *_Nonnull gain, long count,
    cvectors_pair shares, cvectors_pair spreads);

int cvectors_eliminate_plainly(const cvectors_chain *_Nonnull chain, double *_Nonnull logarithm);

unsigned char *_Nullable cvectors_write_three_plainly(
    unsigned char *_Nonnull end, double a, double b, double c);

unsigned char *_Nullable cvectors_write_six_plainly(
    unsigned char *_Nonnull end, double a, double b, double c, double d, double e, double f);

#endif
