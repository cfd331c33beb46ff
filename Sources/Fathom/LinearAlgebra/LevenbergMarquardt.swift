/// Nonlinear least squares: the coefficients x at which the sum of squares of residuals r(x) is least.
///
/// The method of Levenberg and Marquardt as a trust region [Moré 1978]: every step minimises the
/// linearised sum within an ellipsoid that grows where the linearisation held and shrinks where it did
/// not. Coefficients are scaled by the lengths of their columns of the Jacobian, so that their units do
/// not matter. A singular value decomposition of each scaled Jacobian gives the steps for all
/// dampings at once, without the normal equations, and says which directions the data determine.
///
/// The minimum found is the one that the start leads to. For the three coordinates of a position there
/// are faster paths, such as ``Trilateration``.
public struct LevenbergMarquardt: Sendable, Equatable {
  /// The first trust region, in units of the scaled length of the start: 1 lets every coefficient
  /// change by about as much as it is; smaller values start more carefully.
  public var initialRadius = 1.0
  /// The largest number of times that the residuals are computed.
  public var maximumEvaluations = 1000
  /// The relative change of all coefficients at which the iteration has settled; it also settles
  /// where rounding hides any further progress.
  public var relativeTolerance = 1e-12

  /// The defaults.
  public init() {}

  /// Minimises the sum of squares of `residuals`.
  ///
  /// - Parameters:
  ///   - start: the coefficients to start from, all finite.
  ///   - residuals: the residuals at given coefficients, always equally many and at least as many
  ///     as there are coefficients; weighted, where the observations differ in their errors. Away
  ///     from the start they may be NaN or infinite, which turns the step down.
  ///   - jacobian: their derivatives, one row per residual and one column per coefficient.
  /// - Returns: Where the iteration ended, and why: look at ``NonlinearFit/outcome``.
  /// - Throws: `dimensionMismatch` where sizes do not fit; `underdetermined` for fewer residuals
  ///   than coefficients; `notFinite` where the start, its residuals, or a Jacobian is not finite;
  ///   otherwise as ``SingularValueDecomposition``.
  ///
  /// ## Edge cases
  /// Without coefficients the fit is the start, converged.
  ///
  /// ## Cost
  /// One decomposition of the Jacobian per accepted step; allocates.
  public func fit(
    from start: [Double], residuals: ([Double]) -> [Double], jacobian: ([Double]) -> DenseMatrix
  ) throws(LinearAlgebraError) -> NonlinearFit {
    try DenseMatrix(column: start).requireFinite()
    var state = LeastSquaresIteration(coefficients: start, residuals: residuals(start))
    guard state.residuals.count >= start.count else {
      throw .underdetermined(rows: state.residuals.count, columns: start.count)
    }
    try DenseMatrix(column: state.residuals).requireFinite(as: .rightHandSides)
    var outcome = NonlinearFit.Outcome.converged
    search: while !start.isEmpty {
      let linear = try state.linearise(jacobian(state.coefficients))
      if state.sum == 0 { break }
      if state.radius == 0 { state.radius = initialRadius * state.scaledLength }
      // What the best linear step promises: once that is rounding, trust has nothing to go by.
      let isRounding = linear.greatestReduction <= 1e-13 * state.sum
      while true {
        guard state.evaluations < maximumEvaluations else {
          outcome = .evaluationLimit
          break search
        }
        let step = linear.step(within: isRounding ? .infinity : state.radius)
        let change = zip(step.scaled, state.scales).map { $0 / $1 }
        let settles = zip(change, state.coefficients).allSatisfy {
          $0.magnitude <= relativeTolerance * $1.magnitude
        }
        let candidate = zip(state.coefficients, change).map { $0 + $1 }
        let trial = residuals(candidate)
        state.evaluations += 1
        guard trial.count == state.residuals.count else {
          throw .dimensionMismatch(expected: state.residuals.count, found: trial.count)
        }
        let sum = LeastSquaresIteration.sumOfSquares(trial)
        if isRounding {
          // Full steps still gain digits while they get shorter.
          guard sum <= state.sum * (1 + 1e-12), step.length < 0.9 * state.lastRoundingStep else {
            break search
          }
          state.lastRoundingStep = step.length
          state.accept(candidate, trial, sum)
          if settles { break search }
          break
        }
        let gain = sum.isFinite ? (state.sum - sum) / step.predictedReduction : -1
        if gain <= 0.25 {
          state.radius = (sum.isFinite ? 0.25 : 0.1) * min(state.radius, step.length)
        } else if !step.isDamped || gain >= 0.75 {
          state.radius = max(state.radius, 2 * step.length)
        }
        if gain > 1e-4 {
          state.accept(candidate, trial, sum)
          if settles && !step.isDamped { break search }
          break
        }
        if settles || state.radius == 0 {
          // Residuals that are small differences of large numbers carry more rounding than their
          // sum shows; a promise this small is not a failure to descend.
          let promises = linear.greatestReduction > 1e-9 * state.sum
          outcome = step.isDamped && promises ? .stalled : .converged
          break search
        }
      }
    }
    return try NonlinearFit(state, outcome: outcome, jacobian: jacobian(state.coefficients))
  }
}

