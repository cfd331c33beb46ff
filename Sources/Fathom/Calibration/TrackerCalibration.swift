import RealModule

/// Tracker settings estimated from a stretch of ranges, without manual tuning.
///
/// Trackers with different settings process the same ranges. The settings with the largest sum of
/// innovation log-likelihoods win. The search finds the acceleration density, the standard
/// deviation of ranges, and whether ranges have a common bias and scale. A common bias is adopted
/// only on strong evidence, because estimating one that does not exist degrades the positions.
public struct TrackerCalibration: Sendable, Equatable {
  /// The settings for tracking.
  public var configuration: Tracker.Configuration
  /// The gain in log-likelihood of the ranges from a common bias and scale, in nats; relative to
  /// offsets of single anchors after ``weighingOffsets(on:anchors:)``.
  public var biasEvidence: Double
  /// The number of ranges used.
  public var count: Int
  /// The common bias of all ranges in metres; 0 without one, or if it was not estimated.
  public var bias = 0.0
  /// The common scale of all ranges less 1; 0 if it was not estimated.
  public var scale = 0.0
  /// The range offsets of single anchors beyond the common bias in metres, in the order of the
  /// anchors; empty if they are not significant, or if they were not estimated.
  public var offsets: [Double] = []
  /// The RSSI-dependent range bias; nil if the ranges show none, or if it was not estimated.
  public var rssiBiasCurve: RSSIBiasCurve?
  /// The gain in log-likelihood of the ranges from that curve, less its cost, in nats; 0 without a
  /// curve.
  public var rssiBiasEvidence = 0.0

  /// The settings found without a bias, if one was adopted.
  var unbiased: Unbiased?

  /// Settings without a bias.
  struct Unbiased: Sendable, Equatable {
    var settings: Tracker.Configuration
    /// The compared settings, without a common-mode error.
    var compared: Tracker.Configuration
  }

  /// Creates a calibration with given settings, without estimation.
  public init(configuration: Tracker.Configuration) {
    self.init(configuration: configuration, biasEvidence: 0, count: 0)
  }

  private init(configuration: Tracker.Configuration, biasEvidence: Double, count: Int) {
    self.configuration = configuration
    self.biasEvidence = biasEvidence
    self.count = count
  }

  /// Whether a common bias and scale of the ranges were found.
  public var isBiased: Bool { configuration.errors.biasSigma > 0 }

  /// Evidence that decides, in nats: a likelihood ratio of 20 000.
  ///
  /// Without a true effect, likelihood ratios reach 1000. The reasons are chance, small model
  /// errors, and the search, which selects the best of many settings.
  static let decisiveEvidence = 10.0
  /// Minimum gain of a smaller scatter, in nats per range; a 5 % smaller scatter gains this much.
  ///
  /// Below it, the gain may come from motion with less acceleration than assumed.
  private static let clearGain = 0.05
  /// Number of ranges, thinned, that distinguishes motion, noise and a common bias.
  static let greatestCount = 3000
  /// Number of ranges used for corrections; offsets of single anchors show only as the tag moves
  /// among the anchors.
  package static let greatestCorrectionCount = 10_000
  /// The finest step of the search, as a factor; the first steps are its square.
  static let step = 1.5.squareRoot()
  /// Lower limit of the motion factor: a tag that has moved straight may still turn.
  private static let leastMotion = 0.3
  private static let greatestMotion = 40.0
  /// Upper limit of the sigma factor; its lower limit is 1.
  ///
  /// Range errors are time-correlated, so that their scatter underestimates them.
  private static let greatestSigma = 100.0
  /// Prior of an uncalibrated device: antenna delays of nanoseconds, and a clock error of a few per
  /// cent.
  private static let biasSigma = 0.3
  private static let scaleSigma = 0.05

  /// Returns a calibration from the beginning of `ranges`.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag, in order of time.
  ///   - anchors: The anchors.
  ///   - configuration: The start of the search. Its sigma is the lower limit; its motion is the
  ///     middle of the searched range. A bias or scale that it allows is kept without a test.
  /// - Returns: The settings found; the given settings, without evidence, if the ranges never start
  ///   a track.
  ///
  /// ## Cost
  /// At most 3000 ranges, thinned to 10 per second and link, are tracked about twenty times: some
  /// tenths of a second.
  public static func calibrated(
    on ranges: [RangeMeasurement], anchors: [Anchor],
    from configuration: Tracker.Configuration = Tracker.Configuration()
  ) -> Self {
    calibrated(
      on: ranges, anchors: anchors, from: configuration, withBiasFrom: decisiveEvidence)
  }

