/// The acceleration density and range noise found by expectation maximisation.
///
/// The model is the textbook one and differs from that of ``Tracker``: one mode of motion, and
/// normal errors that are independent in time (``NoiseExpectationMaximization`` with
/// ``ConstantVelocity`` and ``RangeModel``). It attributes time-correlated errors to motion.
/// Its standard deviation is therefore that of the scatter, and its acceleration is larger. It has
/// no lower limits.
public struct MaximumLikelihoodNoise: Sendable, Equatable {
  /// The settings of the calibration, with the estimated acceleration and standard deviation of
  /// ranges.
  public var configuration: Tracker.Configuration
  /// The number of ranges used: those to which the tracker gave nearly their full weight.
  public var count: Int
  /// The log-likelihood after each pass under the model of this estimate; see
  /// ``NoiseExpectationMaximization/Estimate/logLikelihoods``.
  public var logLikelihoods: [Double]
  /// Whether the passes converged.
  public var isConverged: Bool
}

extension TrackerCalibration {
  /// Returns the expectation-maximisation estimate for the beginning of `ranges`.
  ///
  /// A ``Tracker`` with the calibrated settings screens the ranges first. The estimate uses the
  /// ranges from the tracker's start to its next restart. Discounted ranges are left out, and the
  /// tracker's final bias and scale are subtracted.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag used for the calibration, in order of time.
  ///   - anchors: The anchors.
  /// - Returns: The estimate; nil if the ranges never start a track, or if there are no ranges
  ///   after its start.
  ///
  /// ## Cost
  /// At most 3000 ranges, thinned, and 200 passes, usually 15 to 30: some tenths of a second.
  public func maximumLikelihoodNoise(
    on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> MaximumLikelihoodNoise? {
    guard configuration.isValid(for: anchors) else { return nil }
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

  /// Returns the log-likelihood of the beginning of `ranges` for a tracker with these settings, in
  /// nats.
  ///
  /// ``calibrated(on:anchors:from:isSigmaKnown:searchesForCommonErrors:)`` maximises it among settings
  /// without a common-mode error.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - ranges: The ranges of one tag, in order of time.
  ///   - anchors: The anchors.
  /// - Returns: The sum of the logarithms; minus infinity if the ranges never start a track, or if
  ///   the settings or the anchors are invalid.
  public static func logLikelihood(
    of configuration: Tracker.Configuration, on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> Double {
    guard configuration.isValid(for: anchors) else { return -.infinity }
    return Search(
      stretch: stretch(of: ranges, anchors: anchors), anchors: anchors,
      configuration: configuration
    ).measured(configuration)
  }

  /// Returns the beginning of `ranges` that a calibration uses, thinned.
  static func stretch(
    of ranges: [RangeMeasurement], anchors: [Anchor], limit: Int = greatestCount
  ) -> [RangeMeasurement] {
    var thinned = ThinnedRanges(anchorCount: anchors.count, limit: limit)
    for range in ranges where !thinned.isFull { thinned.add(range) }
    return thinned.ranges
  }
}

/// The ranges used by a tracker, as steps of a filter without outliers and biases.
private struct ScreenedRanges {
  /// The state estimate at the start of the tracker; nil if it never started.
  private(set) var prior: Gaussian<6>?
  private(set) var steps: [NoiseExpectationMaximization<6, 1>.Step] = []
  /// The anchor of each step.
  private(set) var anchors: [Int] = []

  init(
    _ ranges: [RangeMeasurement], anchors sites: [Anchor], configuration: Tracker.Configuration
  ) {
    var tracker = Tracker(among: sites, validated: configuration)
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

  /// Returns a prior with the estimated position and a zero velocity of standard deviation `speed`.
  private static func prior(_ estimate: TrackEstimate, speed: Double) -> Gaussian<6> {
    var prior = Gaussian(mean: Vector<6>.zero, covariance: .zero)
    for axis in 0..<3 {
      prior.mean[axis] = estimate.position[axis]
      for other in 0..<3 {
        prior.covariance[axis, other] = estimate.covariance[axis, other]
      }
      guard estimate.covariance[axis, axis] > 0 else { continue }
      prior.covariance[axis + 3, axis + 3] = speed * speed
    }
    return prior
  }
}
