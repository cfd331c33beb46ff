#include "CallgrindRequests.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int run_in_copy(void (*body)(long argument), long argument) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    body(argument);
    fflush(NULL);
    _exit(0);
  }
  int status = 0;
  return child < 0 || waitpid(child, &status, 0) < 0 ? -1 : status;
}

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

void callgrind_dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
int callgrind_is_running(void) { return RUNNING_ON_VALGRIND > 0; }
#else
void callgrind_dump(const char *name) { (void)name; }
int callgrind_is_running(void) { return 0; }
#endif
