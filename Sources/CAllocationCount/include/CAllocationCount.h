// How often the calling thread has asked for memory, for programs that check claims about allocation.
//
// Linking this target replaces malloc, calloc, realloc and aligned_alloc of the whole program by counting
// ones (GNU C library only). It belongs into executables and tests, never into a library for others.
#ifndef FATHOM_ALLOCATION_COUNT_H
#define FATHOM_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted in this build.
bool fathom_counts_allocations(void);

/// Allocations of the calling thread so far; 0 where they are not counted.
uint64_t fathom_allocation_count(void);

/// Keeps memory that was given back for whoever asks next, instead of returning it to the system (GNU C
/// library only): for a program whose threads ask for the same amounts again and again. The most that is
/// in use at once does not change.
void fathom_keep_memory(void);

#endif
