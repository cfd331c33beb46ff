// System calls for files and memory that are missing from Swift's import of the C library.
#ifndef FATHOM_STORAGE_H
#define FATHOM_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

/// Reserves disk space for `count` bytes of the file from `begin` on, without changing its length.
/// Later writes there are cheaper and contiguous. Returns whether space was reserved: only on
/// Linux, not on every file system, and only when more than 64 times as much space is free, because
/// other files may need it.
bool fathom_set_room_apart(int descriptor, int64_t begin, int64_t count);

/// Starts writing the file's data to disk. Systems that cannot start without waiting wait for
/// completion. Returns 0 or an error number. Later write errors are reported to callers that wait.
int fathom_begin_giving(int descriptor);

/// Keeps freed memory in the process for the next allocation instead of returning it to the system
/// (GNU C library only). Use it for programs whose threads repeatedly allocate the same sizes. Peak
/// memory does not change. Call it once, before the first thread starts.
void fathom_keep_memory(void);

#endif
