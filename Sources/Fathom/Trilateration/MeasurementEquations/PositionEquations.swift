/// The equations of a position from measurements of any kind, as rows of residuals in standard
/// deviations.
///
/// They are common to time differences, pseudo-ranges and angles. The unknowns are the free
/// coordinates of the position relative to a centre near the anchors, followed by nuisance
/// parameters such as a common offset of all ranges. The errors of the rows are independent. A
/// cause of correlation, such as an arrival common to two differences, is a nuisance parameter with
/// a row for its standard deviation.
struct PositionEquations {
  /// The kind of a row, which determines the loss of its residual.
  enum Kind {
    /// A measurement that an obstructed path increases: uses the loss unchanged.
    case path
    /// A measurement with errors of either sign: uses the loss without its preference for late
    /// errors.
    case measurement
    /// The prior of a nuisance parameter: squared loss.
    case nuisance
    /// The prior of the position, not counted as a measurement: squared loss.
    case prior
  }

  /// The number of unknown coordinates of the position.
  let free: Int
  /// The total number of unknowns, including those coordinates.
  let unknowns: Int
  /// The kind of each row.
  let kinds: [Kind]
  /// A typical distance of the problem, metres, for tolerances.
  let scale: Double
  /// Whether the affine span of the anchors lacks a dimension, so that a mirror image may exist.
  let isSpanDeficient: Bool
  /// The loss function of the residuals.
  let loss: RobustLoss
  /// Measured minus expected value, in standard deviations.
  let residuals: ([Double]) -> [Double]
  /// The derivatives of the expected values, in standard deviations.
  let slopes: ([Double]) -> DenseMatrix

  /// Whether the rows include a prior of the position.
  var hasPrior: Bool { kinds.contains(.prior) }

  /// Returns whether the loss may discount a row.
  func isSuspect(_ row: Int) -> Bool { kinds[row] == .path || kinds[row] == .measurement }

  /// Returns the sum of the losses of `residuals`.
  func cost(_ residuals: [Double], under loss: RobustLoss) -> Double {
    var sum = 0.0
    for (kind, residual) in zip(kinds, residuals) {
      switch kind {
      case .path: sum += loss.cost(of: residual)
      // All losses are even functions, apart from the preference for late errors.
      case .measurement: sum += loss.cost(of: residual.magnitude)
      case .nuisance, .prior: sum += residual * residual
      }
    }
    return sum
  }

  /// Returns the weights that the loss assigns to `residuals`; 1 for rows that it cannot discount.
  func weights(_ residuals: [Double], under loss: RobustLoss) -> [Double] {
    zip(kinds, residuals).map { kind, residual in
      switch kind {
      case .path: loss.weight(of: residual)
      case .measurement: loss.weight(of: residual.magnitude)
      case .nuisance, .prior: 1
      }
    }
  }

  /// Returns the distance between the positions of two sets of unknowns, metres.
  func distance(_ first: [Double], _ second: [Double]) -> Double {
    var sum = 0.0
    for axis in 0..<free { sum += (first[axis] - second[axis]) * (first[axis] - second[axis]) }
    return sum.squareRoot()
  }
}
