import RealModule

/// The loss of a range error, which counts a wrong range logarithmically: a log(1 + e²/(b s²)) for an
/// error e and a scale s.
///
/// Its weight is that of least squares, 1/s² times a/b, up to errors of about √b scales.
///
/// Calibration and diagnosis share the equation, and differ in what the scale is. Diagnosis compares
/// hypotheses by their likelihood. Wrong ranges must then be part of the density, and the scale is a
/// parameter of it, as likely as possible under each hypothesis: ``student``. A scale from the residuals of
/// ordinary ranges would be smallest for the hypothesis under which most ranges count as wrong.
/// Calibration measures small errors under one hypothesis, in units of the noise of ordinary ranges, and
/// counts wrong ranges by themselves. With that noise as the scale, ``cauchy`` has 95 % of the efficiency of
/// least squares for normal errors. Student's, whose scale is then 0.79 of the noise, has 85 %: half its
/// weight is left at 1.4 standard deviations, in place of 2.4.
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
