/// The reason why a dense problem has no solution.
public enum LinearAlgebraError: Error, Sendable, Hashable {
  /// An operand of a routine, by the name of its parameter.
  public enum Operand: Sendable, Hashable {
    /// The matrix that is factored.
    case matrix
    /// The right-hand sides, one per column.
    case rightHandSides
  }

  /// The number of rows or columns is `found`, but the other operand requires `expected`.
  case dimensionMismatch(expected: Int, found: Int)
  /// A dimension or workspace size, `dimension`, exceeds the range of LAPACK's 32-bit integers.
  case tooLarge(dimension: Int)
  /// An element of an operand is NaN or infinite.
  case notFinite(Operand, row: Int, column: Int)
  /// There are fewer equations than unknowns, so the solution is not unique.
  case underdetermined(rows: Int, columns: Int)
  /// The matrix has numerical rank `rank`, but `required` is needed.
  ///
  /// `conditionNumber` is that of the matrix whose rank was determined, infinite when exactly
  /// singular.
  case rankDeficient(rank: Int, required: Int, conditionNumber: Double)
  /// The leading minor of this order, counted from 1, is not positive to within rounding.
  case notPositiveDefinite(order: Int)
  /// An iteration for eigenvalues or singular values left `count` off-diagonal elements or values
  /// unconverged.
  case noConvergence(count: Int)
  /// An element of the result exceeds the range of `Double`.
  case overflow
  /// LAPACK rejected the argument with this index, counted from 1: a defect of Fathom.
  case illegalArgument(index: Int)
}
