import RealModule

extension TrackerCalibration {
  /// Returns the calibration with range errors that are independent in time, if `ranges` decisively
  /// support them.
  ///
  /// Real range errors are time-correlated, and a tracker that assumes independent errors is
  /// overconfident. Correlation is therefore assumed unless two comparisons reject it. First,
  /// errors with the assumed correlated share must explain the ranges decisively worse, for every
  /// standard deviation. Second, so must errors with exactly the assumed correlated variance, for
  /// every white variance on top. The common-mode error is removed as well if it is rejected on its
  /// own.
  ///
  /// The standard deviation has a lower limit because the scatter underestimates correlated errors.
  /// The limit does not apply to independent errors: their standard deviation is that of the normal
  /// errors that fit the ranges.
  ///
  /// Use the result for a ``Tracker``. A ``TrackSmoother`` uses ranges on both sides of each error:
  /// it is less overconfident, and it follows the noise less if it assumes correlation.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag, in order of time.
  ///   - anchors: The anchors.
  /// - Returns: The settings with independent errors for all links, or the same settings. They stay
  ///   the same if no correlation was assumed, or if the ranges never start a track.
  ///
  /// ## Cost
  /// Half of the cost of ``calibrated(on:anchors:from:)``.
  public func withIndependentErrors(on ranges: [RangeMeasurement], anchors: [Anchor]) -> Self {
    let comparison = ErrorComparison(
      stretch: Self.stretch(of: ranges, anchors: anchors), anchors: anchors,
      configuration: configuration)
    guard let errors = comparison.independentErrors else { return self }
    var result = self
    result.configuration.errors = errors
    return result
  }
}

/// Compares time-correlated and independent errors on the same ranges.
private struct ErrorComparison {
  private let search: TrackerCalibration.Search
  private let given: RangeErrors
  private var configuration: Tracker.Configuration

  init(stretch: [RangeMeasurement], anchors: [Anchor], configuration: Tracker.Configuration) {
    given = configuration.errors
    self.configuration = configuration
    self.configuration.errors.commonModeSigma = 0
    // A factor that follows the scatter would hide the difference.
    self.configuration.calibratesCovariance = false
    search = TrackerCalibration.Search(
      stretch: stretch, anchors: anchors, configuration: configuration)
  }

  /// The errors without correlation if the ranges support them; nil if they do not, or if no
  /// correlation was assumed.
  var independentErrors: RangeErrors? {
    let correlated = given.correlatedVariance
    guard correlated > 0 else { return nil }
    var independent = climb(along: scales.map { scaled(by: $0, share: 0) })
    guard independent.likelihood.isFinite,
      refutes(scales.map { scaled(by: $0, share: given.correlatedShare) }, independent.likelihood)
    else { return nil }
    let scattered = scales.map { scale in
      var errors = given
      let variance = correlated + scale * scale * given.whiteVariance(of: given.sigma)
      (errors.sigma, errors.correlatedShare) = (variance.squareRoot(), correlated / variance)
      return errors
    }
    guard refutes(scattered, independent.likelihood) else { return nil }
    independent.errors.commonModeSigma = given.commonModeSigma
    if given.commonModeSigma > 0, refutes([independent.errors], independent.likelihood) {
      independent.errors.commonModeSigma = 0
    }
    // The best-fitting sigma is the scale of a heavy-tailed distribution.
    independent.errors.sigma /= StudentDensity.scaleOfNormalErrors(
      freedom: given.degreesOfFreedom)
    return independent.errors
  }

  /// Returns whether each of `alternatives` is decisively less likely than a model with the
  /// log-likelihood `likelihood`.
  private func refutes(_ alternatives: [RangeErrors], _ likelihood: Double) -> Bool {
    likelihood > climb(along: alternatives).likelihood + TrackerCalibration.decisiveEvidence
  }

  private func scaled(by scale: Double, share: Double) -> RangeErrors {
    var errors = given
    errors.commonModeSigma = 0
    errors.correlatedShare = share
    errors.sigma *= scale
    return errors
  }

  /// Factors on a standard deviation, in ascending order.
  private var scales: [Double] { (-20...8).map { .pow(TrackerCalibration.step, Double($0)) } }

  /// Returns the most likely of `errors` and its log-likelihood.
  ///
  /// Climbs from an element at two thirds, assuming a single maximum.
  private func climb(along errors: [RangeErrors]) -> (errors: RangeErrors, likelihood: Double) {
    var place = errors.count * 2 / 3
    var best = measured(errors[place])
    for direction in [-1, 1] {
      while errors.indices.contains(place + direction) {
        let next = measured(errors[place + direction])
        guard next > best else { break }
        (place, best) = (place + direction, next)
      }
    }
    return (errors[place], best)
  }

  private func measured(_ errors: RangeErrors) -> Double {
    var candidate = configuration
    candidate.errors = errors
    return search.measured(candidate)
  }
}
