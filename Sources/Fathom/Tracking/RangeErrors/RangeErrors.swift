import RealModule

/// The assumed errors of ranges: a white part, a time-correlated part per link, and a common part.
///
/// Recordings with ground truth consistently show errors of a link of 1 to 3 cm from range to
/// range, and of 5 to 8 cm over seconds, as antennas turn and reflections change. The correlated
/// part determines the position error, because it does not average out. It is modelled as a
/// first-order Gauss-Markov process per link [Bar-Shalom et al. 2001, Sec. 8.2.2].
public struct RangeErrors: Sendable, Equatable, Codable {
  /// Standard deviation of a single range about the truth in metres, including the correlated part.
  public var sigma = 0.10
  /// Share of the correlated part in the variance, 0 to 1; 0 for independent errors.
  public var correlatedShare = 0.4
  /// Correlation time of the correlated part, in seconds, above 0: its autocorrelation falls to
  /// 1/e.
  public var correlationTime = 1.0
  /// Time within which a range that equals the last range of its link is discarded as a repeated
  /// reading, in seconds, not negative.
  ///
  /// The device held the value, or its error has not changed: the range is not an independent
  /// measurement. 0 discards only repeated values at the same instant.
  public var repetitionTime = 1.0
  /// Standard deviation of the common-mode error in metres: a first-order Gauss-Markov process
  /// added to all ranges of a tag.
  ///
  /// 0 disables it.
  ///
  /// The antenna of the tag turns, its carrier leans over it, its clock warms up: all ranges are a
  /// few centimetres longer or shorter for a while. Far from a cluster of anchors such an error is
  /// indistinguishable from a distance. A bias, if one is estimated, replaces the common-mode
  /// error. If errors scatter less than assumed, ``TrackerCalibration`` attributes half of their
  /// variance to the common-mode error.
  public var commonModeSigma = 0.05
  /// Correlation time of the common-mode error, in seconds, above 0.
  public var commonModeTime = 5.0
  /// Standard deviation of a bias common to all ranges, in metres; 0 without one.
  ///
  /// Uncalibrated antenna delays cause 0.1 to 0.5 m.
  public var biasSigma = 0.0
  /// Standard deviation of a scale error common to all ranges; 0 without one.
  public var scaleSigma = 0.0
  /// Standard deviation of the part of a link's error that lasts for minutes in metres; 0 without.
  ///
  /// The estimates do not follow it. Their covariance includes what it does to positions.
  public var persistentSigma = 0.0
  /// Standard deviation of a constant error common to all ranges that is not estimated, in metres: of
  /// what remains of a subtracted bias.
  ///
  /// The covariance of estimates includes what it does to positions.
  public var remainingBiasSigma = 0.0
  /// Degrees of freedom of the Student-t distribution of the errors.
  ///
  /// A smaller value gives less weight to ranges far from their prediction. Infinity stands for
  /// normal errors.
  public var degreesOfFreedom = 4.0

  /// Creates the default errors of calibrated UWB devices in use.
  public init() {}

  /// Variance of the correlated part, in m².
  var correlatedVariance: Double { correlatedShare * sigma * sigma }

  /// Mean anchor survey variance in m²; 0 in a configuration, set by a tracker from its anchors.
  var anchorSurveyVariance = 0.0

  /// Correlation time of the effect of an anchor's survey error, in seconds.
  ///
  /// After this time a tag that walks past at a distance of some metres sees the anchor from
  /// another side, so that another component of the error counts.
  private static let surveyTime = 20.0

  /// Returns the same errors with the survey variance of `anchors`.
  func surveyed(_ anchors: [Anchor]) -> Self {
    var errors = self
    let sum = anchors.reduce(0) { $0 + ($1.positionSigma ?? 0) * ($1.positionSigma ?? 0) }
    errors.anchorSurveyVariance = sum / Double(max(1, anchors.count))
    return errors
  }

  /// Variance of the time-correlated errors of a link in m²: the correlated part and the anchor
  /// survey variance.
  var linkErrorVariance: Double { correlatedVariance + anchorSurveyVariance }

