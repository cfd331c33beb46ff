// Operations on several numbers side by side, one instruction each on every supported processor.
//
// Swift splits vectors of floating-point numbers, operates on one number after the other, and
// relies on the optimiser to reassemble the vectors. The optimiser often fails to, and the
// shuffling then costs as much as the work. The results are bitwise the same.

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

/// Sixteen bytes, and a flag for each of them.
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

/// Returns a bit mask of the separators and line feeds among the 64 bytes at `text`, the first byte
/// in the lowest bit.
CVECTORS_INLINE unsigned long long cvectors_stops(const unsigned char *_Nonnull text,
                                                  unsigned char separator) {
  return cvectors_stops_of_16(text, separator) | cvectors_stops_of_16(text + 16, separator) << 16 |
         cvectors_stops_of_16(text + 32, separator) << 32 |
         cvectors_stops_of_16(text + 48, separator) << 48;
}

#undef CVECTORS_INLINE

// Kernels of a tracker's state estimate, with vectors as wide as the processor supports. The width
// is chosen at run time, because one build runs on all processors. No kernel fuses products with
// sums, so that all widths give bitwise the same results.
//
// The layout of the numbers is that of TrackElements in Swift: panels of two rows, four numbers to
// a column. Bounds are not checked; the caller must ensure them.

/// A range and the components of a state estimate that it depends on.
typedef struct {
  /// The range, and the position of its anchor, metres.
  double distance;
  double anchor[3];
  /// The height of the tag when a position has two coordinates, metres.
  double height;
  /// The factor on the stored error of a link.
  double scale;
  /// The number of coordinates of a position, 2 or 3.
  long axes;
  /// The number of pairs of rows in use, at least one, and with a common bias more than `axes`.
  long panels;
  /// The index of the common bias, which is followed by the common scale; -1 without one.
  long bias;
  /// The index of the link's error, after all of these; -1 without one.
  long link;
} cvectors_range;

/// The expectation of a range: TrackState.Expectation in Swift.
typedef struct {
  cvectors_pair residual;
  cvectors_pair spread;
  cvectors_pair terms;
} cvectors_expectation;

/// Compares a range with the state estimate, and writes the covariances of the state with the
/// distance into `gain`.
void cvectors_expect(
    const double *_Nonnull panels, const double *_Nonnull mean, double *_Nonnull gain,
    const cvectors_range *_Nonnull range, cvectors_expectation *_Nonnull expectation);

/// Adds step * gain to the mean, multiplies the gain by root, and subtracts its outer product from
/// the panels.
void cvectors_condition(
    double *_Nonnull panels, double *_Nonnull mean, double *_Nonnull gain, long count,
    cvectors_pair step, cvectors_pair root);

/// The spectral density of the acceleration in both motion modes.
typedef struct {
  cvectors_pair horizontal;
  cvectors_pair vertical;
} cvectors_drift;

/// Predicts positions by their velocities over a step; 2 or 3 axes, `count` pairs of rows in use.
void cvectors_advance(
    double *_Nonnull panels, double *_Nonnull mean, const cvectors_drift *_Nonnull drift,
    double seconds, long axes, long count);

/// Mixes the modes, each with a fraction `shares` of the low-noise one; `spreads` are shares x (1 -
/// shares). Overwrites the gain.
void cvectors_mix(
    double *_Nonnull panels, double *_Nonnull mean, double *_Nonnull gain, long count,
    cvectors_pair shares, cvectors_pair spreads);

// The equations of a smoothed track: ChainEquations in Swift.

/// A chain of states, each coupled to the next, with a border to the common unknowns.
typedef struct {
  /// The number of components of a state: 4 to 8, or 10.
  long order;
  /// The number of states.
  long count;
  /// 1 if another state follows, which is kept: the last one has a block to it; otherwise 0.
  long is_followed;
  /// The number of columns of the border, even.
  long stride;
  /// A block of `order` x `order` for each state and the one that is kept, and one to the next state.
  double *_Nonnull diagonal;
  double *_Nonnull upper;
  /// `order` numbers for each state and the one that is kept, and as many rows of the border.
  double *_Nonnull right;
  double *_Nonnull border;
  /// The sums that elimination subtracts from the block of the common unknowns, `stride` x `stride`
  /// with a valid lower triangle, and from their right-hand side; initially zero.
  double *_Nonnull corner;
  double *_Nonnull common;
} cvectors_chain;

/// Eliminates the states from the first to the last: diagonal blocks become lower factors L, and
/// all others L⁻¹ times their previous value.
///
/// Returns 1; returns 0 when a block is not positive definite.
int cvectors_eliminate(const cvectors_chain *_Nonnull chain);

// Numbers as text, several at once. Each is rounded to the decimal nearest to the exact binary
// value, like FixedDecimal in Swift, and followed by a comma. NaN and infinities give empty fields.
// All widths write the same bytes.
//
// Returns the end of the text, or NULL without a write when a number is too large or next to a tie.
// The caller must ensure the capacity.

/// Writes three numbers with four decimals, each below 9999; needs capacity for 40 bytes.
unsigned char *_Nullable cvectors_write_three(
    unsigned char *_Nonnull end, double a, double b, double c);

/// Writes six numbers with eight decimals, each below 9; needs capacity for 80 bytes.
unsigned char *_Nullable cvectors_write_six(
    unsigned char *_Nonnull end, double a, double b, double c, double d, double e, double f);

// The checksum of bytes: ContentHash in Swift.

/// Adds `count` stripes of 64 bytes to the eight sums of XXH3. `place`, 0 to 15, is the position in
/// a block of 16 stripes and is advanced; the secret has 192 bytes.
void cvectors_absorb(
    uint64_t *_Nonnull sums, long *_Nonnull place, const unsigned char *_Nonnull stripes, long count,
    const unsigned char *_Nonnull secret);

// The same functions with baseline vectors on every processor, for comparison.

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

int cvectors_eliminate_plainly(const cvectors_chain *_Nonnull chain);

unsigned char *_Nullable cvectors_write_three_plainly(
    unsigned char *_Nonnull end, double a, double b, double c);

unsigned char *_Nullable cvectors_write_six_plainly(
    unsigned char *_Nonnull end, double a, double b, double c, double d, double e, double f);

#endif
