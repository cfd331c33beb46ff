import RealModule

extension TrackerCalibration {
  /// The calibration with errors of ranges that are independent from one to the next, where `ranges`
  /// leave no doubt that they are.
  ///
  /// Errors of real ranges last for a while, and a tracker that does not know it believes itself too
  /// much; so that is assumed unless it is refuted. First, errors of which the assumed share lasts
  /// must explain the ranges decisively worse, whatever their standard deviation. Second, so must
  /// those that last exactly as assumed, whatever scatter comes on top of them. A drift that all
  /// links have in common is given up as well where it is refuted by itself.
  ///
  /// The least standard deviation is there since errors that last look too good; those found not to
  /// last are as good as they look: theirs is that of the normal errors that the ranges would show
  /// in this way.
  ///
  /// For a ``Tracker``. A ``TrackSmoother``, which looks at each error from both sides, believes
  /// itself less, and follows the noise less where it takes errors to last.
  ///
  /// - Parameters:
  ///   - ranges: of one tag, in order of time.
  ///   - anchors: the anchors.
  /// - Returns: The same settings, or those with independent errors, for all links together; the same
  ///   where nothing was assumed to last, or the ranges never start a track.
  ///
  /// ## Cost
  /// As that of ``calibrated(on:anchors:from:)``, half as much.
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

/// Errors that last and errors that do not, compared on the same ranges.
private struct ErrorComparison {
  private let search: TrackerCalibration.Search
  private let given: RangeErrors
  private var configuration: Tracker.Configuration

  init(stretch: [RangeMeasurement], anchors: [Anchor], configuration: Tracker.Configuration) {
    given = configuration.errors
    self.configuration = configuration
    self.configuration.errors.commonModeSigma = 0
    // A factor that follows the scatter would hide what is looked for.
    self.configuration.calibratesCovariance = false
    search = TrackerCalibration.Search(
      stretch: stretch, anchors: anchors, configuration: configuration)
  }

  /// The errors without what lasts of them, where the ranges speak for it; nil where they do not, or
  /// nothing was assumed to last.
  var independentErrors: RangeErrors? {
    let lasting = given.correlatedVariance
    guard lasting > 0 else { return nil }
    var independent = climb(along: scales.map { scaled(by: $0, share: 0) })
    guard independent.likelihood.isFinite,
      refutes(scales.map { scaled(by: $0, share: given.correlatedShare) }, independent.likelihood)
    else { return nil }
    let scattered = scales.map { scale in
      var errors = given
      let variance = lasting + scale * scale * given.whiteVariance(of: given.sigma)
      (errors.sigma, errors.correlatedShare) = (variance.squareRoot(), lasting / variance)
      return errors
    }
    guard refutes(scattered, independent.likelihood) else { return nil }
    independent.errors.commonModeSigma = given.commonModeSigma
    if given.commonModeSigma > 0, refutes([independent.errors], independent.likelihood) {
      independent.errors.commonModeSigma = 0
    }
    // What fits best is the scale of a distribution with heavy tails.
    independent.errors.sigma /= StudentDensity.scaleOfNormalErrors(
      freedom: given.degreesOfFreedom)
    return independent.errors
  }

  /// Whether each of `alternatives` is decisively less likely than what has the log-likelihood
  /// `likelihood`.
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

  /// Factors on a standard deviation, from the smallest to the largest.
  private var scales: [Double] { (-20...8).map { .pow(TrackerCalibration.step, Double($0)) } }

  /// The most likely of `errors`, which become more likely and then less; goes on from the middle.
  private func climb(along errors: [RangeErrors]) -> (errors: RangeErrors, likelihood: Double) {
    var place = errors.count * 2 / 3
    var best = measured(errors[place])
    for way in [-1, 1] {
      while errors.indices.contains(place + way) {
        let next = measured(errors[place + way])
        guard next > best else { break }
        (place, best) = (place + way, next)
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
