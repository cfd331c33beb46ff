/// A position from measurements of any kind, as rows of residuals in standard deviations: what time
/// differences, pseudo-ranges and angles share.
///
/// The unknowns are the free coordinates of the position, relative to a centre near the anchors,
/// and after them nuisances such as an offset common to all ranges. Errors of the rows are
/// independent: what correlates measurements, such as an arrival that two differences share, is a
/// nuisance of its own with a row that says how large it may be.
struct PositionEquations {
  /// What a row is, and so what its residual costs.
  enum Kind {
    /// A measurement that an obstructed path makes too large: the loss as it is.
    case path
    /// A measurement that is wrong either way: the loss without its preference for late ones.
    case measurement
    /// What is known about the size of a nuisance: squared.
    case nuisance
    /// The prior of the position, which no measurement confirms or contradicts: squared.
    case prior
  }

  /// How many coordinates of the position are unknown.
  let free: Int
  /// How many unknowns there are, those coordinates included.
  let unknowns: Int
  /// What each row is.
  let kinds: [Kind]
  /// A length that typical distances of the problem have, metres: for tolerances.
  let scale: Double
  /// Whether the affine span of the anchors lacks a dimension, so that a mirror image may exist.
  let isSpanDeficient: Bool
  /// What a residual costs.
  let loss: RobustLoss
  /// Measurement minus expectation, in standard deviations.
  let residuals: ([Double]) -> [Double]
  /// The derivatives of the expectations, in standard deviations.
  let slopes: ([Double]) -> DenseMatrix

  /// Whether a prior of the position stands beside the measurements.
  var hasPrior: Bool { kinds.contains(.prior) }

  /// Whether the loss may discount a row.
  func isSuspect(_ row: Int) -> Bool { kinds[row] == .path || kinds[row] == .measurement }

  /// Sum of the losses of `residuals`.
  func cost(_ residuals: [Double], under loss: RobustLoss) -> Double {
    var sum = 0.0
    for (kind, residual) in zip(kinds, residuals) {
      switch kind {
      case .path: sum += loss.cost(of: residual)
      // All losses are even functions but for their preference.
      case .measurement: sum += loss.cost(of: residual.magnitude)
      case .nuisance, .prior: sum += residual * residual
      }
    }
    return sum
  }

  /// The weights that the loss gives `residuals`; 1 for rows that it cannot discount.
  func weights(_ residuals: [Double], under loss: RobustLoss) -> [Double] {
    zip(kinds, residuals).map { kind, residual in
      switch kind {
      case .path: loss.weight(of: residual)
      case .measurement: loss.weight(of: residual.magnitude)
      case .nuisance, .prior: 1
      }
    }
  }

  /// The distance between the positions of two sets of unknowns, metres.
  func distance(_ first: [Double], _ second: [Double]) -> Double {
    var sum = 0.0
    for axis in 0..<free { sum += (first[axis] - second[axis]) * (first[axis] - second[axis]) }
    return sum.squareRoot()
  }
}
