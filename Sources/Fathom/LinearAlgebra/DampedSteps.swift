/// The steps of a linearised least-squares problem, for every size of the trust region.
///
/// With the Jacobian J = U S Vᵀ in scaled coefficients and the residuals r, the step with damping λ is
/// -V w, wᵢ = sᵢ (Uᵀr)ᵢ / (sᵢ² + λ), and the λ whose step has the length of the radius solves an
/// equation in one unknown [Moré 1978, Sec. 5].
struct DampedSteps {
  /// One step.
  struct Step {
    /// The change of the scaled coefficients.
    var scaled: [Double]
    /// Its length.
    var length: Double
    /// How much the linearised sum of squares falls, the damping's share included.
    var predictedReduction: Double
    /// Whether the radius cut it short.
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

  /// The most that the linearised sum of squares can fall.
  var greatestReduction: Double {
    values.indices.reduce(0) { isNull($1) ? $0 : $0 + projections[$1] * projections[$1] }
  }

  /// Whether a direction is left out of undamped steps because its singular value is rounding.
  var hasNullDirection: Bool { values.indices.contains(where: isNull) }

  /// The best step that is no longer than `radius`, to 10 %.
  func step(within radius: Double) -> Step {
    var weights = weights(damping: 0)
    var length = Self.length(weights)
    var damping = 0.0
    if length > 1.1 * radius {
      var lower = 0.0
      var upper = Self.length(zip(values, projections).map { $0 * $1 }) / radius
      for _ in 0..<60 {
        // Newton's step for 1 / length, which is nearly linear in the damping.
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

  /// w for a given damping; without any, directions of rounding size stay put.
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
