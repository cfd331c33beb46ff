#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if defined(__linux__)

bool fathom_set_room_apart(int descriptor, int64_t begin, int64_t count) {
  struct statvfs disk;
  if (fstatvfs(descriptor, &disk) != 0) return false;
  const int64_t free_bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
  return free_bytes / 64 > count &&
         fallocate(descriptor, FALLOC_FL_KEEP_SIZE, begin, count) == 0;
}

int fathom_begin_giving(int descriptor) {
  return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE) == 0 ? 0 : errno;
}

#else

bool fathom_set_room_apart(int descriptor, int64_t begin, int64_t count) {
  (void)descriptor, (void)begin, (void)count;
  return false;
}

int fathom_begin_giving(int descriptor) { return fsync(descriptor) == 0 ? 0 : errno; }

#endif

void fathom_keep_memory(void) {
#if defined(__GLIBC__)
  // The largest threshold that every glibc version accepts, far above any single allocation here.
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  // With one arena per thread, one thread would request memory that another has freed.
  mallopt(M_ARENA_MAX, 1);
#endif
}
