/// The terms of a loss at two residuals.
struct LossTerms {
  typealias Pair = SIMD2<Double>

  /// The cost, without the part of ``growth``.
  var cost: Pair
  /// The factor whose logarithm times k² adds to the cost: the caller takes one logarithm for many
  /// residuals.
  var growth = Pair(repeating: 1)
  /// w(z), from 0 to 1.
  var weight: Pair
  /// κ(z), half the second derivative of the cost.
  var curvature: Pair

  /// The terms of the squared loss.
  @inline(__always)
  static func squared(_ z: Pair) -> Self {
    let one = Pair(repeating: 1)
    return Self(cost: z * z, weight: one, curvature: one)
  }

  /// The terms of Cauchy's loss, with 1/k².
  @inline(__always)
  static func cauchy(_ z: Pair, _ inverseSquare: Double) -> Self {
    let growth = 1 + inverseSquare * (z * z)
    let weight = 1 / growth
    return Self(cost: .zero, growth: growth, weight: weight, curvature: (2 * weight - 1) * weight)
  }

  /// The terms of the loss of Geman and McClure, with 1/k².
  @inline(__always)
  static func gemanMcClure(_ z: Pair, _ inverseSquare: Double) -> Self {
    let square = z * z
    let root = 1 / (1 + inverseSquare * square)
    let weight = root * root
    return Self(cost: square * root, weight: weight, curvature: (4 * root - 3) * weight)
  }
}

/// A loss whose kernel over many residuals is compiled for it alone.
protocol LossKernel {
  /// Returns the terms at two residuals.
  func terms(of z: LossTerms.Pair) -> LossTerms
}

/// The squared loss.
struct SquaredKernel: LossKernel {
  @inline(__always) func terms(of z: LossTerms.Pair) -> LossTerms { .squared(z) }
}

/// Cauchy's loss of either sign.
struct CauchyKernel: LossKernel {
  let inverseSquare: Double
  @inline(__always) func terms(of z: LossTerms.Pair) -> LossTerms { .cauchy(z, inverseSquare) }
}

/// The loss of Geman and McClure of either sign, for residuals whose squares do not overflow.
struct GemanMcClureKernel: LossKernel {
  let inverseSquare: Double
  @inline(__always) func terms(of z: LossTerms.Pair) -> LossTerms {
    .gemanMcClure(z, inverseSquare)
  }
}

extension RobustLoss: LossKernel {
  /// 1/k².
  @inline(__always) var inverseSquare: Double { 1 / (tuning * tuning) }

  /// Returns the terms at two residuals of any size except NaN.
  @inline(__always)
  func terms(of z: LossTerms.Pair) -> LossTerms {
    var terms = LossTerms.squared(z)
    let (square, magnitude) = (terms.cost, z.replacing(with: 0 - z, where: z .< 0))
    let limit = tuning * tuning
    switch shape {
    case .squared: return terms
    case .huber:
      let isFar = magnitude .> tuning
      terms.cost.replace(with: tuning * (2 * magnitude - tuning), where: isFar)
      terms.weight.replace(with: tuning / magnitude, where: isFar)
      terms.curvature.replace(with: 0, where: isFar)
    case .cauchy: terms = .cauchy(z, inverseSquare)
    case .gemanMcClure:
      terms = .gemanMcClure(z, inverseSquare)
      // The squares of such residuals may overflow; the cost has reached its limit to rounding.
      terms.cost.replace(with: limit, where: magnitude .> 1e8 * tuning)
    case .tukey:
      let rest = 1 - inverseSquare * square
      let isFar = magnitude .>= tuning
      terms.cost = (limit / 3 * (1 - rest * rest * rest)).replacing(with: limit / 3, where: isFar)
      terms.weight = (rest * rest).replacing(with: 0, where: isFar)
      terms.curvature = (rest * (5 * rest - 4)).replacing(with: 0, where: isFar)
    }
    guard onlyLate else { return terms }
    let (early, isEarly) = (LossTerms.squared(z), z .<= 0)
    terms.cost.replace(with: early.cost, where: isEarly)
    terms.growth.replace(with: early.growth, where: isEarly)
    terms.weight.replace(with: early.weight, where: isEarly)
    terms.curvature.replace(with: early.curvature, where: isEarly)
    return terms
  }

  /// Returns ρ(z) for any z except NaN.
  package func cost(of z: Double) -> Double {
    let terms = terms(of: LossTerms.Pair(repeating: z))
    return terms.growth[0] == 1 ? terms.cost[0] : tuning * tuning * .log(terms.growth[0])
  }

  /// Returns w(z), from 0 to 1.
  package func weight(of z: Double) -> Double { terms(of: z).weight }

  /// Returns w(z) and κ(z).
  func terms(of z: Double) -> (weight: Double, curvature: Double) {
    let terms = terms(of: LossTerms.Pair(repeating: z))
    return (terms.weight[0], terms.curvature[0])
  }
}
