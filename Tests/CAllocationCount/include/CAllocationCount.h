// Counts the heap allocations of the calling thread, for tests of claims about allocation.
//
// Linking this target replaces malloc, calloc, realloc and aligned_alloc of the whole program by counting
// versions (GNU C library only). Only tests link it.
#ifndef FATHOM_ALLOCATION_COUNT_H
#define FATHOM_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Returns whether this build counts allocations.
bool fathom_counts_allocations(void);

/// Returns the number of heap allocations of the calling thread so far; 0 where they are not counted.
uint64_t fathom_allocation_count(void);

#endif
