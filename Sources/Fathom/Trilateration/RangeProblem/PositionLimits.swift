/// The limits of doubt about a position, the same for every path through the solver.
enum PositionLimits {
  /// The cost up to which the starts from squared ranges find the lowest minimum: all residuals
  /// then lie where the cost is convex.
  static var clearCost: Double { 6 }
  /// The number of ranges beyond the unknowns from which a higher cost is as clear, if no range is
  /// discounted or has an influence above ``clearInfluence``.
  static var leastSpare: Int { 3 }
  /// The influence of a range up to which the others clearly check it.
  static var clearInfluence: Double { 0.6 }
  /// The excess of twice the negative log-likelihood over the best that an alternative may have: the
  /// 99.9 % quantile of chi-square with one degree of freedom, as for the consistency of a fix.
  static var mostExcess: Double { 10.83 }
  /// The excess cost up to which the likelihood around a position is examined: five standard
  /// deviations.
  static var depth: Double { 25 }

  /// Standard deviation of a position above which there is no position, in metres: far beyond the reach of radios.
  ///
  /// A filter that starts with more loses the sign of its covariance to rounding when precise ranges
  /// follow.
  static var largestSigma: Double { 1e3 }

  /// Returns whether a squared distance near that depth, in standard deviations, still describes the
  /// region in between: from 3.9 to 6.3 standard deviations instead of five.
  @inline(__always)
  static func isStraight(_ square: Double) -> Bool { square >= 15 && square <= 40 }
}

/// The limits of a descent to a minimum of range residuals.
enum DescentLimits {
  /// The length of a step at which a position has converged, relative to the size of the problem: a
  /// nanometre in a metre.
  static var accuracy: Double { 1e-9 }
  /// The length of a Newton step from which the next one is shorter than ``accuracy``, if the last
  /// was ten times as long.
  static var quadratic: Double { 1e-7 }
  /// The length of a step that is rounding error of the position.
  static var rounding: Double { 1e-13 }
  /// The relative increase of a cost that is rounding error.
  static var level: Double { 1e-15 }
  /// The damping below which Newton steps are tried again, traces of JᵀWJ.
  static var negligibleDamping: Double { 1e-9 }
  /// The first damping of a singular JᵀWJ, traces.
  static var dampingIfSingular: Double { 1e-6 }
  /// The least damping of Gauss-Newton steps, traces.
  static var leastDamping: Double { 1e-14 }
}
