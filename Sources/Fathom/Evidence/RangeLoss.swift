import RealModule

/// The loss of a range error, which counts a wrong range logarithmically: a log(1 + e²/(b s²)) for an
/// error e and a scale s.
///
/// Its weight is that of least squares, 1/s² times a/b, up to errors of about √b scales.
struct RangeLoss {
  /// The factor a of the logarithm.
  let factor: Double
  /// The squared error, in squared scales, of half the weight: b.
  let tail: Double

  /// Degrees of freedom of Student's distribution: with two, wrong ranges cost less; with six, twice.
  private static let freedom = 3.0

  /// That of Student's distribution, whose scale is estimated.
  static let student = RangeLoss(factor: freedom + 1, tail: freedom)
  /// That of Cauchy, whose scale is the standard deviation of ordinary ranges.
  static let cauchy = RangeLoss(
    factor: RobustLoss.cauchy.tuning * RobustLoss.cauchy.tuning,
    tail: RobustLoss.cauchy.tuning * RobustLoss.cauchy.tuning)

  /// Returns the weight of an error of the given square, 1/m².
  @inline(__always)
  func weight(_ square: Double, _ variance: Double) -> Double {
    factor / (tail * variance + square)
  }
}
