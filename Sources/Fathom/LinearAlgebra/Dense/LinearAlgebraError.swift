/// Why a dense problem has no answer.
public enum LinearAlgebraError: Error, Sendable, Hashable {
  /// An operand of a routine, as its parameters name it.
  public enum Operand: Sendable, Hashable {
    /// The matrix that is factored.
    case matrix
    /// The right-hand sides, one per column.
    case rightHandSides
  }

  /// A number of rows or columns is `found` where the other operand asks for `expected`.
  case dimensionMismatch(expected: Int, found: Int)
  /// A dimension exceeds what LAPACK's 32-bit integers hold, or asks for more work space than they
  /// can express (then `dimension` is the size of the work space).
  case tooLarge(dimension: Int)
  /// An element of an operand is NaN or infinite.
  case notFinite(Operand, row: Int, column: Int)
  /// There are fewer equations than unknowns, so that the solution is not unique.
  case underdetermined(rows: Int, columns: Int)
  /// The matrix has numerical rank `rank` where `required` is needed; `conditionNumber` is that of
  /// the matrix whose rank was judged, infinite where it is exactly singular.
  case rankDeficient(rank: Int, required: Int, conditionNumber: Double)
  /// The leading minor of this order, counted from 1, is not positive, or the matrix is so close to
  /// that that rounding decides.
  case notPositiveDefinite(order: Int)
  /// An iteration for eigenvalues or singular values ended with this many of its off-diagonal
  /// elements, or values, not settled.
  case noConvergence(count: Int)
  /// An element of the answer exceeds the range of `Double`.
  case overflow
  /// LAPACK refused the argument with this index, counted from 1: a defect of Fathom.
  case illegalArgument(index: Int)
}
