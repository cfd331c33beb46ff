import CLAPACK

/// The singular value decomposition A = U S Vᵀ of a matrix of run-time size.
///
/// LAPACK's dgesvd, implicit QR iteration [Golub & Van Loan 2013, Sec. 8.6].
public struct SingularValueDecomposition: Sendable {
  /// The number of singular vectors to compute.
  public enum Vectors: Sendable, Hashable {
    /// As many left and right singular vectors as there are singular values.
    case thin
    /// All singular vectors: both factors are square and orthogonal.
    case full
  }

  /// The singular values, not negative, in descending order; their number is min(rows, columns).
  public let singularValues: [Double]
  /// The left singular vectors, the columns of U.
  public let left: DenseMatrix
  /// The right singular vectors, the rows of Vᵀ.
  public let rightTransposed: DenseMatrix

  /// Decomposes `matrix`.
  ///
  /// The signs of the vectors are arbitrary, but consistent within each pair.
  ///
  /// ## Edge cases
  /// A matrix without rows or columns has no singular values, and its full vectors are identities.
  ///
  /// ## Cost
  /// About 20 x rows x columns² operations for thin vectors of a tall matrix; allocates the
  /// vectors, a copy of the matrix and workspace.
  ///
  /// - Throws: `tooLarge`; `notFinite` for a NaN or infinite element; `noConvergence`; `overflow`
  ///   when a singular value exceeds the range of `Double`.
  public init(
    _ matrix: DenseMatrix, vectors: Vectors = .thin
  ) throws(LinearAlgebraError) {
    // Checked before allocating the vectors, which can be as large as the square of a dimension.
    for dimension in [matrix.rows, matrix.columns] { _ = try lapackInteger(dimension) }
    let count = min(matrix.rows, matrix.columns)
    var left: DenseMatrix
    var right: DenseMatrix
    switch vectors {
    case .thin:
      left = DenseMatrix(rows: matrix.rows, columns: count)
      right = DenseMatrix(rows: count, columns: matrix.columns)
    case .full:
      left = .identity(matrix.rows)
      right = .identity(matrix.columns)
    }
    singularValues = try Self.decompose(
      matrix, vectors == .thin ? clapack_thin_vectors : clapack_all_vectors, &left, &right)
    self.left = left
    rightTransposed = right
  }

  /// Returns only the singular values of `matrix`, in descending order, at about a quarter of the
  /// cost.
  ///
  /// - Throws: The errors of ``init(_:vectors:)``.
  public static func singularValues(
    of matrix: DenseMatrix
  ) throws(LinearAlgebraError) -> [Double] {
    // LAPACK requires storage for the vectors even when it does not compute them.
    var left = DenseMatrix(rows: 1, columns: 1)
    var right = left
    return try decompose(matrix, clapack_no_vectors, &left, &right)
  }

  /// The ratio of the largest singular value to the smallest: infinite for a rank-deficient matrix,
  /// 1 for one without rows or columns.
  public var conditionNumber: Double {
    guard let greatest = singularValues.first, let least = singularValues.last else { return 1 }
    return least > 0 ? greatest / least : .infinity
  }

  /// Returns the number of singular values above `relativeCutoff` (not negative) times the largest.
  public func rank(relativeCutoff: Double) -> Int {
    precondition(relativeCutoff >= 0, "a relative cut-off is not negative")
    guard let greatest = singularValues.first else { return 0 }
    return singularValues.count { $0 > relativeCutoff * greatest }
  }

  private static func decompose(
    _ matrix: DenseMatrix, _ vectors: clapack_vectors, _ left: inout DenseMatrix,
    _ right: inout DenseMatrix
  ) throws(LinearAlgebraError) -> [Double] {
    let rows = try lapackInteger(matrix.rows)
    let columns = try lapackInteger(matrix.columns)
    try matrix.requireFinite()
    var values = [Double](repeating: 0, count: min(matrix.rows, matrix.columns))
    // LAPACK does not set the vectors of an empty matrix.
    if values.isEmpty { return values }
    var elements = matrix.elements
    let strides = (left: Int32(left.rows), right: Int32(right.rows))
    let unsettled = try withLAPACKWorkspace { work, size in
      clapack_dgesvd(
        vectors, rows, columns, &elements, rows, &values, &left.elements, strides.left,
        &right.elements, strides.right, &work, size)
    }
    if unsettled > 0 { throw .noConvergence(count: unsettled) }
    guard values.allSatisfy({ $0.isFinite }) else { throw .overflow }
    return values
  }
}
