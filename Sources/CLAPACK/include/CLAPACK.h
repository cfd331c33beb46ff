// C signatures for the LAPACK routines that Fathom calls, identical on all platforms.
//
// Linux has LAPACKE. Apple's systems have Accelerate, which offers only the Fortran symbols. Each
// function below has the name of its routine and takes its arguments by value, in the order of the
// Fortran interface. Arguments that Fathom never varies are omitted and named in the comment.
// Matrices are stored by columns. `lwork == -1` queries the optimal size of `work`, which is
// returned in `work[0]`.
//
// The result is LAPACK's `info`: 0 for success, -i when the i-th argument of the Fortran routine
// has an illegal value, and a positive number with a routine-specific meaning.

#ifndef FATHOM_CLAPACK_H
#define FATHOM_CLAPACK_H

#if defined(__APPLE__)
#ifndef ACCELERATE_NEW_LAPACK
#define ACCELERATE_NEW_LAPACK
#endif
#include <Accelerate/Accelerate.h>
#else
#include <lapacke.h>
// Declared here because the headers of OpenBLAS and LAPACKE have conflicting complex types.
extern void openblas_set_num_threads(int count);
#endif

/// The singular vectors to compute; the values are LAPACK's letters.
typedef enum {
  clapack_no_vectors = 'N',
  clapack_thin_vectors = 'S',
  clapack_all_vectors = 'A',
} clapack_vectors;

/// The half of a matrix that holds a triangular matrix; the values are LAPACK's letters.
typedef enum {
  clapack_upper = 'U',
  clapack_lower = 'L',
} clapack_triangle;

/// Limits BLAS to the calling thread. Accelerate manages its threads, so nothing happens there.
static inline void clapack_limit_to_one_thread(void) {
#if !defined(__APPLE__)
  openblas_set_num_threads(1);
#endif
}

#if !defined(__APPLE__)
/// LAPACKE counts the storage order as its first argument; the callers here count as in Fortran.
static inline int clapack_info(lapack_int info) { return info < 0 ? info + 1 : info; }
#endif

/// Least squares or minimum norm by QR or LQ, assuming full rank. `trans` = 'N'.
static inline int clapack_dgels(int m, int n, int nrhs, double *a, int lda, double *b, int ldb,
                                double *work, int lwork) {
#if defined(__APPLE__)
  char trans = 'N';
  int info = 0;
  dgels_(&trans, &m, &n, &nrhs, a, &lda, b, &ldb, work, &lwork, &info);
  return info;
#else
  return clapack_info(
      LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', m, n, nrhs, a, lda, b, ldb, work, lwork));
#endif
}

/// Least squares or minimum norm by QR with column pivoting.
static inline int clapack_dgelsy(int m, int n, int nrhs, double *a, int lda, double *b, int ldb,
                                 int *jpvt, double rcond, int *rank, double *work, int lwork) {
#if defined(__APPLE__)
  int info = 0;
  dgelsy_(&m, &n, &nrhs, a, &lda, b, &ldb, jpvt, &rcond, rank, work, &lwork, &info);
  return info;
#else
  return clapack_info(LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, nrhs, a, lda, b, ldb, jpvt,
                                          rcond, rank, work, lwork));
#endif
}

/// Least squares or minimum norm by singular values, divide and conquer. A query also returns the
/// size of `iwork` in `iwork[0]`.
static inline int clapack_dgelsd(int m, int n, int nrhs, double *a, int lda, double *b, int ldb,
                                 double *s, double rcond, int *rank, double *work, int lwork,
                                 int *iwork) {
#if defined(__APPLE__)
  int info = 0;
  dgelsd_(&m, &n, &nrhs, a, &lda, b, &ldb, s, &rcond, rank, work, &lwork, iwork, &info);
  return info;
#else
  return clapack_info(LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, nrhs, a, lda, b, ldb, s, rcond,
                                          rank, work, lwork, iwork));
#endif
}

