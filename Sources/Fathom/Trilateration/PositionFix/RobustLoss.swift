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
  /// The variance of an M-estimate is E[ψ²]/E[κ]² times that of least squares [Huber 1964].
  private func consistency(ofVariance variance: Double) -> Double {
    // The sum of the densities cancels.
    let sums = normalSums(ofVariance: variance)
    let factor = sums.curvature * sums.curvature * variance / (sums.square * sums.weight)
    return factor.isFinite && factor > 0 ? factor : 1
  }

  /// E[w] over normal errors: 1 for least squares.
  ///
  /// Takes some microseconds.
  var weightOfNormalErrors: Double {
    let sums = normalSums(ofVariance: 1)
    return sums.weight / sums.density
  }

  /// Returns the sums of w, κ and ψ² times the density of normal residuals of a variance, and of the
  /// density.
  ///
  /// The trapezoidal rule suffices; Simpson's rule would gain nothing here.
  private func normalSums(
    ofVariance variance: Double
  ) -> (density: Double, weight: Double, curvature: Double, square: Double) {
    var (densities, weights, curvatures, squares) = (0.0, 0.0, 0.0, 0.0)
    let spread = variance.squareRoot()
    for step in -60...60 {
      let normal = 0.1 * Double(step)
      let density = Double.exp(-0.5 * normal * normal)
      let z = spread * normal
      let terms = terms(of: z)
      densities += density
      weights += density * terms.weight
      curvatures += density * terms.curvature
      squares += density * terms.weight * terms.weight * z * z
    }
    return (densities, weights, curvatures, squares)
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
