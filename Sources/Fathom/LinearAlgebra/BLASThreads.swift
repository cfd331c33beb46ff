import CLAPACK

/// Keeps OpenBLAS to the thread that calls it, for the whole process from now on.
///
/// The routines of this library are called with small problems, from as many threads as the caller
/// chooses; threads inside BLAS then only stand in each other's way (two callers with two internal
/// threads each run at half speed, and sums may be taken in another order). Call it once, before
/// starting workers. The environment variable `OPENBLAS_NUM_THREADS=1` does the same.
///
/// ## Edge cases
/// Does nothing on Apple's systems, where Accelerate decides by itself.
public func limitBLASToOneThread() {
  clapack_limit_to_one_thread()
}
