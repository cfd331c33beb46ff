import CLAPACK
import RealModule

/// The Cholesky factorisation A = L Lᵀ of a symmetric positive definite band matrix.
///
/// LAPACK's dpbtrf [Golub & Van Loan 2013, Sec. 4.3.5]. The factor has the band of the matrix, so
/// that order x bandwidth² operations factor it and 4 x order x bandwidth solve for one right-hand
/// side.
public struct BandedCholesky: Sendable {
  /// The factor L in the layout of ``SymmetricBandMatrix``.
  private let factor: SymmetricBandMatrix
  /// An estimate of the reciprocal of the condition number in the 1-norm, see
  /// ``DenseCholesky/reciprocalConditionNumber``; of LAPACK's dpbcon.
  public let reciprocalConditionNumber: Double

  /// Factors `matrix`; allocates the factor and work space for the condition number.
  ///
  /// - Throws: `tooLarge`; `notFinite` for a NaN or infinite element; `notPositiveDefinite`.
  public init(_ matrix: SymmetricBandMatrix) throws(LinearAlgebraError) {
    let order = matrix.order
    let count = try lapackInteger(order)
    // LAPACK counts the stored diagonals, one more than the bandwidth.
    let stride = try lapackInteger(matrix.bandwidth + 1)
    var columnSums = [Double](repeating: 0, count: order)
    for column in 0..<order {
      for row in column...min(order - 1, column + matrix.bandwidth) {
        let element = matrix[row, column]
        guard element.isFinite else { throw .notFinite(.matrix, row: row, column: column) }
        columnSums[column] += element.magnitude
        if row != column { columnSums[row] += element.magnitude }
      }
    }
    var lower = matrix
    let info = clapack_dpbtrf(count, stride - 1, &lower.elements, stride)
    try checkArguments(info)
    if info > 0 { throw .notPositiveDefinite(order: Int(info)) }

    // LAPACK need not accept an infinite norm, which sums of the greatest numbers can be.
    let norm = min(columnSums.max() ?? 0, .greatestFiniteMagnitude)
    var reciprocal = 1.0
    var work = [Double](repeating: 0, count: 3 * order)
    var integers = [Int32](repeating: 0, count: order)
    try checkArguments(
      clapack_dpbcon(
        count, stride - 1, lower.elements, stride, norm, &reciprocal, &work,
        &integers))
    factor = lower
    reciprocalConditionNumber = reciprocal
  }

  /// The order of the matrix.
  public var order: Int { factor.order }

  /// The natural logarithm of the determinant of A; 0 for the matrix of order 0.
  public var logarithmOfDeterminant: Double {
    var sum = 0.0
    for index in 0..<order { sum += Double.log(factor[index, index]) }
    return 2 * sum
  }

  /// The solution of A X = B, one column per right-hand side; allocates the result.
  ///
  /// - Throws: `dimensionMismatch` where the number of rows is not the order; `tooLarge`;
  ///   `notFinite`; `overflow` where an element of the solution exceeds the range of `Double`.
  public func solve(_ rightHandSides: DenseMatrix) throws(LinearAlgebraError) -> DenseMatrix {
    guard rightHandSides.rows == order else {
      throw .dimensionMismatch(expected: order, found: rightHandSides.rows)
    }
    let sides = try lapackInteger(rightHandSides.columns)
    try rightHandSides.requireFinite(as: .rightHandSides)
    let count = try lapackInteger(order)
    let stride = try lapackInteger(factor.bandwidth + 1)
    var solution = rightHandSides
    try checkArguments(
      clapack_dpbtrs(
        count, stride - 1, sides, factor.elements, stride, &solution.elements, max(1, count)))
    guard solution.isFinite else { throw .overflow }
    return solution
  }
}
