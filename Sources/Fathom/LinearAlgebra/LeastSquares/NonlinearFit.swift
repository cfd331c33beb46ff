/// The result of a nonlinear least-squares iteration, with its statistics.
public struct NonlinearFit: Sendable, Equatable {
  /// The reason why an iteration ended.
  public enum Outcome: Sendable, Hashable, CaseIterable {
    /// The iteration reached a minimum, to rounding precision.
    case converged
    /// The derivatives of the residuals are linearly dependent at the end: at least one combination
    /// of coefficients is undetermined, often because the iteration diverged.
    case undetermined
    /// No step that changes the coefficients reduces the residuals, although their derivatives
    /// predict a reduction: usually an incorrect Jacobian.
    case stalled
    /// The maximum number of evaluations was reached.
    case evaluationLimit
  }

  /// The coefficients; reliable only when ``outcome`` is `converged`.
  public let coefficients: [Double]
  /// The residuals there.
  public let residuals: [Double]
  /// The sum of their squares.
  public let residualSumOfSquares: Double
  /// (JᵀJ)⁻¹: the covariance of the coefficients for residuals of variance 1; nil when not all
  /// coefficients are determined.
  public let cofactor: DenseMatrix?
  /// Singular values of the Jacobian with its columns scaled to length 1, in descending order: how
  /// well the combinations of coefficients are determined.
  public let singularValues: [Double]
  /// The reason why the iteration ended.
  public let outcome: Outcome
  /// The number of accepted steps.
  public let iterations: Int
  /// The number of evaluations of the residuals.
  public let evaluations: Int

  /// The covariance of the coefficients, with the residual variance estimated from the residuals;
  /// nil without a ``cofactor`` or without redundancy.
  public var covariance: DenseMatrix? {
    guard let cofactor, residuals.count > coefficients.count else { return nil }
    let variance = residualSumOfSquares / Double(residuals.count - coefficients.count)
    return DenseMatrix(
      rows: cofactor.rows, columns: cofactor.columns,
      columnMajor: cofactor.columnMajor.map { variance * $0 })
  }

  /// Evaluates the end of an iteration by the Jacobian there.
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
    // The number of digits that a Jacobian can lose before rounding dominates a direction.
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