  /// Share of the anchor survey variance in the variance of a range, 0 to 1.
  var anchorSurveyShare: Double {
    anchorSurveyVariance > 0 ? anchorSurveyVariance / (sigma * sigma + anchorSurveyVariance) : 0
  }

  /// Returns the autocorrelation of a link error after `seconds`, 0 to 1.
  ///
  /// Its initial rate is that of the sum of both parts.
  func linkErrorMemory(over seconds: Double) -> Double {
    guard anchorSurveyVariance > 0 else { return memory(over: seconds) }
    let rate = correlatedVariance / correlationTime + anchorSurveyVariance / Self.surveyTime
    return .exp(-seconds * rate / linkErrorVariance)
  }

  /// Returns the variance of the white part of a range with the standard deviation `sigma`, in m².
  func whiteVariance(of sigma: Double) -> Double { (1 - correlatedShare) * sigma * sigma }

  /// Returns the factor on the error of its link in a range with the standard deviation `sigma`.
  ///
  /// The correlated part has the same share in every range. The survey error of an anchor does not
  /// depend on the range.
  @inline(__always)
  func linkErrorFactor(of sigma: Double) -> Double {
    if sigma == self.sigma { return 1 }
    let variance = linkErrorVariance
    guard variance > 0 else { return 1 }
    return ((correlatedShare * sigma * sigma + anchorSurveyVariance) / variance).squareRoot()
  }

  /// Returns whether a range that equals the last range of its link, `seconds` before, is a
  /// repeated reading.
  ///
  /// At the same instant it always is. After ``repetitionTime`` it is an independent measurement.
  func isRepetition(after seconds: Double) -> Bool {
    seconds <= 0 || seconds < repetitionTime
  }

  /// Whether ranges have, or may have, a common error.
  var hasCommon: Bool { biasSigma > 0 || scaleSigma > 0 || commonModeSigma > 0 }

  /// Whether the common error is a Gauss-Markov process rather than a constant.
  var hasTransientCommonMode: Bool { biasSigma == 0 && commonModeSigma > 0 }

  /// Variance of the common error of all ranges at an instant, in m².
  var commonVariance: Double {
    biasSigma > 0 ? biasSigma * biasSigma : commonModeSigma * commonModeSigma
  }

  /// Returns the autocorrelation of the common-mode error after `seconds`, 0 to 1.
  func commonModeMemory(over seconds: Double) -> Double { .exp(-seconds / commonModeTime) }

  /// Returns the autocorrelation of the correlated part after `seconds`, 0 to 1.
  func memory(over seconds: Double) -> Double { .exp(-seconds / correlationTime) }

  /// Returns the variance of independent errors with the same effect, in m²: the variance of a mean
  /// over many ranges of a link, times their number.
  ///
  /// With the correlation φ of successive ranges, it is σ² + σc² (1 + φ) / (1 - φ) for white and
  /// correlated parts. It is not less than the variance of a single range. `interval` is the time
  /// between ranges of the link in seconds, above 0.
  func effectiveVariance(interval: Double) -> Double {
    let correlation = memory(over: interval)
    return whiteVariance(of: sigma)
      + correlatedVariance * (1 + correlation) / max(1e-6, 1 - correlation)
  }
}

extension Anchor {
  /// Returns the standard deviation of a single range of `sigma` metres, including the survey error
  /// of the anchor.
  func sigma(ofRange sigma: Double) -> Double {
    guard let positionSigma, positionSigma > 0 else { return sigma }
    return (sigma * sigma + positionSigma * positionSigma).squareRoot()
  }
}

extension [Anchor] {
  /// Returns the anchors with `offsets` in metres added to their biases; nil adds nothing.
  func corrected(by offsets: [(value: Double, sigma: Double)?]) -> Self {
    zip(self, offsets).map { anchor, offset in
      var anchor = anchor
      anchor.bias += anchor.scale * (offset?.value ?? 0)
      return anchor
    }
  }
}
