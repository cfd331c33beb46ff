#ifndef CALLGRIND_REQUESTS_H
#define CALLGRIND_REQUESTS_H

/// Sets Callgrind's counters to zero. Does nothing outside Valgrind.
void callgrind_zero(void);

/// Writes the counters since the last call of either function to a file of Callgrind's, under `name`.
void callgrind_dump(const char *name);

/// Whether the program runs under Valgrind and was built with its header.
int callgrind_is_running(void);

#endif
