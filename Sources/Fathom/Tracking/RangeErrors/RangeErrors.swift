import RealModule

/// What is assumed about the errors of ranges: a fast part, a slow part per link, and what all have
/// in common.
///
/// Recordings with truth show the same picture wherever one looks: errors of one link scatter by 1
/// to 3 cm from range to range, and by 5 to 8 cm over seconds, as the antennas turn and reflections
/// come and go. The slow part is what positions suffer from, since it does not average out. It is
/// modelled as a first-order Gauss-Markov process per link [Bar-Shalom et al. 2001, Sec. 8.2.2].
public struct RangeErrors: Sendable, Equatable {
  /// Standard deviation of a single range about the truth, metres, the slow part included.
  public var sigma = 0.10
  /// The slow part's share of the variance, 0 to 1; 0 for errors independent from range to range.
  public var correlatedShare = 0.4
  /// The time in which the slow part falls to 1/e of itself, seconds, above 0.
  public var correlationTime = 1.0
  /// The time within which a range that reads the same as the last of its link is no second
  /// witness, seconds, not negative; 0 to take every range at its word.
  ///
  /// The device held the value, or its error has not changed.
  public var repetitionTime = 1.0
  /// Standard deviation of an error that all links of a tag share and that comes and goes, metres;
  /// 0 for none.
  ///
  /// The antenna of the tag turns, its carrier leans over it, its clock warms up: all ranges read a
  /// few centimetres more or less for a while. Far from a cluster of anchors nothing tells such an
  /// error from a distance. Where a bias is looked for, it takes the drift's place. Where errors
  /// scatter less than assumed, ``TrackerCalibration`` takes half of their variance to be drift.
  public var commonModeSigma = 0.05
  /// The time in which that error falls to 1/e of itself, seconds, above 0.
  public var commonModeTime = 5.0
  /// Standard deviation of a bias common to all ranges, metres; 0 where there is none.
  ///
  /// Antenna delays that nobody calibrated make 0.1 to 0.5 m.
  public var biasSigma = 0.0
  /// Standard deviation of a scale common to all ranges; 0 where there is none.
  public var scaleSigma = 0.0
  /// Degrees of freedom of the Student-t distribution that the errors are taken to have.
  ///
  /// The fewer, the less a range far from its prediction counts. Infinity for normal errors.
  public var degreesOfFreedom = 4.0

  /// The defaults: UWB in use, calibrated.
  public init() {}

  /// Variance of the slow part, m².
  var correlatedVariance: Double { correlatedShare * sigma * sigma }

  /// Variance that surveying left of the positions of anchors, their mean, m²; 0 in settings, a
  /// tracker knows it of its anchors.
  var anchorSurveyVariance = 0.0

  /// The time in which a tag comes to look at an anchor from elsewhere, so that another part of the
  /// error of its position counts, seconds: walking past at some metres.
  private static let surveyTime = 20.0

  /// The same errors with what surveying left of the positions of `anchors`.
  func surveyed(_ anchors: [Anchor]) -> Self {
    var errors = self
    let sum = anchors.reduce(0) { $0 + ($1.positionSigma ?? 0) * ($1.positionSigma ?? 0) }
    errors.anchorSurveyVariance = sum / Double(max(1, anchors.count))
    return errors
  }

  /// Variance of the errors of links that last, m²: the slow part, and what surveying left.
  var linkErrorVariance: Double { correlatedVariance + anchorSurveyVariance }

  /// The share of what surveying left in the variance of a range, 0 to 1.
  var anchorSurveyShare: Double {
    anchorSurveyVariance > 0 ? anchorSurveyVariance / (sigma * sigma + anchorSurveyVariance) : 0
  }

  /// What is left of an error that lasts after `seconds`, 0 to 1; it changes at first as fast as
  /// both of its parts together.
  func linkErrorMemory(over seconds: Double) -> Double {
    guard anchorSurveyVariance > 0 else { return memory(over: seconds) }
    let rate = correlatedVariance / correlationTime + anchorSurveyVariance / Self.surveyTime
    return .exp(-seconds * rate / linkErrorVariance)
  }

  /// Variance of the fast part of a range whose standard deviation is `sigma` metres, m².
  func whiteVariance(of sigma: Double) -> Double { (1 - correlatedShare) * sigma * sigma }

  /// Whether a range that reads the same as the one of its link `seconds` before is no second
  /// witness.
  ///
  /// At the same instant it is the same measurement. Once errors have had time to change, it counts.
  func isRepetition(after seconds: Double) -> Bool {
    seconds <= 0 || seconds < repetitionTime
  }

  /// Whether ranges have an error in common, or may have one.
  var hasCommon: Bool { biasSigma > 0 || scaleSigma > 0 || commonModeSigma > 0 }

  /// Whether the error that ranges have in common is one that comes and goes.
  var hasTransientCommonMode: Bool { biasSigma == 0 && commonModeSigma > 0 }

  /// Variance of what all ranges read too much at an instant, m².
  var commonVariance: Double {
    biasSigma > 0 ? biasSigma * biasSigma : commonModeSigma * commonModeSigma
  }

  /// What is left of a drift after `seconds`, 0 to 1.
  func commonModeMemory(over seconds: Double) -> Double { .exp(-seconds / commonModeTime) }

  /// What is left of the slow part after `seconds`, 0 to 1.
  func memory(over seconds: Double) -> Double { .exp(-seconds / correlationTime) }

  /// The variance of independent errors that would hurt as much, m²: that of a mean over many
  /// ranges of a link, times their number.
  ///
  /// With φ the correlation of successive ranges, σ² + σc² (1 + φ) / (1 - φ) of fast and slow
  /// parts.
  ///
  /// - Parameter interval: seconds between ranges of the link, above 0.
  /// - Returns: The variance, not less than that of a single range.
  func effectiveVariance(interval: Double) -> Double {
    let correlation = memory(over: interval)
    return whiteVariance(of: sigma)
      + correlatedVariance * (1 + correlation) / max(1e-6, 1 - correlation)
  }
}

extension Anchor {
  /// The standard deviation of a single range of `sigma` metres with what surveying left, metres.
  func sigma(ofRange sigma: Double) -> Double {
    guard let positionSigma, positionSigma > 0 else { return sigma }
    return (sigma * sigma + positionSigma * positionSigma).squareRoot()
  }
}

extension [Anchor] {
  /// The anchors with `offsets` added to what their ranges read too much, metres; nil for none.
  func corrected(by offsets: [(value: Double, sigma: Double)?]) -> Self {
    zip(self, offsets).map { anchor, offset in
      var anchor = anchor
      anchor.bias += anchor.scale * (offset?.value ?? 0)
      return anchor
    }
  }
}
