import RealModule

/// How much a residual costs: what decides how far one wrong range can pull a position.
///
/// A residual of z standard deviations costs ρ(z) and is weighted with w(z) = ρ′(z) / 2z. Every
/// loss here is z² for small residuals, so that costs compare with chi-square:
///
/// | loss | ρ(z) | w(z) |
/// |---|---|---|
/// | ``squared`` | z² | 1 |
/// | ``huber`` | z², beyond k 2k\|z\| - k² | min(1, k/\|z\|) |
/// | ``cauchy`` | k² ln(1 + z²/k²) | 1 / (1 + z²/k²) |
/// | ``gemanMcClure`` | z² / (1 + z²/k²) | 1 / (1 + z²/k²)² |
/// | ``tukey`` | k²/3 (1 - (1 - z²/k²)³), beyond k k²/3 | (1 - z²/k²)², beyond k 0 |
///
/// The tuning constant k makes the estimate 95 % efficient where all errors are normal, unless
/// another is given [Huber 1964; Holland & Welsch 1977; Zhang 1997].
public struct RobustLoss: Sendable, Hashable {
  /// The shape of the loss.
  public enum Shape: String, Sendable, Hashable, CaseIterable {
    /// Least squares: every range pulls in proportion to its residual.
    case squared
    /// Linear far out: a wrong range pulls with a bounded force.
    case huber
    /// Logarithmic far out: a wrong range pulls less the farther off it is.
    case cauchy
    /// Bounded, smooth: a range far off hardly pulls.
    case gemanMcClure = "geman_mcclure"
    /// Bounded: a range more than k standard deviations off does not pull.
    case tukey
  }

  /// The shape.
  public let shape: Shape
  /// The tuning constant k, standard deviations; positive.
  public let tuning: Double
  /// Whether only ranges that are too long are suspect.
  ///
  /// An obstructed path is late, never early: ranges that are too short then cost z².
  public let onlyLate: Bool
  /// What turns Σ w u uᵀ/σ² into the inverse covariance of the estimate where all errors are normal
  /// and many more ranges than unknowns are there.
  private(set) var consistency = 1.0
  /// The same where residuals have half the variance of errors.
  private var halfwayConsistency = 1.0

  /// A loss.
  ///
  /// - Parameters:
  ///   - shape: its shape.
  ///   - tuning: k in standard deviations; nil, or a number that is not positive and finite, for 95
  ///     % efficiency.
  ///   - onlyLate: whether only ranges that are too long are suspect.
  public init(_ shape: Shape, tuning: Double? = nil, onlyLate: Bool = false) {
    self.shape = shape
    let usual = Self.usualTuning(of: shape)
    self.tuning = tuning.map { $0 > 0 && $0.isFinite ? $0 : usual } ?? usual
    self.onlyLate = onlyLate
    guard shape != .squared else { return }
    consistency = consistency(ofVariance: 1)
    halfwayConsistency = consistency(ofVariance: 0.5)
  }

  /// The loss of Geman and McClure for a search, which asks for no covariance.
  init(searchingWith tuning: Double, onlyLate: Bool) {
    shape = .gemanMcClure
    self.tuning = tuning
    self.onlyLate = onlyLate
  }

  /// z².
  public static let squared = RobustLoss(.squared)
  /// Huber's loss, k = 1.345.
  public static let huber = RobustLoss(.huber)
  /// The loss of Cauchy errors, k = 2.385.
  public static let cauchy = RobustLoss(.cauchy)
  /// The loss of Geman and McClure, k = 3.787.
  public static let gemanMcClure = RobustLoss(.gemanMcClure)
  /// Tukey's biweight, k = 4.685.
  public static let tukey = RobustLoss(.tukey)

  /// The same loss where only ranges that are too long are suspect.
  public var lateOnly: RobustLoss { RobustLoss(shape, tuning: tuning, onlyLate: true) }

  /// E[κ]² v / (E[ψ²] E[w]) over normal residuals of variance v, that of the errors being 1.
  ///
  /// The variance of an M-estimate is E[ψ²]/E[κ]² times that of
  /// least squares [Huber 1964]. Simpson's rule would gain nothing over the trapezoids here.
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
    // The sum of the densities themselves cancels: 2.5066 / 0.1.
    let factor = curvatures * curvatures * variance / (squares * weights)
    return factor.isFinite && factor > 0 ? factor : 1
  }

  /// What turns Σ w u uᵀ/σ² into the inverse covariance of the estimate where all errors are normal
  /// and a part of the ranges, from 0 to 1, is left over once the unknowns are determined.
  ///
  /// The estimate follows its ranges: residuals have that part of the variance of errors, and the
  /// less they vary, the less the loss acts. As many ranges as unknowns are fitted whatever the
  /// loss, and nothing is lost. A parabola through none, half and all of the variance.
  func consistency(spare part: Double) -> Double {
    let (all, half) = (consistency - 1, halfwayConsistency - 1)
    let part = min(1, max(0, part))
    return 1 + part * ((4 * half - all) + part * (2 * all - 4 * half))
  }

  /// The same for ranges that determine as many unknowns without help.
  func consistency(ranges: Int, unknowns: Int) -> Double {
    consistency(spare: Double(ranges - unknowns) / Double(max(1, ranges)))
  }

  /// 95 % efficiency for normal errors.
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
  /// ρ(z), for z of any value that is not NaN.
  package func cost(of z: Double) -> Double {
    let terms = terms(of: z)
    return terms.product == 1 ? terms.cost : tuning * tuning * .log(terms.product)
  }

  /// w(z), from 0 to 1.
  package func weight(of z: Double) -> Double { terms(of: z).weight }

  /// The cost, the weight and half the second derivative at a residual.
  ///
  /// The logarithm of Cauchy's loss is left to the caller, which takes it once for many residuals:
  /// the cost is `cost` plus k² times the logarithm of `product`.
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
      // z² w written so that it does not overflow.
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
