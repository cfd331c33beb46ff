#ifndef CALLGRIND_REQUESTS_H
#define CALLGRIND_REQUESTS_H

/// Writes Callgrind's counters since the last call to a dump file under `name`, and resets them. Does
/// nothing outside Valgrind.
void callgrind_dump(const char *name);

/// Runs `body(argument)` in a copy of this process and waits for it to end; returns 0 on success.
int run_in_copy(void (*body)(long argument), long argument);

/// Returns whether the program runs under Valgrind and was built with its header.
int callgrind_is_running(void);

#endif
