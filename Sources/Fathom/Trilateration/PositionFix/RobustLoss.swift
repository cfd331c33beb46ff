import RealModule

/// A loss function of residuals, which limits the effect of a single wrong range on a position.
///
/// A residual of z standard deviations costs ρ(z) and has the weight w(z) = ρ′(z) / 2z. Every loss
/// here is z² for small residuals, so costs are comparable with chi-square:
///
/// | loss | ρ(z) | w(z) |
/// |---|---|---|
/// | ``squared`` | z² | 1 |
/// | ``huber`` | z², beyond k 2k\|z\| - k² | min(1, k/\|z\|) |
/// | ``cauchy`` | k² ln(1 + z²/k²) | 1 / (1 + z²/k²) |
/// | ``gemanMcClure`` | z² / (1 + z²/k²) | 1 / (1 + z²/k²)² |
/// | ``tukey`` | k²/3 (1 - (1 - z²/k²)³), beyond k k²/3 | (1 - z²/k²)², beyond k 0 |
///
/// The default tuning constant k makes the estimate 95 % efficient for normal errors [Huber 1964;
/// Holland & Welsch 1977; Zhang 1997].
public struct RobustLoss: Sendable, Hashable {
  /// The shape of the loss.
  public enum Shape: String, Sendable, Hashable, CaseIterable {
    /// Least squares: the influence of a range is proportional to its residual.
    case squared
    /// Linear for large residuals: the influence of an outlier is bounded.
    case huber
    /// Logarithmic for large residuals: the influence of an outlier decreases with its residual.
    case cauchy
    /// Bounded and smooth: the influence of a large outlier is close to zero.
    case gemanMcClure = "geman_mcclure"
    /// Bounded: ranges with residuals beyond k standard deviations have no influence.
    case tukey
  }

  /// The shape.
  public let shape: Shape
  /// The tuning constant k, standard deviations; positive.
  public let tuning: Double
  /// Whether only ranges that are too long are treated as possible outliers.
  ///
  /// An obstructed path lengthens a range and never shortens it. Ranges that are too short then
  /// cost z².
  public let onlyLate: Bool
  /// The factor that turns Σ w u uᵀ/σ² into the inverse covariance of the estimate, for normal
  /// errors and many more ranges than unknowns.
  private(set) var consistency = 1.0
  /// The same factor if residuals have half the variance of the errors.
  private var halfwayConsistency = 1.0

  /// Creates a loss.
  ///
  /// - Parameters:
  ///   - shape: its shape.
  ///   - tuning: k in standard deviations; nil, or a number that is not positive and finite, for 95
  ///     % efficiency.
  ///   - onlyLate: whether only ranges that are too long are treated as possible outliers.
  public init(_ shape: Shape, tuning: Double? = nil, onlyLate: Bool = false) {
    self.shape = shape
    let usual = Self.usualTuning(of: shape)
    self.tuning = tuning.map { $0 > 0 && $0.isFinite ? $0 : usual } ?? usual
    self.onlyLate = onlyLate
    guard shape != .squared else { return }
    consistency = consistency(ofVariance: 1)
    halfwayConsistency = consistency(ofVariance: 0.5)
  }

  /// Creates the loss of Geman and McClure for a search, which needs no covariance.
  init(searchingWith tuning: Double, onlyLate: Bool) {
    shape = .gemanMcClure
    self.tuning = tuning
    self.onlyLate = onlyLate
  }

  /// The squared loss, z².
  public static let squared = RobustLoss(.squared)
  /// Huber's loss, k = 1.345.
  public static let huber = RobustLoss(.huber)
  /// The loss of Cauchy errors, k = 2.385.
  public static let cauchy = RobustLoss(.cauchy)
  /// The loss of Geman and McClure, k = 3.787.
  public static let gemanMcClure = RobustLoss(.gemanMcClure)
  /// Tukey's biweight, k = 4.685.
  public static let tukey = RobustLoss(.tukey)

  /// The same loss with only ranges that are too long treated as possible outliers.
  public var lateOnly: RobustLoss { RobustLoss(shape, tuning: tuning, onlyLate: true) }

