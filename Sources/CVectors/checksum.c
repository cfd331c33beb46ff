#include <string.h>

#include "panels.h"

// Eight sums side by side: one vector, or as many as the processor needs.
typedef uint64_t sums __attribute__((__ext_vector_type__(8)));

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are stored with their lowest byte first"
#endif

#define STRIPES_OF_A_BLOCK 16

INLINE sums sums_at(const unsigned char *bytes) {
  sums result;
  memcpy(&result, bytes, sizeof result);
  return result;
}

INLINE void absorb_any(
    uint64_t *state, long *place, const unsigned char *stripes, long count,
    const unsigned char *secret) {
  sums total = sums_at((const unsigned char *)state);
  while (count > 0) {
    const long left = STRIPES_OF_A_BLOCK - *place;
    const long taken = count < left ? count : left;
    for (long index = 0; index < taken; ++index, stripes += 64) {
      const sums data = sums_at(stripes);
      const sums key = data ^ sums_at(secret + 8 * (*place + index));
      // The product of two 32-bit halves is a 64-bit word.
      total += __builtin_shufflevector(data, data, 1, 0, 3, 2, 5, 4, 7, 6) +
               (key & 0xFFFFFFFF) * (key >> 32);
    }
    count -= taken;
    *place += taken;
    if (*place == STRIPES_OF_A_BLOCK) {
      *place = 0;
      total = ((total ^ total >> 47) ^ sums_at(secret + 8 * STRIPES_OF_A_BLOCK)) * 0x9E3779B1u;
    }
  }
  memcpy(state, &total, sizeof total);
}

#if defined(__x86_64__)
WIDE("avx2")
absorb_avx2(
    uint64_t *state, long *place, const unsigned char *stripes, long count,
    const unsigned char *secret) {
  absorb_any(state, place, stripes, count, secret);
}
#endif

void cvectors_absorb(
    uint64_t *state, long *place, const unsigned char *stripes, long count,
    const unsigned char *secret) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    absorb_avx2(state, place, stripes, count, secret);
    return;
  }
#endif
  absorb_any(state, place, stripes, count, secret);
}

void cvectors_absorb_plainly(
    uint64_t *state, long *place, const unsigned char *stripes, long count,
    const unsigned char *secret) {
  absorb_any(state, place, stripes, count, secret);
}