/// The moving parts of an iteration.
struct LeastSquaresIteration {
  var coefficients: [Double]
  var residuals: [Double]
  var sum: Double
  /// The longest that the column of each coefficient has been, see [Moré 1978].
  var scales: [Double] = []
  /// The radius of the trust region in scaled coefficients; 0 before the first step.
  var radius = 0.0
  /// The length of the last step that rounding let through.
  var lastRoundingStep = Double.infinity
  /// Whether a column has shrunk to rounding size since its longest: the model went flat there.
  var isFlat = false
  var iterations = 0
  var evaluations = 1

  init(coefficients: [Double], residuals: [Double]) {
    self.coefficients = coefficients
    self.residuals = residuals
    sum = Self.sumOfSquares(residuals)
  }

  /// The length of the coefficients in their scales, or 1 at the origin.
  var scaledLength: Double {
    let square = zip(coefficients, scales).reduce(0) { $0 + ($1.0 * $1.1) * ($1.0 * $1.1) }
    return square > 0 && square.isFinite ? square.squareRoot() : 1
  }

  mutating func accept(_ coefficients: [Double], _ residuals: [Double], _ sum: Double) {
    self.coefficients = coefficients
    self.residuals = residuals
    self.sum = sum
    iterations += 1
  }

  /// Decomposes the Jacobian, after its scales have been brought up to date.
  mutating func linearise(
    _ jacobian: DenseMatrix
  ) throws(LinearAlgebraError) -> DampedSteps {
    guard jacobian.rows == residuals.count else {
      throw .dimensionMismatch(expected: residuals.count, found: jacobian.rows)
    }
    guard jacobian.columns == coefficients.count else {
      throw .dimensionMismatch(expected: coefficients.count, found: jacobian.columns)
    }
    let lengths = Self.columnLengths(jacobian)
    if scales.isEmpty { scales = lengths.map { $0 > 0 ? $0 : 1 } }
    scales = zip(scales, lengths).map { max($0, $1) }
    let steps = DampedSteps(
      try SingularValueDecomposition(jacobian.dividingColumns(by: scales)), residuals)
    isFlat = steps.hasNullDirection
    return steps
  }

  static func sumOfSquares(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }

  static func columnLengths(_ matrix: DenseMatrix) -> [Double] {
    (0..<matrix.columns).map { sumOfSquares(matrix.column($0)).squareRoot() }
  }
}

extension DenseMatrix {
  /// The matrix with every column divided by its number.
  func dividingColumns(by scales: [Double]) -> DenseMatrix {
    var result = self
    for column in 0..<columns {
      for row in 0..<rows { result[row, column] /= scales[column] }
    }
    return result
  }
}
