/// Where a nonlinear least-squares iteration ended, and what the data say about it.
public struct NonlinearFit: Sendable, Equatable {
  /// Why an iteration ended.
  public enum Outcome: Sendable, Hashable, CaseIterable {
    /// At a minimum, to the precision that rounding allows.
    case converged
    /// Where the derivatives of the residuals are linearly dependent: at least one combination of
    /// coefficients is not determined there, often because the iteration ran away.
    case undetermined
    /// The residuals do not fall along any step that is long enough to change the coefficients,
    /// although their derivatives say so: mostly a wrong Jacobian.
    case stalled
    /// The largest number of evaluations was reached on the way.
    case evaluationLimit
  }

  /// The coefficients; to be trusted only where ``outcome`` is `converged`.
  public let coefficients: [Double]
  /// The residuals there.
  public let residuals: [Double]
  /// The sum of their squares.
  public let residualSumOfSquares: Double
  /// (JᵀJ)⁻¹: the covariance of the coefficients where the residuals have variance 1; nil where not
  /// all coefficients are determined.
  public let cofactor: DenseMatrix?
  /// Singular values of the Jacobian with its columns scaled to length 1: how well the combinations
  /// of coefficients are determined, best first.
  public let singularValues: [Double]
  /// Why the iteration ended.
  public let outcome: Outcome
  /// Steps taken.
  public let iterations: Int
  /// How many times the residuals were computed.
  public let evaluations: Int

  /// The covariance of the coefficients, with the variance of the residuals estimated from the
  /// residuals themselves; nil where ``cofactor`` is or where there are no more residuals than
  /// coefficients.
  public var covariance: DenseMatrix? {
    guard let cofactor, residuals.count > coefficients.count else { return nil }
    let variance = residualSumOfSquares / Double(residuals.count - coefficients.count)
    return DenseMatrix(
      rows: cofactor.rows, columns: cofactor.columns,
      columnMajor: cofactor.columnMajor.map { variance * $0 })
  }

  /// Judges the end of an iteration by the Jacobian there.
  init(
    _ state: LeastSquaresIteration, outcome: Outcome, jacobian: DenseMatrix
  ) throws(LinearAlgebraError) {
    coefficients = state.coefficients
    residuals = state.residuals
    residualSumOfSquares = state.sum
    iterations = state.iterations
    evaluations = state.evaluations
    let lengths = LeastSquaresIteration.columnLengths(jacobian)
    let scales = lengths.map { $0 > 0 ? $0 : 1 }
    let decomposition = try SingularValueDecomposition(jacobian.dividingColumns(by: scales))
    singularValues = decomposition.singularValues
    let greatest = singularValues.first ?? 1
    // As many digits as a Jacobian can lose before rounding makes up what is left of a direction.
    let isDetermined =
      !state.hasNullDirection && lengths.allSatisfy { $0 > 0 }
      && singularValues.allSatisfy { $0 > 1e-13 * greatest }
    guard isDetermined else {
      cofactor = nil
      self.outcome = .undetermined
      return
    }
    self.outcome = outcome
    let right = decomposition.rightTransposed
    var inverse = DenseMatrix(rows: scales.count, columns: scales.count)
    for column in 0..<scales.count {
      for row in 0..<scales.count {
        var sum = 0.0
        for (index, value) in singularValues.enumerated() {
          sum += (right[index, row] / value) * (right[index, column] / value)
        }
        inverse[row, column] = sum / scales[row] / scales[column]
      }
    }
    cofactor = inverse.isFinite ? inverse : nil
  }
}
