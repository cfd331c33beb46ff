/// The factorisation that solves a least-squares problem.
public enum LeastSquaresDriver: Sendable, Hashable, CaseIterable {
  /// Householder QR without pivoting (LAPACK's dgels): the fastest, for matrices of full rank.
  case qr
  /// QR with column pivoting (dgelsy), the default: nearly as fast, and handles rank deficiency.
  case pivotedQR
  /// Singular value decomposition by divide and conquer (dgelsd): the most reliable rank, at
  /// several times the cost and without refinement.
  case singularValues
}

/// The handling of matrices whose columns do not determine the solution.
public enum RankPolicy: Sendable, Hashable {
  /// Requires the columns to be linearly independent to working precision, and throws an error
  /// otherwise.
  ///
  /// The columns are first scaled to similar lengths by powers of two, which causes no rounding.
  /// The rank therefore does not depend on the units of the columns. The limit is a condition
  /// number of 2⁵²/16 or, above 16 columns, 2⁵² divided by their number. Beyond it, rounding errors
  /// are as large as the smallest singular value.
  case full
  /// Returns the solution of least Euclidean length, also for rank-deficient and underdetermined
  /// matrices.
  ///
  /// Directions whose singular value (or its estimate) is at most `relativeCutoff` times the
  /// largest are dropped. Coefficients can therefore shrink or become zero, which only the rank of
  /// the solution indicates. `relativeCutoff` lies in `0..<1`; 1e-12 is usual, and values below
  /// 2⁻⁵², the precision of a `Double`, count as 2⁻⁵². The matrix is not scaled, because the least
  /// length depends on the units.
  case minimumNorm(relativeCutoff: Double)
}

/// The solution of a least-squares problem for all right-hand sides.
public struct LeastSquaresSolution: Sendable, Equatable {
  /// The coefficients: one row per column of the matrix, one column per right-hand side.
  public let coefficients: DenseMatrix
  /// The numerical rank of the matrix.
  public let rank: Int
  /// The factor by which the matrix can amplify relative errors, at least 1.
  ///
  /// With ``RankPolicy/full`` it is that of the matrix after its columns were scaled to similar
  /// lengths. With ``RankPolicy/minimumNorm(relativeCutoff:)`` it is that of the retained part of
  /// rank ``rank``. The QR drivers estimate it in the 1-norm. The estimate is within a factor of
  /// the number of columns of the ratio of the extreme singular values, which
  /// ``LeastSquaresDriver/singularValues`` returns. 1 when the rank is 0.
  public let conditionNumber: Double
  /// The sum of squares of b - A x for each right-hand side, computed from the residuals.
  ///
  /// Infinite when it exceeds the range of `Double`.
  public let residualSumsOfSquares: [Double]
  /// The singular values in descending order, before any direction was dropped, of the matrix to
  /// which ``conditionNumber`` refers; nil for the QR drivers.
  public let singularValues: [Double]?
}

/// Minimises the Euclidean length of b - A x for every column b of `rightHandSides`.
///
/// Uses Householder methods on A itself [Anderson et al. 1999, Sec. 2.3.2]. It never forms the
/// normal equations, which would lose twice the digits. With ``RankPolicy/full`` and a condition
/// number of at most 1e6, the QR drivers refine their solution almost to the last digit [Björck
/// 1987]. The result then hardly depends on the driver or on the summation order of BLAS.
///
/// - Parameters:
///   - matrix: The matrix A, one row per equation and one column per unknown.
///   - rightHandSides: One problem per column, with as many rows as `matrix`.
///   - driver: The factorisation, see ``LeastSquaresDriver``.
///   - policy: The handling of non-unique solutions, see ``RankPolicy``.
/// - Returns: The coefficients, rank, condition number and residuals.
/// - Throws: `dimensionMismatch` when the numbers of rows differ; `tooLarge`; `notFinite` for a NaN
///   or infinite element; under ``RankPolicy/full`` `underdetermined` for fewer rows than columns
///   and `rankDeficient` for dependent columns; `rankDeficient` also from ``LeastSquaresDriver/qr``
///   under ``RankPolicy/minimumNorm(relativeCutoff:)``, because it cannot drop directions;
///   `noConvergence` from ``LeastSquaresDriver/singularValues``; `overflow` when a coefficient or
///   residual exceeds the range of `Double`.
///
/// ## Edge cases
/// Without columns the rank is 0 and the residuals are the right-hand sides. Without right-hand
/// sides the rank is still determined, and the solution has no columns. Without rows the
/// minimum-norm solution is zero.
///
/// ## Cost
/// About 2 x rows x columns² operations for the QR drivers, and 40 x rows x columns per right-hand
/// side and refinement step, normally one. Allocates copies of both operands, workspace, and a few
/// columns per right-hand side.
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

/// Returns the sum of squares of every column of b - A x.
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
