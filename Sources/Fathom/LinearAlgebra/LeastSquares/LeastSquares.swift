/// How a least-squares problem is factored.
public enum LeastSquaresDriver: Sendable, Hashable, CaseIterable {
  /// Householder QR without pivoting (LAPACK's dgels): the fastest, for matrices of full rank.
  case qr
  /// QR with column pivoting (dgelsy): the default; nearly as fast, and it can drop directions.
  case pivotedQR
  /// Singular value decomposition by divide and conquer (dgelsd): the surest verdict about the
  /// rank, at several times the cost and without refinement.
  case singularValues
}

/// What happens where the columns of a matrix do not determine the solution.
public enum RankPolicy: Sendable, Hashable {
  /// The columns must be linearly independent to working precision; otherwise an error is thrown.
  ///
  /// The columns are scaled to similar lengths first, by powers of two, which is free of rounding.
  /// The verdict therefore does not depend on the units of the columns. Its limit is a condition
  /// number of 2⁵²/16 or, above 16 columns, 2⁵² divided by their number: beyond, rounding errors
  /// are as large as the smallest singular value.
  case full
  /// Of all solutions the one with the least Euclidean length, rank deficient and underdetermined
  /// matrices included.
  ///
  /// Directions whose singular value (or its estimate) is at most `relativeCutoff` times the
  /// largest are dropped, so coefficients can be shrunk or set to zero without further notice than
  /// the rank of the solution. `relativeCutoff` lies in `0..<1`; 1e-12 or so is usual, and anything
  /// below 2⁻⁵², the precision of a `Double`, counts as that. The matrix is taken as it is, since
  /// the least length depends on the units.
  case minimumNorm(relativeCutoff: Double)
}

/// The answer to a least-squares problem, for all right-hand sides.
public struct LeastSquaresSolution: Sendable, Equatable {
  /// The coefficients: one row per column of the matrix, one column per right-hand side.
  public let coefficients: DenseMatrix
  /// The numerical rank of the matrix.
  public let rank: Int
  /// How much the matrix can enlarge relative errors, at least 1.
  ///
  /// With ``RankPolicy/full`` that of the matrix after its columns were scaled to similar lengths,
  /// with ``RankPolicy/minimumNorm(relativeCutoff:)`` that of the part of rank ``rank`` that was
  /// kept. QR drivers estimate it in the 1-norm, which is within a factor of the number of columns
  /// of the ratio of the extreme singular values that ``LeastSquaresDriver/singularValues`` gives.
  /// 1 where the rank is 0.
  public let conditionNumber: Double
  /// The sum of squares of b - A x for each right-hand side, from the residuals themselves.
  ///
  /// Infinite where it exceeds the range of `Double`.
  public let residualSumsOfSquares: [Double]
  /// The singular values in descending order where the driver has them: of the matrix as its
  /// ``conditionNumber`` is defined, before anything was dropped.
  public let singularValues: [Double]?
}

/// Minimises the Euclidean length of b - A x for every column b of `rightHandSides`.
///
/// Householder methods on A itself [Anderson et al. 1999, Sec. 2.3.2]; the normal equations, which
/// would lose twice the digits, are never formed. With ``RankPolicy/full`` and a condition number
/// of at most 1e6, the QR drivers refine their solution until it is right to nearly the last digit
/// [Björck 1987]; it then hardly depends on the driver or on the order in which BLAS adds.
///
/// - Parameters:
///   - matrix: the matrix A, one row per equation and one column per unknown.
///   - rightHandSides: one problem per column, as many rows as `matrix`.
///   - driver: the factorisation, see ``LeastSquaresDriver``.
///   - policy: what to do where the solution is not unique, see ``RankPolicy``.
/// - Returns: coefficients, rank, condition number and residuals.
/// - Throws: `dimensionMismatch` where the numbers of rows differ; `tooLarge`; `notFinite` for a
/// NaN
///   or infinite element; under ``RankPolicy/full`` `underdetermined` where there are fewer rows
///   than columns and `rankDeficient` where the columns are dependent; `rankDeficient` also from
///   ``LeastSquaresDriver/qr`` under ``RankPolicy/minimumNorm(relativeCutoff:)``, since it cannot
///   drop directions; `noConvergence` from ``LeastSquaresDriver/singularValues``; `overflow` where
///   a coefficient or residual is too large for a `Double`.
///
/// ## Edge cases
/// Without columns there is nothing to fit: rank 0 and the residuals are the right-hand sides.
/// Without right-hand sides the matrix is still judged, and the solution has no columns. Without
/// rows the minimum-norm solution is zero.
///
/// ## Cost
/// About 2 x rows x columns² operations for the QR drivers, and 40 x rows x columns per right-hand
/// side and step of the refinement, normally one. Allocates copies of both operands, work space,
/// and a few columns per right-hand side.
public func leastSquares(
  _ matrix: DenseMatrix, _ rightHandSides: DenseMatrix,
  using driver: LeastSquaresDriver = .pivotedQR, rank policy: RankPolicy = .full
) throws(LinearAlgebraError) -> LeastSquaresSolution {
  guard matrix.rows == rightHandSides.rows else {
    throw .dimensionMismatch(expected: matrix.rows, found: rightHandSides.rows)
  }
  _ = try lapackInteger(matrix.rows)
  _ = try lapackInteger(matrix.columns)
  _ = try lapackInteger(rightHandSides.columns)
  try matrix.requireFinite()
  try rightHandSides.requireFinite(as: .rightHandSides)
  if case .full = policy, matrix.rows < matrix.columns {
    throw .underdetermined(rows: matrix.rows, columns: matrix.columns)
  }

  var problem = LeastSquaresProblem(matrix, rightHandSides)
  let verdict: LeastSquaresProblem.Verdict
  switch policy {
  case .full:
    verdict = try problem.solveWithFullRank(driver)
  case .minimumNorm(let cutoff):
    precondition(cutoff >= 0 && cutoff < 1, "a relative cut-off lies between 0 and 1")
    verdict = try problem.solveWithMinimumNorm(
      driver, relativeCutoff: max(cutoff, Double.ulpOfOne))
  }
  let coefficients = problem.coefficients(count: rightHandSides.columns)
  guard coefficients.isFinite else { throw .overflow }
  let sums = residualSumsOfSquares(matrix, coefficients, rightHandSides)
  guard sums.allSatisfy({ !$0.isNaN }) else { throw .overflow }
  return LeastSquaresSolution(
    coefficients: coefficients, rank: verdict.rank, conditionNumber: verdict.conditionNumber,
    residualSumsOfSquares: sums, singularValues: verdict.singularValues)
}

/// The sum of squares of every column of b - A x.
private func residualSumsOfSquares(
  _ matrix: DenseMatrix, _ coefficients: DenseMatrix, _ rightHandSides: DenseMatrix
) -> [Double] {
  let rows = matrix.rows
  return withUnsafeTemporaryAllocation(of: Double.self, capacity: max(1, rows)) { residual in
    rightHandSides.elements.withUnsafeBufferPointer { side in
      matrix.elements.withUnsafeBufferPointer { element in
        (0..<rightHandSides.columns).map { index in
          for row in 0..<rows { residual[row] = side[row + rows * index] }
          for column in 0..<matrix.columns {
            let coefficient = coefficients[column, index]
            for row in 0..<rows { residual[row] -= element[row + rows * column] * coefficient }
          }
          var sum = 0.0
          for row in 0..<rows { sum += residual[row] * residual[row] }
          return sum
        }
      }
    }
  }
}