/// Singular values and, optionally, left and right singular vectors.
static inline int clapack_dgesvd(clapack_vectors vectors, int m, int n, double *a, int lda,
                                 double *s, double *u, int ldu, double *vt, int ldvt, double *work,
                                 int lwork) {
  char job = (char)vectors;
#if defined(__APPLE__)
  int info = 0;
  dgesvd_(&job, &job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, &info);
  return info;
#else
  return clapack_info(LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job, job, m, n, a, lda, s, u, ldu, vt,
                                          ldvt, work, lwork));
#endif
}

/// Cholesky factor of a dense matrix. `uplo` = 'L'.
static inline int clapack_dpotrf(int n, double *a, int lda) {
#if defined(__APPLE__)
  char uplo = 'L';
  int info = 0;
  dpotrf_(&uplo, &n, a, &lda, &info);
  return info;
#else
  return clapack_info(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, lda));
#endif
}

/// Solves with the factor of `clapack_dpotrf`. `uplo` = 'L'.
static inline int clapack_dpotrs(int n, int nrhs, const double *a, int lda, double *b, int ldb) {
#if defined(__APPLE__)
  char uplo = 'L';
  int info = 0;
  dpotrs_(&uplo, &n, &nrhs, (double *)a, &lda, b, &ldb, &info);
  return info;
#else
  return clapack_info(LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, nrhs, a, lda, b, ldb));
#endif
}

/// Reciprocal condition number from the factor of `clapack_dpotrf`; `work` has 3 n elements,
/// `iwork` n. `uplo` = 'L'.
static inline int clapack_dpocon(int n, const double *a, int lda, double anorm, double *rcond,
                                 double *work, int *iwork) {
#if defined(__APPLE__)
  char uplo = 'L';
  int info = 0;
  dpocon_(&uplo, &n, (double *)a, &lda, &anorm, rcond, work, iwork, &info);
  return info;
#else
  return clapack_info(
      LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'L', n, a, lda, anorm, rcond, work, iwork));
#endif
}

/// Reciprocal condition number of a triangular matrix in the 1-norm; `work` has 3 n elements,
/// `iwork` n. `norm` = '1', `diag` = 'N'.
static inline int clapack_dtrcon(clapack_triangle triangle, int n, const double *a, int lda,
                                 double *rcond, double *work, int *iwork) {
  char uplo = (char)triangle;
#if defined(__APPLE__)
  char norm = '1';
  char diag = 'N';
  int info = 0;
  dtrcon_(&norm, &uplo, &diag, &n, (double *)a, &lda, rcond, work, iwork, &info);
  return info;
#else
  return clapack_info(
      LAPACKE_dtrcon_work(LAPACK_COL_MAJOR, '1', uplo, 'N', n, a, lda, rcond, work, iwork));
#endif
}

/// Eigenvalues and eigenvectors of a symmetric matrix. `jobz` = 'V', `uplo` = 'L'.
static inline int clapack_dsyev(int n, double *a, int lda, double *w, double *work, int lwork) {
#if defined(__APPLE__)
  char jobz = 'V';
  char uplo = 'L';
  int info = 0;
  dsyev_(&jobz, &uplo, &n, a, &lda, w, work, &lwork, &info);
  return info;
#else
  return clapack_info(LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, lda, w, work, lwork));
#endif
}

/// Eigenvalues and, when `vectors` is not 0, right eigenvectors of a general matrix. `jobvl` = 'N'.
static inline int clapack_dgeev(int vectors, int n, double *a, int lda, double *wr, double *wi,
                                double *vr, int ldvr, double *work, int lwork) {
  char jobvr = vectors ? 'V' : 'N';
  // Left eigenvectors are never computed, but their leading dimension must be positive.
  double unused = 0;
#if defined(__APPLE__)
  char jobvl = 'N';
  int ldvl = 1;
  int info = 0;
  dgeev_(&jobvl, &jobvr, &n, a, &lda, wr, wi, &unused, &ldvl, vr, &ldvr, work, &lwork, &info);
  return info;
#else
  return clapack_info(LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', jobvr, n, a, lda, wr, wi, &unused,
                                         1, vr, ldvr, work, lwork));
#endif
}

#endif
