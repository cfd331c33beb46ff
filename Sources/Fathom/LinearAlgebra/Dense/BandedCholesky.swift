import CLAPACK
import RealModule

/// A symmetric matrix whose elements are zero more than `bandwidth` places from the diagonal.
///
/// Smoothing a whole track gives such matrices, because each instant is coupled to its neighbours
/// only. Memory and work grow linearly with the order instead of quadratically.
///
/// ## Layout
/// The elements are the lower band by columns, LAPACK's lower band storage. Element (row, column),
/// with column <= row <= column + bandwidth, is at `row - column + (bandwidth + 1) * column`. The
/// last `bandwidth` columns have unused entries at their end, which stay zero. For order 4 and
/// bandwidth 1:
///
///     a00 a10 | a11 a21 | a22 a32 | a33  0
public struct SymmetricBandMatrix: Sendable {
  /// The number of rows and of columns.
  public let order: Int
  /// The number of diagonals below the main one; 0 for a diagonal matrix.
  public let bandwidth: Int
  /// The elements in the layout described above.
  var elements: [Double]

  /// Creates a matrix of zeros.
  ///
  /// - Parameters:
  ///   - order: The number of rows and of columns, not negative.
  ///   - bandwidth: The number of diagonals below the main one, not negative; it may exceed the
  ///     order.
  public init(order: Int, bandwidth: Int) {
    precondition(order >= 0 && bandwidth >= 0, "order and bandwidth cannot be negative")
    self.order = order
    self.bandwidth = bandwidth
    elements = [Double](repeating: 0, count: (bandwidth + 1) * order)
  }

  /// The element in `row` and `column`, both in `0..<order`.
  ///
  /// Elements outside the band are zero; setting one is a programming error. Setting an element
  /// also sets its transpose.
  public subscript(row: Int, column: Int) -> Double {
    get {
      precondition(row >= 0 && row < order && column >= 0 && column < order, "no such element")
      return abs(row - column) <= bandwidth ? elements[offset(row, column)] : 0
    }
    set {
      precondition(row >= 0 && row < order && column >= 0 && column < order, "no such element")
      precondition(abs(row - column) <= bandwidth, "the element is outside the band")
      elements[offset(row, column)] = newValue
    }
  }

  private func offset(_ row: Int, _ column: Int) -> Int {
    abs(row - column) + (bandwidth + 1) * min(row, column)
  }

  /// Returns the same matrix in dense storage.
  public func dense() -> DenseMatrix {
    var result = DenseMatrix(rows: order, columns: order)
    for column in 0..<order {
      for row in column...min(order - 1, column + bandwidth) {
        result[row, column] = self[row, column]
        result[column, row] = self[row, column]
      }
    }
    return result
  }
}

extension SymmetricBandMatrix: Equatable {
  /// Returns whether order, bandwidth and elements are equal as numbers (so NaN equals nothing).
  public static func == (left: SymmetricBandMatrix, right: SymmetricBandMatrix) -> Bool {
    // `==` of arrays returns true for identical storage without comparing elements, even with NaN.
    left.order == right.order && left.bandwidth == right.bandwidth
      && left.elements.elementsEqual(right.elements)
  }
}

/// The Cholesky factorisation A = L Lᵀ of a symmetric positive definite band matrix.
///
/// LAPACK's dpbtrf [Golub & Van Loan 2013, Sec. 4.3.5]. The factor has the bandwidth of the matrix.
/// Factoring costs order x bandwidth² operations and solving for one right-hand side 4 x order x
/// bandwidth.
public struct BandedCholesky: Sendable {
  /// The factor L in the layout of ``SymmetricBandMatrix``.
  private let factor: SymmetricBandMatrix
  /// An estimate of the reciprocal condition number in the 1-norm from LAPACK's dpbcon; see
  /// ``DenseCholesky/reciprocalConditionNumber``.
  public let reciprocalConditionNumber: Double

  /// Factors `matrix`; allocates the factor and workspace for the condition number.
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

    // LAPACK need not accept an infinite norm, which the sum of very large elements can be.
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

  /// Returns the solution of A X = B, one column per right-hand side; allocates the result.
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
    let stride = try lapackInteger(factor.bandwidth + 1)
    var solution = rightHandSides
    try checkArguments(
      clapack_dpbtrs(
        count, stride - 1, sides, factor.elements, stride, &solution.elements, max(1, count)))
    guard solution.isFinite else { throw .overflow }
    return solution
  }
}
