/// A nonlinear least-squares solver: minimises the sum of squared residuals r(x) over the
/// coefficients x.
///
/// Uses the method of Levenberg and Marquardt as a trust region [Moré 1978]. Every step minimises
/// the linearised sum within an ellipsoid, which grows when the linearisation was accurate and
/// shrinks otherwise. Coefficients are scaled by the lengths of their columns of the Jacobian, so
/// that their units do not matter. A singular value decomposition of each scaled Jacobian gives the
/// steps for all dampings without the normal equations, and shows which directions the data
/// determine.
///
/// The solver finds the local minimum that the start leads to. For the three coordinates of a
/// position use a faster solver, such as ``Trilateration``.
public struct LevenbergMarquardt: Sendable, Equatable {
  /// The initial radius of the trust region, relative to the scaled length of the start.
  ///
  /// 1 lets every coefficient change by about its own size; smaller values start more carefully.
  public var initialRadius = 1.0
  /// The maximum number of evaluations of the residuals.
  public var maximumEvaluations = 1000
  /// The relative change of all coefficients at which the iteration has converged.
  ///
  /// The iteration also converges when rounding hides further progress.
  public var relativeTolerance = 1e-12

  /// Creates a solver with the default settings.
  public init() {}

  /// Minimises the sum of squares of `residuals`.
  ///
  /// - Parameters:
  ///   - start: The initial coefficients, all finite.
  ///   - residuals: The residuals at given coefficients, weighted if the observations differ in
  ///     accuracy. Their number is constant and at least the number of coefficients. Away from the
  ///     start they may be NaN or infinite, which rejects the step.
  ///   - jacobian: Their derivatives, one row per residual and one column per coefficient.
  /// - Returns: The final state; check ``NonlinearFit/outcome``.
  /// - Throws: `dimensionMismatch` for inconsistent sizes; `underdetermined` for fewer residuals
  ///   than coefficients; `notFinite` when the start, its residuals or a Jacobian is not finite;
  ///   otherwise the errors of ``SingularValueDecomposition``.
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
      // When the best predicted reduction is at rounding level, the gain ratio is meaningless.
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
          // Full steps still improve the last digits while they get shorter.
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
          // Residuals that are small differences of large numbers carry more rounding error than
          // their sum shows. A predicted reduction this small is not a failure to descend.
          let promises = linear.greatestReduction > 1e-9 * state.sum
          outcome = step.isDamped && promises ? .stalled : .converged
          break search
        }
      }
    }
    return try NonlinearFit(state, outcome: outcome, jacobian: jacobian(state.coefficients))
  }
}

/// The state of an iteration.
struct LeastSquaresIteration {
  var coefficients: [Double]
  var residuals: [Double]
  var sum: Double
  /// The largest length so far of each coefficient's column, see [Moré 1978].
  var scales: [Double] = []
  /// The radius of the trust region in scaled coefficients; 0 before the first step.
  var radius = 0.0
  /// The length of the last step that was accepted at rounding level.
  var lastRoundingStep = Double.infinity
  /// Whether a singular value of the scaled Jacobian is at rounding level: the model is locally
  /// flat.
  var hasNullDirection = false
  var iterations = 0
  var evaluations = 1

  init(coefficients: [Double], residuals: [Double]) {
    self.coefficients = coefficients
    self.residuals = residuals
    sum = Self.sumOfSquares(residuals)
  }

  /// The length of the scaled coefficients, or 1 at the origin.
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

  /// Updates the scales and decomposes the scaled Jacobian.
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
    hasNullDirection = steps.hasNullDirection
    return steps
  }

  static func sumOfSquares(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }

  static func columnLengths(_ matrix: DenseMatrix) -> [Double] {
    (0..<matrix.columns).map { sumOfSquares(matrix.column($0)).squareRoot() }
  }
}

extension DenseMatrix {
  /// Returns the matrix with every column divided by its scale.
  func dividingColumns(by scales: [Double]) -> DenseMatrix {
    var result = self
    for column in 0..<columns {
      for row in 0..<rows { result[row, column] /= scales[column] }
    }
    return result
  }
}

/// The steps of a linearised least-squares problem, for every size of the trust region.
///
/// With the Jacobian J = U S Vᵀ in scaled coefficients and the residuals r, the step with damping λ
/// is -V w, wᵢ = sᵢ (Uᵀr)ᵢ / (sᵢ² + λ). The λ whose step has the length of the radius solves a
/// scalar equation [Moré 1978, Sec. 5].
struct DampedSteps {
  /// One step.
  struct Step {
    /// The change of the scaled coefficients.
    var scaled: [Double]
    /// Its length.
    var length: Double
    /// The predicted reduction of the linearised sum of squares, including the damping term.
    var predictedReduction: Double
    /// Whether the radius limited the step.
    var isDamped: Bool
  }

  private let values: [Double]
  /// Uᵀr.
  private let projections: [Double]
  private let rightTransposed: DenseMatrix

  init(_ decomposition: SingularValueDecomposition, _ residuals: [Double]) {
    values = decomposition.singularValues
    rightTransposed = decomposition.rightTransposed
    let left = decomposition.left
    projections = values.indices.map { column in
      residuals.indices.reduce(0) { $0 + left[$1, column] * residuals[$1] }
    }
  }

  /// The largest possible reduction of the linearised sum of squares.
  var greatestReduction: Double {
    values.indices.reduce(0) { isNull($1) ? $0 : $0 + projections[$1] * projections[$1] }
  }

  /// Whether undamped steps omit a direction because its singular value is at rounding level.
  var hasNullDirection: Bool { values.indices.contains(where: isNull) }

  /// Returns the best step of length at most `radius`, to 10 %.
  func step(within radius: Double) -> Step {
    var weights = weights(damping: 0)
    var length = Self.length(weights)
    var damping = 0.0
    if length > 1.1 * radius {
      var lower = 0.0
      var upper = Self.length(zip(values, projections).map { $0 * $1 }) / radius
      for _ in 0..<60 {
        // A Newton step for 1 / length, which is nearly linear in the damping.
        var slope = 0.0
        for (weight, value) in zip(weights, values) where weight != 0 {
          slope += weight * weight / (value * value + damping)
        }
        let next = damping + (length / radius) * (length - radius) * length / slope
        damping =
          next > lower && next < upper ? next : max(1e-3 * upper, (lower * upper).squareRoot())
        weights = self.weights(damping: damping)
        length = Self.length(weights)
        if (length - radius).magnitude <= 0.1 * radius { break }
        if length > radius { lower = damping } else { upper = damping }
      }
    }
    var reduction = 0.0
    for (weight, value) in zip(weights, values) {
      reduction += weight * weight * (value * value + 2 * damping)
    }
    let scaled = values.indices.map { column in
      -values.indices.reduce(0) { $0 + rightTransposed[$1, column] * weights[$1] }
    }
    return Step(
      scaled: scaled, length: length, predictedReduction: reduction, isDamped: damping > 0)
  }

  /// Returns w for a given damping; without damping, null directions have weight 0.
  private func weights(damping: Double) -> [Double] {
    values.indices.map { index in
      if damping == 0 && isNull(index) { return 0 }
      let value = values[index]
      let divisor = value * value + damping
      return divisor > 0 ? value * projections[index] / divisor : 0
    }
  }

  private func isNull(_ index: Int) -> Bool { values[index] <= 1e-15 * values[0] }

  private static func length(_ vector: [Double]) -> Double {
    vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }
}
