#pragma once

/// Limits OpenBLAS to one thread in the executable that links this target, from the moment the library is
/// loaded. The tool links it; libraries do not, because the threads belong to the program that uses them.
#if defined(__linux__)
int openblas_num_threads_env(void);
#endif

/// Returns name, version and options of OpenBLAS; NULL for another library.
const char *fathom_blas_description(void);

/// Returns the commit from which the tool was built, with "-dirty" after it if files had changes; NULL if the
/// build did not state it. The only target that is compiled again for another commit is this one.
const char *fathom_commit(void);
