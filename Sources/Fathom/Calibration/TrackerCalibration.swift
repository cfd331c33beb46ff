import RealModule

/// The settings of a tracker that a stretch of ranges itself speaks for, so that nobody has to
/// tune.
///
/// Trackers with different settings run over the same ranges; the settings under which the ranges
/// were expected best, in the sum of the innovations' log-likelihoods, win. Found in this way are
/// the densities of the acceleration, the standard deviation of ranges, and whether ranges have a
/// bias and a scale in common. The last is taken for granted only on strong evidence: where there
/// is none to find, looking for one makes positions worse.
public struct TrackerCalibration: Sendable, Equatable {
  /// The settings to track with.
  public var configuration: Tracker.Configuration
  /// By how much a common bias and scale raise the log-likelihood of the ranges, nats; beside offsets
  /// of single anchors after ``weighingOffsets(on:anchors:)``.
  public var biasEvidence: Double
  /// Ranges that were looked at.
  public var count: Int
  /// The bias that all ranges have in common, metres; 0 where there is none, or it was not looked
  /// for.
  public var bias = 0.0
  /// The scale that all ranges have in common, less 1.
  public var scale = 0.0
  /// What ranges to each anchor read too much beyond a bias common to all, metres, in the order of
  /// the anchors; empty where they do not differ beyond doubt, or were not looked for.
  public var offsets: [Double] = []
  /// What ranges read too much by the strength of their signals; nil where they do not show it, or it
  /// was not looked for.
  public var rssiBiasCurve: RSSIBiasCurve?
  /// By how much that curve raises the log-likelihood of the ranges, less its own cost, nats; 0
  /// where there is none.
  public var rssiBiasEvidence = 0.0

  /// The settings found without a bias, where one was decided for.
  var unbiased: Unbiased?

  /// Settings without a bias.
  struct Unbiased: Sendable, Equatable {
    var settings: Tracker.Configuration
    /// Those that were compared, without a drift.
    var compared: Tracker.Configuration
  }

  /// Settings that are taken as they are.
  public init(configuration: Tracker.Configuration) {
    self.init(configuration: configuration, biasEvidence: 0, count: 0)
  }

  private init(configuration: Tracker.Configuration, biasEvidence: Double, count: Int) {
    self.configuration = configuration
    self.biasEvidence = biasEvidence
    self.count = count
  }

  /// Whether ranges were found to have a bias and a scale in common.
  public var isBiased: Bool { configuration.errors.biasSigma > 0 }

  /// Nats: a factor of 20 000 in likelihood.
  ///
  /// Chance, small flaws of the model and the search itself, which finds the best of many settings,
  /// reach 1000 where there is nothing to find.
  static let decisiveEvidence = 10.0
  /// Nats per range by which a smaller scatter has to explain ranges better to be seen for what it
  /// is, and not for motion that is gentler than assumed; five per cent of the scatter make as much.
  private static let clearGain = 0.05
  /// So many ranges, thinned, are enough to tell motion, noise and a common bias.
  static let greatestCount = 3000
  /// So many are looked at for corrections, of which those of single anchors show only as the tag
  /// moves among them.
  package static let greatestCorrectionCount = 10_000
  /// The finest step of the search, as a factor; it begins with steps twice as large.
  static let step = 1.5.squareRoot()
  /// A tag that went straight so far may still turn: no gentler than this times the given motion.
  private static let leastMotion = 0.3
  private static let greatestMotion = 40.0
  /// Range errors are never less than given: they last, so that their scatter looks too good.
  private static let greatestSigma = 100.0
  /// What an uncalibrated device may have: antenna delays of nanoseconds, a clock that is a few per
  /// cent off.
  private static let biasSigma = 0.3
  private static let scaleSigma = 0.05

  /// Calibrates on the beginning of `ranges`.
  ///
  /// - Parameters:
  ///   - ranges: of one tag, in order of time.
  ///   - anchors: the anchors.
  ///   - configuration: where to start from. Its sigma is the least, its motion the middle of what
  ///     is tried. Where it has a bias or a scale already, that is not questioned.
  /// - Returns: The settings found; those given, with no evidence, where the ranges never start a
  ///   track.
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

  /// The same, with a bias where the evidence for it is above `leastEvidence`.
  static func calibrated(
    on ranges: [RangeMeasurement], anchors: [Anchor], from configuration: Tracker.Configuration,
    withBiasFrom leastEvidence: Double
  ) -> Self {
    let stretch = stretch(of: ranges, anchors: anchors)
    // A drift would be taken for the bias, and for the slow part of all links together.
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

  /// A climb along motion and range errors in turn.
  struct Search {
    let stretch: [RangeMeasurement]
    let anchors: [Anchor]
    var best: Tracker.Configuration
    var likelihood = -Double.infinity
    private let given: Tracker.Configuration
    /// Where the search is, and where it has been.
    private var place = Place(motion: 0, sigma: 0)
    private var visited: Set<Place> = []

    /// Settings, as the number of steps up from those given.
    private struct Place: Hashable {
      var motion: Int
      var sigma: Int

      /// By how much accelerations are stronger than given.
      var motionFactor: Double { .pow(step, Double(motion)) }
      /// By how much range errors are larger than given.
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
        for way in [stride, -stride] { climb(motion: way) }
        for way in [stride, -stride] { climb(sigma: way) }
      }
    }

    /// Goes on in one direction as long as the ranges speak for it.
    private mutating func climb(motion: Int = 0, sigma: Int = 0) {
      while true {
        let next = Place(motion: place.motion + motion, sigma: place.sigma + sigma)
        guard leastMotion < next.motionFactor, next.motionFactor < greatestMotion,
          next.sigma >= 0, next.sigmaFactor < greatestSigma, tries(next)
        else { return }
      }
    }

    /// Whether the ranges speak for other settings; takes them over if so.
    ///
    /// Settings that were tried before are no better than the best since: they are not tried again.
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

    /// The errors found, with what all links have in common.
    ///
    /// What is assumed of errors and does not show from range to range lasts, and is in common as
    /// much as not: where the scatter shows less than a quarter of the variance, half of it is
    /// drift. Errors that scatter more are seen to be the links' own.
    ///
    /// - Parameter commonModeSigma: of the drift that is there in any case, metres; 0 for none ever.
    /// - Returns: The errors of the best settings; where half of their variance is drift, the rest is
    ///   in their sigma.
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

    /// The log-likelihood of the stretch; that of its very beginning depends on the start and is
    /// left out.
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
