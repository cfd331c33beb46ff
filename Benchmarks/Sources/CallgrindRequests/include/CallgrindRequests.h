#ifndef CALLGRIND_REQUESTS_H
#define CALLGRIND_REQUESTS_H

/// Writes the counters since the last call to a file of Callgrind's, under `name`, and sets them to
/// zero. Does nothing outside Valgrind.
void callgrind_dump(const char *name);

/// Runs `body(argument)` in a copy of this process and waits until it has ended; 0 when it ended well.
int run_in_copy(void (*body)(long argument), long argument);

/// Whether the program runs under Valgrind and was built with its header.
int callgrind_is_running(void);

#endif
