#include "CAllocationCount.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FATHOM_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(FATHOM_SANITIZED)

// The C library keeps its own functions under these names, so that they can be replaced.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// Of the initial executable, so that reading it never allocates by itself.
static __thread uint64_t count __attribute__((tls_model("initial-exec")));

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count++;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

bool fathom_counts_allocations(void) { return true; }

uint64_t fathom_allocation_count(void) { return count; }

#else

bool fathom_counts_allocations(void) { return false; }

uint64_t fathom_allocation_count(void) { return 0; }

#endif
