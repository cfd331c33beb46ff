import CLAPACK

/// A workspace for many least-squares problems of one small shape, each with one right-hand side.
///
/// For solvers that run thousands of times: a call costs hardly more than LAPACK's dgels itself.
/// Unlike ``leastSquares(_:_:using:rank:)`` it does not scale the columns, refine the solution or
/// compute condition number and residuals. A solution has the accuracy of Householder QR, and the
/// rank is judged by the diagonal of the factor alone.
///
/// ## Example
/// ```swift
/// var workspace = try LeastSquaresWorkspace(rows: 7, columns: 3)
/// try workspace.solve(matrix, ranges)
/// let x = workspace[0]
/// ```
public struct LeastSquaresWorkspace: Sendable {
  /// The number of equations.
  public let rows: Int
  /// The number of unknowns, no more than ``rows``.
  public let columns: Int
  /// The operands that LAPACK overwrites: the matrix, and the right-hand side, whose head becomes
  /// the solution.
  private var matrix: [Double]
  private var side: [Double]
  private var work: [Double]

  /// Creates a workspace for matrices of one shape.
  ///
  /// - Parameters:
  ///   - rows: The number of equations, at least `columns`.
  ///   - columns: The number of unknowns, positive.
  /// - Throws: `underdetermined` for fewer rows than columns, `tooLarge` for dimensions beyond 32
  ///   bits.
  public init(rows: Int, columns: Int) throws(LinearAlgebraError) {
    guard rows >= columns, columns > 0 else {
      throw .underdetermined(rows: rows, columns: columns)
    }
    _ = try lapackInteger(rows)
    self.rows = rows
    self.columns = columns
    matrix = [Double](repeating: 0, count: rows * columns)
    side = [Double](repeating: 0, count: rows)
    work = [Double](
      repeating: 0, count: Int(try lapackInteger(columns + LAPACKBlock.length * columns)))
  }

  /// Minimises the length of b - A x; read the solution with ``subscript(_:)``.
  ///
  /// - Parameters:
  ///   - matrix: The matrix A, of the shape of this workspace.
  ///   - rightHandSide: b, one number per row.
  /// - Throws: `dimensionMismatch` for another shape; `notFinite` for a NaN or infinite element;
  ///   `rankDeficient` when a diagonal element of the triangular factor is at most 16 rounding
  ///   units of the largest; its condition number is the ratio of the two. After an error the
  ///   subscript is undefined.
  ///
  /// ## Cost
  /// One call of dgels and a copy of the operands; does not allocate.
  public mutating func solve(
    _ matrix: DenseMatrix, _ rightHandSide: [Double]
  ) throws(LinearAlgebraError) {
    guard matrix.rows == rows, matrix.columns == columns else {
      throw .dimensionMismatch(
        expected: matrix.rows == rows ? columns : rows,
        found: matrix.rows == rows ? matrix.columns : matrix.rows)
    }
    guard rightHandSide.count == rows else {
      throw .dimensionMismatch(expected: rows, found: rightHandSide.count)
    }
    guard Self.copy(matrix.elements, to: &self.matrix), Self.copy(rightHandSide, to: &side) else {
      try matrix.requireFinite()
      try DenseMatrix(column: rightHandSide).requireFinite(as: .rightHandSides)
      return
    }
    let (m, n) = (Int32(rows), Int32(columns))
    // A zero on the diagonal is detected below.
    try checkArguments(
      clapack_dgels(m, n, 1, &self.matrix, m, &side, m, &work, Int32(work.count)))
    var (least, greatest) = (Double.infinity, 0.0)
    for column in 0..<columns {
      let pivot = self.matrix[column + rows * column].magnitude
      (least, greatest) = (min(least, pivot), max(greatest, pivot))
    }
    guard least > 16 * Double.ulpOfOne * greatest else {
      throw .rankDeficient(
        rank: columns - 1, required: columns, conditionNumber: greatest / least)
    }
  }

  /// The coefficient of the column at `index` in the last solution.
  public subscript(index: Int) -> Double {
    precondition(index >= 0 && index < columns, "no such coefficient")
    return side[index]
  }

  /// Copies `source` to `target` and returns whether all numbers are finite.
  private static func copy(_ source: [Double], to target: inout [Double]) -> Bool {
    var sum = 0.0
    target.withUnsafeMutableBufferPointer { target in
      source.withUnsafeBufferPointer { source in
        precondition(source.count == target.count)
        for index in 0..<source.count {
          target[index] = source[index]
          // Zero times a non-finite number is NaN.
          sum += 0 * source[index]
        }
      }
    }
    return sum == 0
  }
}
