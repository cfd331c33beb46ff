#include "COneBLASThread.h"

// Fathom has its own threads. OpenBLAS starts a thread for every processor when it is loaded, and a
// thread that waits for work spins. OpenBLAS calls this function at that moment for the value of
// OPENBLAS_NUM_THREADS; the definition in the executable takes the place of the one in the library.
// If a version of OpenBLAS does not call it, the threads are those of the environment.
#if defined(__linux__)
int openblas_num_threads_env(void) { return 1; }
#endif