  /// Returns E[κ]² v / (E[ψ²] E[w]) over normal residuals of variance v, for errors of variance 1.
  ///
  /// The variance of an M-estimate is E[ψ²]/E[κ]² times that of least squares [Huber 1964]. The
  /// trapezoidal rule suffices; Simpson's rule would gain nothing here.
  private func consistency(ofVariance variance: Double) -> Double {
    var (weights, curvatures, squares) = (0.0, 0.0, 0.0)
    let spread = variance.squareRoot()
    for step in -60...60 {
      let normal = 0.1 * Double(step)
      let density = Double.exp(-0.5 * normal * normal)
      let z = spread * normal
      let terms = terms(of: z)
      weights += density * terms.weight
      curvatures += density * terms.curvature
      squares += density * terms.weight * terms.weight * z * z
    }
    // The sum of the densities themselves, 2.5066 / 0.1, cancels.
    let factor = curvatures * curvatures * variance / (squares * weights)
    return factor.isFinite && factor > 0 ? factor : 1
  }

  /// Returns the factor that turns Σ w u uᵀ/σ² into the inverse covariance of the estimate, for
  /// normal errors.
  ///
  /// `part`, from 0 to 1, is the redundant fraction of the ranges: (ranges - unknowns) / ranges.
  /// Residuals have that fraction of the variance of the errors. The less they vary, the less the
  /// loss acts; with as many ranges as unknowns it has no effect, and the factor is 1. The factor
  /// is interpolated by a parabola through fractions of zero, one half and one.
  func consistency(spare part: Double) -> Double {
    let (all, half) = (consistency - 1, halfwayConsistency - 1)
    let part = min(1, max(0, part))
    return 1 + part * ((4 * half - all) + part * (2 * all - 4 * half))
  }

  /// Returns the factor for a number of ranges that determine `unknowns` unknowns without a prior.
  func consistency(ranges: Int, unknowns: Int) -> Double {
    consistency(spare: Double(ranges - unknowns) / Double(max(1, ranges)))
  }

  /// Returns the tuning constant of 95 % efficiency for normal errors.
  private static func usualTuning(of shape: Shape) -> Double {
    switch shape {
    case .squared: 1
    case .huber: 1.345
    case .cauchy: 2.385
    case .gemanMcClure: 3.787
    case .tukey: 4.685
    }
  }
}

extension RobustLoss {
  /// Returns ρ(z) for any z except NaN.
  package func cost(of z: Double) -> Double {
    let terms = terms(of: z)
    return terms.product == 1 ? terms.cost : tuning * tuning * .log(terms.product)
  }

  /// Returns w(z), from 0 to 1.
  package func weight(of z: Double) -> Double { terms(of: z).weight }

  /// Returns the cost, the weight and half the second derivative at a residual.
  ///
  /// The cost is `cost` plus k² times the logarithm of `product`. The caller takes the logarithm
  /// once for many residuals.
  @inline(__always)
  func terms(of z: Double) -> (cost: Double, product: Double, weight: Double, curvature: Double) {
    if shape == .squared || (onlyLate && z <= 0) { return (z * z, 1, 1, 1) }
    let magnitude = z.magnitude
    switch shape {
    case .squared: return (z * z, 1, 1, 1)
    case .huber:
      if magnitude <= tuning { return (z * z, 1, 1, 1) }
      return (tuning * (2 * magnitude - tuning), 1, tuning / magnitude, 0)
    case .cauchy:
      let ratio = z / tuning
      let growth = 1 + ratio * ratio
      let weight = 1 / growth
      return (0, growth, weight, (2 * weight - 1) * weight)
    case .gemanMcClure:
      let ratio = z / tuning
      let weight = 1 / (1 + ratio * ratio)
      // z² w in a form that does not overflow.
      let cost = magnitude > 1e8 * tuning ? tuning * tuning : z * z * weight
      return (cost, 1, weight * weight, (4 * weight - 3) * weight * weight)
    case .tukey:
      let limit = tuning * tuning / 3
      if magnitude >= tuning { return (limit, 1, 0, 0) }
      let ratio = z / tuning
      let rest = 1 - ratio * ratio
      return (limit * (1 - rest * rest * rest), 1, rest * rest, rest * (5 * rest - 4))
    }
  }
}