  /// Returns a calibration that adopts a bias if the evidence for it exceeds `leastEvidence`.
  static func calibrated(
    on ranges: [RangeMeasurement], anchors: [Anchor], from configuration: Tracker.Configuration,
    withBiasFrom leastEvidence: Double
  ) -> Self {
    let stretch = stretch(of: ranges, anchors: anchors)
    // A common-mode error would absorb the bias and the correlated part that all links share.
    var driftless = configuration
    driftless.errors.commonModeSigma = 0
    var calm = Search(stretch: stretch, anchors: anchors, configuration: driftless)
    calm.run()
    var result = Self(configuration: calm.best, biasEvidence: 0, count: stretch.count)
    result.configuration.errors = calm.errors(drifting: configuration.errors.commonModeSigma)
    guard configuration.errors.biasSigma == 0, configuration.errors.scaleSigma == 0,
      calm.likelihood.isFinite
    else { return result }
    var biased = driftless
    biased.errors.biasSigma = biasSigma
    biased.errors.scaleSigma = scaleSigma
    var other = Search(stretch: stretch, anchors: anchors, configuration: biased)
    other.run()
    guard other.likelihood.isFinite else { return result }
    result.biasEvidence = other.likelihood - calm.likelihood
    if result.biasEvidence > leastEvidence {
      result.unbiased = Unbiased(settings: result.configuration, compared: calm.best)
      result.configuration = other.best
    }
    return result
  }

  /// A coordinate search over motion and range errors in turn.
  struct Search {
    let stretch: [RangeMeasurement]
    let anchors: [Anchor]
    var best: Tracker.Configuration
    var likelihood = -Double.infinity
    private let given: Tracker.Configuration
    /// The current settings and those tried.
    private var place = Place(motion: 0, sigma: 0)
    private var visited: Set<Place> = []

    /// Settings as numbers of steps from the given ones.
    private struct Place: Hashable {
      var motion: Int
      var sigma: Int

      /// Factor on the accelerations.
      var motionFactor: Double { .pow(step, Double(motion)) }
      /// Factor on the range errors.
      var sigmaFactor: Double { .pow(step, Double(sigma)) }
    }

    init(stretch: [RangeMeasurement], anchors: [Anchor], configuration: Tracker.Configuration) {
      self.stretch = stretch
      self.anchors = anchors
      given = configuration
      best = configuration
    }

    mutating func run() {
      likelihood = measured(best)
      visited.insert(place)
      guard likelihood.isFinite else { return }
      for stride in [2, 2, 1] {
        for direction in [stride, -stride] { climb(motion: direction) }
        for direction in [stride, -stride] { climb(sigma: direction) }
      }
    }

    /// Advances in one direction while the likelihood increases.
    private mutating func climb(motion: Int = 0, sigma: Int = 0) {
      while true {
        let next = Place(motion: place.motion + motion, sigma: place.sigma + sigma)
        guard leastMotion < next.motionFactor, next.motionFactor < greatestMotion,
          next.sigma >= 0, next.sigmaFactor < greatestSigma, tries(next)
        else { return }
      }
    }

    /// Evaluates other settings, adopts them if they are more likely, and returns whether it did.
    ///
    /// Settings tried before are no better than the current best and are skipped.
    private mutating func tries(_ next: Place) -> Bool {
      guard visited.insert(next).inserted else { return false }
      var candidate = given
      candidate.modes.motion = candidate.modes.motion.scaled(by: next.motionFactor)
      candidate.errors.sigma *= next.sigmaFactor
      let found = measured(candidate)
      guard found > likelihood else { return false }
      likelihood = found
      best = candidate
      place = next
      return true
    }

    /// Returns the errors of the best settings with a common-mode error.
    ///
    /// An assumed error variance that does not show as scatter between ranges belongs to correlated
    /// errors. Half of it is attributed to the common-mode error. If the scatter shows less than a
    /// quarter of the assumed variance, half of that variance becomes common-mode error. Errors
    /// that scatter more are attributed to the links.
    ///
    /// - Parameter commonModeSigma: The minimum standard deviation of the common-mode error in
    ///   metres; 0 disables it.
    /// - Returns: The errors of the best settings. If half of their variance is common-mode error,
    ///   their sigma covers the other half.
    func errors(drifting commonModeSigma: Double) -> RangeErrors {
      var errors = best.errors
      errors.commonModeSigma = commonModeSigma
      guard likelihood.isFinite, commonModeSigma > 0, errors.biasSigma == 0 else { return errors }
      var quarter = best
      quarter.errors.sigma *= 0.25.squareRoot()
      var eighth = best
      eighth.errors.sigma *= 0.125.squareRoot()
      let gain = measured(eighth) - measured(quarter)
      guard gain > clearGain * Double(stretch.count) else { return errors }
      errors.sigma *= 0.5.squareRoot()
      errors.commonModeSigma = max(commonModeSigma, errors.sigma)
      return errors
    }

    /// Returns the log-likelihood of the stretch without its beginning, which depends on the start.
    func measured(_ configuration: Tracker.Configuration) -> Double {
      guard let first = stretch.first?.time else { return -.infinity }
      let begin = first.advanced(bySeconds: 2 * configuration.startWindow)
      var tracker = Tracker(anchors: anchors, configuration: configuration)
      var sum = 0.0
      var count = 0
      for range in stretch {
        let update = tracker.update(
          distance: range.distance, sigma: range.sigma, anchor: range.anchor, at: range.time)
        guard range.time > begin, let logLikelihood = update.logLikelihood else { continue }
        sum += logLikelihood
        count += 1
      }
      return count > 0 ? sum : -.infinity
    }
  }
}
