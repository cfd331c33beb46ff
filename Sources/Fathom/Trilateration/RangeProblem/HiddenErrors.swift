import RealModule

/// The errors of a range that neither its residual nor the other ranges reveal, at the stated odds.
struct HiddenErrors {
  /// The odds below which an undetected error of a range is neglected: 0.1 % shared by seven ranges.
  static var negligible: Double { 1.5e-4 }
  /// The shift of the position, in standard deviations, from which an error is examined without
  /// linearisation.
  private static var leastShift: Double { 3 }

  /// The residual in its own standard deviations.
  let residual: Double
  /// √(1 - influence): the standard deviation of the residual in units of that of the range.
  let check: Double
  /// The largest error of a range that is too long, standard deviations; nil if none matters.
  let late: Double?
  /// The same for a range that is too short.
  let early: Double?
  private let root: Double

  /// Creates the errors of a range with a residual in standard deviations of the range, an
  /// influence from 0 to 1, and ln(size/σ), the span of errors in orders of magnitude.
  init(residual: Double, influence: Double, _ odds: OutlierOdds, span: Double) {
    let influence = min(1 - 1e-9, max(0, influence))
    check = (1 - influence).squareRoot()
    root = influence.squareRoot()
    self.residual = residual / check
    late = Self.largest(self.residual, check: check, odds.late, span: span)
    early = Self.largest(-self.residual, check: check, odds.early, span: span)
  }

  /// The influence of a range up to which the position without it is linear in its error.
  static var mostInfluence: Double { 0.6 }
  /// The share of an anchor in the spread of all up to which the others span the space without it,
  /// so that no mirror image hides behind its range.
  static var mostShare: Double { 0.8 }

  /// Returns the standard deviation of the position, along the direction in which the range shifts
  /// it, of which five reach what the other ranges allow.
  ///
  /// `lean` is the shift by an error of one standard deviation of the range, and `noise` the standard
  /// deviation of the position along that direction, metres.
  func deviation(lean: Double, noise: Double) -> Double {
    // The solution without the range is that far away, and has that standard deviation.
    deviation(
      apart: lean * residual / check,
      own: (noise * noise + (lean / check) * (lean / check)).squareRoot(), noise: noise)
  }

  /// Returns the same for a solution without the range, at a distance `apart` in the direction in which
  /// an error that is too long moves, with the standard deviation `own`, metres.
  func deviation(apart: Double, own: Double, noise: Double) -> Double {
    var error = 0.0
    // The parts of the errors that the residual does not show, in standard deviations of the solution
    // without the range.
    if let late { error = max(error, apart + max(0, late * check - residual) * own) }
    if let early { error = max(error, -apart + max(0, early * check + residual) * own) }
    return error > 0 ? (error + noise) / Self.reach : 0
  }

  /// Returns whether another position, beside which the range is wrong with a prior density, is likely
  /// enough to count if the other ranges cost more there by `excess`.
  func isLikely(_ density: Double, costing excess: Double) -> Bool {
    density * .exp(0.5 * min(Self.mostGain, residual * residual - excess)) >= Self.negligible
  }

  /// The number of standard deviations within which the truth is promised to lie.
  private static var reach: Double { 5 }
  /// The greatest gain in cost that counts, so that its exponential stays finite.
  private static var mostGain: Double { 60 }

  /// Whether such an error shifts the position by more than three standard deviations.
  var matter: Bool {
    max(late ?? 0, early ?? 0) * root > Self.leastShift
  }

  /// Returns whether such an error can matter at all; false, without a logarithm, for most ranges.
  @inline(__always)
  static func mayMatter(residual: Double, influence: Double) -> Bool {
    // With ρ = z / c, the errors times c are below 3.6 + 1.5 |ρ| even at odds of one.
    let check = 1 - influence
    return check <= 0
      || (3.6 * check.squareRoot() + 1.5 * residual.magnitude) * influence.squareRoot()
        > leastShift * check
  }

  /// √(2π): the density of a wrong range relative to the peak of the normal density is
  /// odds · √(2π) / (z · ln(size/σ)) at an error of z standard deviations.
  static var peak: Double { 2.506_628 }

  /// Returns the largest error whose odds against no error are not negligible.
  ///
  /// Legend: ρ the residual in its own standard deviations, c the check. An error b leaves a
  /// residual of b c in the mean; its odds are odds · √(2π) e^(ρ²/2) Q(b c - ρ) / (b ln(size/σ)).
  private static func largest(
    _ residual: Double, check: Double, _ odds: Double, span: Double
  ) -> Double? {
    guard odds > 0 else { return nil }
    let evidence = odds * peak * .exp(0.5 * min(30, residual * residual))
    var error = 3.0
    for _ in 0..<4 {
      let exceedance = negligible * span * max(1, error) / evidence
      guard exceedance < 1 else { return nil }
      error = max(0, (residual + normalQuantile(exceeding: exceedance)) / check)
    }
    return error > 0 ? error : nil
  }

  /// Returns the quantile of the normal distribution that is exceeded with a probability, accurate
  /// to 0.003 [Abramowitz & Stegun 1964, 26.2.22].
  private static func normalQuantile(exceeding probability: Double) -> Double {
    guard probability <= 0.5 else { return -normalQuantile(exceeding: 1 - probability) }
    let t = (-2 * Double.log(max(1e-300, probability))).squareRoot()
    return t - (2.307_53 + 0.270_61 * t) / (1 + (0.992_29 + 0.044_81 * t) * t)
  }
}
