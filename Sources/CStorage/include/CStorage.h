// System calls for files and memory that Swift's import of the C library lacks.
#ifndef FATHOM_STORAGE_H
#define FATHOM_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

/// Sets room on the disk apart for `count` bytes of the file from `begin` on, without changing its length:
/// what is written there then costs the system less, and lies in one piece. Returns whether it did: Linux
/// alone can, not on every file system; and where less than 64 times as much is free, other files may need
/// it more.
bool fathom_set_room_apart(int descriptor, int64_t begin, int64_t count);

/// Begins to give to the disk what was written to the file; where the system cannot begin without waiting,
/// waits for it. Returns 0 or an error number. What the disk says is told to those who wait.
int fathom_begin_giving(int descriptor);

/// Keeps freed memory in the process for the next allocation instead of returning it to the system (GNU C
/// library only), for a program whose threads allocate the same sizes again and again. Peak memory does not
/// change. Call it once, before the first thread starts.
void fathom_keep_memory(void);

#endif
