#include "CTool.h"

// Fathom has its own threads. OpenBLAS starts a thread for every processor when it is loaded, and a
// thread that waits for work spins. OpenBLAS calls this function at that moment for the value of
// OPENBLAS_NUM_THREADS; the definition in the executable takes the place of the one in the library.
// If a version of OpenBLAS does not call it, the threads are those of the environment.
#if defined(__linux__)
int openblas_num_threads_env(void) { return 1; }
#endif

// Libraries that take the place of OpenBLAS lack this function.
#if defined(__linux__)
extern char *openblas_get_config(void) __attribute__((weak));
const char *fathom_blas_description(void) { return openblas_get_config ? openblas_get_config() : 0; }
#else
const char *fathom_blas_description(void) { return 0; }
#endif

#if defined(FATHOM_COMMIT)
const char *fathom_commit(void) { return FATHOM_COMMIT; }
#else
const char *fathom_commit(void) { return 0; }
#endif
