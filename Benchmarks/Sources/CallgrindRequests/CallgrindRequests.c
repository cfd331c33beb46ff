#include "CallgrindRequests.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

void callgrind_zero(void) { CALLGRIND_ZERO_STATS; }
void callgrind_dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
int callgrind_is_running(void) { return RUNNING_ON_VALGRIND > 0; }
#else
void callgrind_zero(void) {}
void callgrind_dump(const char *name) { (void)name; }
int callgrind_is_running(void) { return 0; }
#endif
