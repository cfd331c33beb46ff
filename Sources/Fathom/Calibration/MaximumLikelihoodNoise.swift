/// Acceleration and noise of ranges by expectation and maximisation, beside those of the search.
///
/// Another model than that of ``Tracker``, and the one of the textbooks: one mode of motion, errors
/// that are normal and independent from range to range (``NoiseExpectationMaximization`` with
/// ``ConstantVelocity`` and ``RangeModel``). Errors that last it takes for motion, so that its
/// standard deviation is that of the scatter and its acceleration the larger one. It has no floor.
public struct MaximumLikelihoodNoise: Sendable, Equatable {
  /// The settings of the calibration with what was found in place of its acceleration and of its
  /// standard deviation of ranges.
  public var configuration: Tracker.Configuration
  /// Ranges that were looked at: those that the tracker used with nearly their full weight.
  public var count: Int
  /// What the search went through, see ``NoiseExpectationMaximization/Estimate/logLikelihoods``, by
  /// its own model.
  public var logLikelihoods: [Double]
  /// Whether it came to rest.
  public var isConverged: Bool
}

extension TrackerCalibration {
  /// What expectation and maximisation make of the beginning of `ranges`.
  ///
  /// A ``Tracker`` with the settings found goes over the ranges first: where it starts they begin,
  /// ranges that it discounts are left out, and the bias and scale that it found at the end are
  /// taken off. They end where it starts again.
  ///
  /// - Parameters:
  ///   - ranges: of one tag, in order of time, those that were calibrated on.
  ///   - anchors: the anchors.
  /// - Returns: What was found; nil where the ranges never start a track, or nothing was seen after
  ///   its start.
  ///
  /// ## Cost
  /// At most 3000 ranges, thinned, and 200 passes, mostly 15 to 30: some tenths of a second.
  public func maximumLikelihoodNoise(
    on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> MaximumLikelihoodNoise? {
    let run = ScreenedRanges(
      Self.stretch(of: ranges, anchors: anchors), anchors: corrected(anchors),
      configuration: configuration)
    guard let prior = run.prior, !run.steps.isEmpty else { return nil }
    let motion = configuration.modes.motion
    let isLevel = configuration.exactHeight != nil
    let found = try? NoiseExpectationMaximization<6, 1>(prior: prior).maximized(
      run.steps,
      by: isLevel
        ? ConstantVelocity(horizontalDensity: motion.horizontalDensity, verticalDensity: 0)
        : motion
    ) { RangeModel(anchor: anchors[run.anchors[$0]].position) }
    guard let found else { return nil }
    var result = MaximumLikelihoodNoise(
      configuration: configuration, count: run.steps.count,
      logLikelihoods: found.logLikelihoods, isConverged: found.isConverged)
    result.configuration.modes.motion = motion.scaled(by: found.motionFactor.squareRoot())
    result.configuration.errors.sigma *= found.measurementFactor.squareRoot()
    return result
  }

  /// How likely a tracker of these settings finds the beginning of `ranges`, nats: what
  /// ``calibrated(on:anchors:from:)`` makes as large as it can among settings without drift.
  ///
  /// - Parameters:
  ///   - configuration: the settings.
  ///   - ranges: of one tag, in order of time.
  ///   - anchors: the anchors.
  /// - Returns: The sum of the logarithms; minus infinity where the ranges never start a track.
  public static func logLikelihood(
    of configuration: Tracker.Configuration, on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> Double {
    Search(
      stretch: stretch(of: ranges, anchors: anchors), anchors: anchors,
      configuration: configuration
    ).measured(configuration)
  }

  /// The beginning of `ranges`, thinned: what a calibration looks at.
  static func stretch(
    of ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> [RangeMeasurement] {
    var thinned = ThinnedRanges(anchorCount: anchors.count, limit: greatestCount)
    for range in ranges where !thinned.isFull { thinned.add(range) }
    return thinned.ranges
  }
}

/// The ranges that a tracker used, as steps of a filter that knows no outliers and no biases.
private struct ScreenedRanges {
  /// What the tracker believed when it started; nil where it never did.
  private(set) var prior: Gaussian<6>?
  private(set) var steps: [NoiseExpectationMaximization<6, 1>.Step] = []
  /// The anchor of each step.
  private(set) var anchors: [Int] = []

  init(
    _ ranges: [RangeMeasurement], anchors sites: [Anchor], configuration: Tracker.Configuration
  ) {
    var tracker = Tracker(anchors: sites, configuration: configuration)
    var used: [RangeMeasurement] = []
    var start: Timestamp?
    run: for range in ranges {
      let update = tracker.update(
        distance: range.distance, sigma: range.sigma, anchor: range.anchor, at: range.time)
      switch update.outcome {
      case .started:
        guard start == nil else { break run }
        start = range.time
        prior = tracker.estimate(at: range.time).map {
          Self.prior($0, speed: configuration.startVelocitySigma)
        }
      case .used where start != nil: used.append(range)
      default: continue
      }
    }
    guard var last = start else { return }
    let (bias, scale) = (tracker.bias?.value ?? 0, tracker.scale?.value ?? 0)
    for range in used {
      let site = sites[range.anchor]
      let sigma = range.sigma ?? configuration.errors.sigma
      let surveyed = site.positionSigma ?? 0
      let distance = (site.corrected(range.distance) - bias) / (1 + scale)
      steps.append(
        NoiseExpectationMaximization.Step(
          seconds: range.time.seconds(since: last), measurement: Vector([distance]),
          noise: Matrix([[sigma * sigma + surveyed * surveyed]])))
      anchors.append(range.anchor)
      last = range.time
    }
  }

  /// The position as it was found, and a velocity of which nothing is known but its size.
  private static func prior(_ estimate: TrackEstimate, speed: Double) -> Gaussian<6> {
    var belief = Gaussian(mean: Vector<6>.zero, covariance: .zero)
    for axis in 0..<3 {
      belief.mean[axis] = estimate.position[axis]
      for other in 0..<3 {
        belief.covariance[axis, other] = estimate.covariance[axis, other]
      }
      guard estimate.covariance[axis, axis] > 0 else { continue }
      belief.covariance[axis + 3, axis + 3] = speed * speed
    }
    return belief
  }
}
