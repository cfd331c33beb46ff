import CLAPACK

/// The eigenvalues and orthonormal eigenvectors of a symmetric matrix of run-time size.
///
/// LAPACK's dsyev, tridiagonal reduction and implicit QL or QR [Golub & Van Loan 2013, Sec. 8.3].
public struct SymmetricEigendecomposition: Sendable {
  /// The eigenvalues in ascending order.
  public let eigenvalues: [Double]
  /// The eigenvectors, of length 1 and at right angles, one column per eigenvalue.
  public let eigenvectors: DenseMatrix

  /// Decomposes `matrix`, of which only the lower triangle is read.
  ///
  /// The signs of the vectors are arbitrary; of a repeated eigenvalue only the space that its
  /// vectors span is determined. About 9 x order³ operations; allocates the vectors and work space.
  ///
  /// - Throws: `dimensionMismatch` where the matrix is not square; `tooLarge`; `notFinite` for a NaN
  ///   or infinite element of the lower triangle; `noConvergence`; `overflow` where an eigenvalue
  ///   exceeds the range of `Double`.
  public init(_ matrix: DenseMatrix) throws(LinearAlgebraError) {
    try matrix.requireSquare()
    let order = matrix.rows
    let count = try lapackInteger(order)
    var lower = DenseMatrix(rows: order, columns: order)
    for column in 0..<order {
      for row in column..<order {
        let element = matrix[row, column]
        guard element.isFinite else { throw .notFinite(.matrix, row: row, column: column) }
        lower[row, column] = element
      }
    }
    var values = [Double](repeating: 0, count: order)
    let unsettled = try withLAPACKWorkspace { work, size in
      clapack_dsyev(count, &lower.elements, max(1, count), &values, &work, size)
    }
    if unsettled > 0 { throw .noConvergence(count: unsettled) }
    guard values.allSatisfy({ $0.isFinite }) else { throw .overflow }
    eigenvalues = values
    eigenvectors = lower
  }
}
