#include <stdint.h>

#include "panels.h"

// Every lane holds one number. Its text is in memory byte order, so that the first character is in
// the lowest byte.
typedef uint64_t words __attribute__((__ext_vector_type__(4)));
typedef uint16_t shorts __attribute__((__ext_vector_type__(16)));
typedef uint32_t integers __attribute__((__ext_vector_type__(16)));
typedef uint64_t loose_word __attribute__((__aligned__(1), __may_alias__));

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "digits are stored with the first of them in the lowest byte"
#endif

#define ALL UINT64_C(0x3030303030303030)
#define SIGN (uint64_t)('0' ^ '-')
#define LOW UINT64_C(0xffffffff)
#define LARGEST 0x1.fffffffffffffp1023

/// Returns the eight digits of numbers below 10⁸, like EightDigits in Swift.
INLINE words digits(words value) {
  const words high = (value * 3518437209u) >> 45;
  const shorts fours = (shorts)(high | (value - high * 10000u) << 32);
  // Division of a quarter of the numbers below 10⁴ by 25, in the upper half of a product: one
  // instruction.
  const integers quarters = __builtin_convertvector(fours >> 2, integers);
  const shorts hundreds = __builtin_convertvector((quarters * 2622u) >> 16, shorts);
  const shorts twos = (shorts)((words)hundreds | (words)(fours - hundreds * 100) << 16);
  const shorts tens = (twos * 103) >> 10;
  return (words)(tens | (twos - tens * 10) << 8) | ALL;
}

/// Numbers as multiples of their last decimal, with the masks for their texts.
typedef struct {
  quad rounded;
  words number;
  /// All bits set for a minus sign.
  words negative;
  /// All bits set for a finite number.
  words there;
  /// Nonzero for a number that this code cannot write.
  words odd;
} multiples;

INLINE multiples multiples_of(quad value, double limit, double power) {
  const quad magnitude = __builtin_elementwise_abs(value);
  const words small = (words)(magnitude < limit);
  // Adding and subtracting 2⁵² rounds to the nearest integer. The preceding multiplication also
  // rounded, but never across a half, which is a representable number. A product exactly at a half
  // is undecidable here and is reported as a tie.
  const quad product = (quad)((words)magnitude & small) * power;
  const quad shifted = product + 0x1p52;
  const quad rounded = shifted - 0x1p52;
  const words tie = (words)(__builtin_elementwise_abs(product - rounded) == 0.5);
  multiples result;
  result.rounded = rounded;
  result.number = (words)shifted & LOW;
  result.negative = (words)(value < 0) & (words)(rounded > 0);
  result.there = (words)(magnitude <= LARGEST);
  result.odd = (~small & result.there) | tie;
  return result;
}

/// Returns the text before the decimals: `text` after a place for a sign, without the skipped
/// bytes.
INLINE words head(words text, words skipped, const multiples *numbers) {
  const words signed_text = (text >> (skipped << 3)) ^ (numbers->negative & SIGN);
  return (signed_text & numbers->there) | (~numbers->there & ',');
}

/// The text of four numbers: integer part, decimals and their offset, and the length.
typedef struct {
  uint64_t heads[4], tails[4], starts[4], ends[4];
} texts;

INLINE void set(uint64_t *target, words value) {
  for (int lane = 0; lane < 4; ++lane) target[lane] = value[lane];
}

/// Formats numbers below 9999 with four decimals, all eight digits at once.
INLINE words texts_of_four_decimals(quad value, texts *result) {
  const multiples numbers = multiples_of(value, 9999, 1e4);
  const words text = digits(numbers.number);
  // Leading zeros, and the place of an absent sign.
  const words skipped = 4 + numbers.negative + (words)(numbers.rounded >= 1e5) +
                        (words)(numbers.rounded >= 1e6) + (words)(numbers.rounded >= 1e7);
  const words whole = (text & LOW) << 8 | ('0' | (uint64_t)'.' << 40);
  set(result->heads, head(whole, skipped, &numbers));
  set(result->tails, text >> 32 | (uint64_t)',' << 32);
  set(result->starts, 6 - skipped);
  set(result->ends, ((11 - skipped) & numbers.there) | (~numbers.there & 1));
  return numbers.odd;
}

/// Formats numbers below 9 with eight decimals; the caller writes the comma.
INLINE words texts_of_eight_decimals(quad value, texts *result) {
  const multiples numbers = multiples_of(value, 9, 1e8);
  // Division by 10⁸.
  const words whole = (numbers.number * 1441151881u) >> 57;
  const words skipped = 1 + numbers.negative;
  const words text = whole << 8 | ('0' | '0' << 8 | '.' << 16);
  set(result->heads, head(text, skipped, &numbers));
  set(result->tails, digits(numbers.number - whole * 100000000u));
  set(result->starts, 3 - skipped);
  set(result->ends, ((12 - skipped) & numbers.there) | (~numbers.there & 1));
  return numbers.odd;
}

/// Appends one text; a surplus byte is overwritten by the next text.
INLINE unsigned char *place(unsigned char *end, const texts *texts, int lane) {
  *(loose_word *)end = texts->heads[lane];
  *(loose_word *)(end + texts->starts[lane]) = texts->tails[lane];
  return end + texts->ends[lane];
}

INLINE unsigned char *write_three(unsigned char *end, double a, double b, double c) {
  texts texts;
  if (__builtin_reduce_or(texts_of_four_decimals((quad){a, b, c, 0}, &texts))) return 0;
  for (int lane = 0; lane < 3; ++lane) end = place(end, &texts, lane);
  return end;
}

INLINE unsigned char *write_six(
    unsigned char *end, double a, double b, double c, double d, double e, double f) {
  texts first, second;
  if (__builtin_reduce_or(
          texts_of_eight_decimals((quad){a, b, c, d}, &first) |
          texts_of_eight_decimals((quad){e, f, 0, 0}, &second)))
    return 0;
  for (int lane = 0; lane < 6; ++lane) {
    end = place(end, lane < 4 ? &first : &second, lane & 3);
    end[-1] = ',';
  }
  return end;
}

#if defined(__x86_64__)
__attribute__((__target__("avx2"))) static unsigned char *write_three_avx2(
    unsigned char *end, double a, double b, double c) {
  return write_three(end, a, b, c);
}
__attribute__((__target__("avx2"))) static unsigned char *write_six_avx2(
    unsigned char *end, double a, double b, double c, double d, double e, double f) {
  return write_six(end, a, b, c, d, e, f);
}
#endif

unsigned char *cvectors_write_three(unsigned char *end, double a, double b, double c) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return write_three_avx2(end, a, b, c);
#endif
  return write_three(end, a, b, c);
}

unsigned char *cvectors_write_six(
    unsigned char *end, double a, double b, double c, double d, double e, double f) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return write_six_avx2(end, a, b, c, d, e, f);
#endif
  return write_six(end, a, b, c, d, e, f);
}

unsigned char *cvectors_write_three_plainly(unsigned char *end, double a, double b, double c) {
  return write_three(end, a, b, c);
}

unsigned char *cvectors_write_six_plainly(
    unsigned char *end, double a, double b, double c, double d, double e, double f) {
  return write_six(end, a, b, c, d, e, f);
}
