#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

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
