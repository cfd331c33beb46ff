import CLAPACK
import RealModule

/// The Cholesky factorisation A = L Lᵀ of a symmetric positive definite matrix of run-time size.
///
/// LAPACK's dpotrf [Golub & Van Loan 2013, Sec. 4.2]. One factorisation serves any number of
/// right-hand sides. For orders up to about 12 that are known at compile time, ``Cholesky``
/// allocates nothing.
public struct DenseCholesky: Sendable {
  /// The factor L; zero above the diagonal.
  public let factor: DenseMatrix
  /// An estimate of the reciprocal condition number in the 1-norm: near 1 for a well-conditioned
  /// matrix, near 2⁻⁵² for one whose solutions have no correct digit.
  ///
  /// From LAPACK's dpocon; rarely off by more than a factor of 3. 1 for the matrix of order 0.
  public let reciprocalConditionNumber: Double

  /// Factors `matrix`, of which only the lower triangle is read.
  ///
  /// Order³/3 operations; allocates the factor and workspace for the condition number.
  ///
  /// - Throws: `dimensionMismatch` when the matrix is not square; `tooLarge`; `notFinite` for a NaN
  ///   or infinite element of the lower triangle; `notPositiveDefinite`.
  public init(_ matrix: DenseMatrix) throws(LinearAlgebraError) {
    try matrix.requireSquare()
    let order = matrix.rows
    let count = try lapackInteger(order)
    let stride = max(1, count)
    var lower = try matrix.lowerTriangle()
    var columnSums = [Double](repeating: 0, count: order)
    for column in 0..<order {
      for row in column..<order {
        let size = lower[row, column].magnitude
        columnSums[column] += size
        if row != column { columnSums[row] += size }
      }
    }
    let info = clapack_dpotrf(count, &lower.elements, stride)
    try checkArguments(info)
    if info > 0 { throw .notPositiveDefinite(order: Int(info)) }

    // LAPACK need not accept an infinite norm, which the sum of very large elements can be.
    let norm = min(columnSums.max() ?? 0, .greatestFiniteMagnitude)
    var reciprocal = 1.0
    var work = [Double](repeating: 0, count: 3 * order)
    var integers = [Int32](repeating: 0, count: order)
    try checkArguments(
      clapack_dpocon(
        count, lower.elements, stride, norm, &reciprocal, &work, &integers))
    factor = lower
    reciprocalConditionNumber = reciprocal
  }

  /// The order of the matrix.
  public var order: Int { factor.rows }

  /// The natural logarithm of the determinant of A; 0 for the matrix of order 0.
  ///
  /// The determinant itself exceeds the range of `Double` already for moderate orders.
  public var logarithmOfDeterminant: Double {
    var sum = 0.0
    for index in 0..<order { sum += Double.log(factor[index, index]) }
    return 2 * sum
  }

  /// Returns the solution of A X = B, one column per right-hand side.
  ///
  /// 2 x order² operations per right-hand side; allocates the result.
  ///
  /// - Throws: `dimensionMismatch` when the number of rows differs from the order; `tooLarge`;
  ///   `notFinite`; `overflow` when an element of the solution exceeds the range of `Double`.
  public func solve(_ rightHandSides: DenseMatrix) throws(LinearAlgebraError) -> DenseMatrix {
    guard rightHandSides.rows == order else {
      throw .dimensionMismatch(expected: order, found: rightHandSides.rows)
    }
    let sides = try lapackInteger(rightHandSides.columns)
    try rightHandSides.requireFinite(as: .rightHandSides)
    let count = try lapackInteger(order)
    var solution = rightHandSides
    try checkArguments(
      clapack_dpotrs(
        count, sides, factor.elements, max(1, count), &solution.elements, max(1, count)))
    guard solution.isFinite else { throw .overflow }
    return solution
  }
}

extension DenseMatrix {
  /// Returns the solution of A x = b for a symmetric matrix of a small order, both triangles of which
  /// are stored; nil if it is not positive definite or the solution is not finite.
  ///
  /// Without LAPACK, whose overhead would dominate up to about order 12. Allocates a copy and the
  /// result.
  func solution(of right: [Double]) -> [Double]? {
    var (factor, result) = (elements, right)
    let isPositive = factor.withUnsafeMutableBufferPointer { factor in
      result.withUnsafeMutableBufferPointer { result in
        guard let a = factor.baseAddress, let x = result.baseAddress else { return true }
        guard CholeskyLoops.factor(a, into: a, rows) else { return false }
        CholeskyLoops.forward(a, x, rows)
        CholeskyLoops.backward(a, x, rows)
        return true
      }
    }
    return isPositive && result.allSatisfy(\.isFinite) ? result : nil
  }
}
