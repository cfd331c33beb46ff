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
  /// By how much a common bias and scale raise the log-likelihood of the ranges, nats.
  public var biasEvidence: Double
  /// Ranges that were looked at.
  public var count: Int

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

  /// A factor of 1000 in likelihood: chance and small flaws of the model reach 10 to 100.
  private static let decisiveEvidence = 6.9
  /// So many ranges, thinned, are enough to tell.
  public static let greatestCount = 3000
  /// Steps of the search, as a factor.
  private static let step = 1.5
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
    var thinned = ThinnedRanges(anchorCount: anchors.count, limit: greatestCount)
    for range in ranges where !thinned.isFull { thinned.add(range) }
    let stretch = thinned.ranges
    var calm = Search(stretch: stretch, anchors: anchors, configuration: configuration)
    calm.run()
    var result = Self(configuration: calm.best, biasEvidence: 0, count: stretch.count)
    guard configuration.errors.biasSigma == 0, configuration.errors.scaleSigma == 0,
      calm.likelihood.isFinite
    else { return result }
    var biased = configuration
    biased.errors.biasSigma = biasSigma
    biased.errors.scaleSigma = scaleSigma
    var other = Search(stretch: stretch, anchors: anchors, configuration: biased)
    other.run()
    guard other.likelihood.isFinite else { return result }
    result.biasEvidence = other.likelihood - calm.likelihood
    if result.biasEvidence > decisiveEvidence { result.configuration = other.best }
    return result
  }

  /// A climb along motion and range errors in turn.
  private struct Search {
    let stretch: [RangeMeasurement]
    let anchors: [Anchor]
    var best: Tracker.Configuration
    var likelihood = -Double.infinity
    private var motion = 1.0
    private var sigma = 1.0
    /// Where the search is, and where it has been.
    private var place = Place(motion: 0, sigma: 0)
    private var visited: Set<Place> = []

    /// Settings, as the number of steps up from those given.
    private struct Place: Hashable {
      var motion: Int
      var sigma: Int
    }

    init(stretch: [RangeMeasurement], anchors: [Anchor], configuration: Tracker.Configuration) {
      self.stretch = stretch
      self.anchors = anchors
      best = configuration
    }

    mutating func run() {
      likelihood = measured(best)
      visited.insert(place)
      guard likelihood.isFinite else { return }
      for _ in 0..<2 {
        for factor in [step, 1 / step] {
          while (leastMotion...greatestMotion).contains(motion * factor), tries(motion: factor) {
            motion *= factor
          }
        }
        for factor in [step, 1 / step] {
          while (0.999...greatestSigma).contains(sigma * factor), tries(sigma: factor) {
            sigma *= factor
          }
        }
      }
    }

    /// Whether the ranges speak for other settings; takes them over if so.
    ///
    /// Settings that were tried before are no better than the best since: they are not tried again.
    private mutating func tries(motion: Double = 1, sigma: Double = 1) -> Bool {
      let next = Place(
        motion: place.motion + Self.direction(motion), sigma: place.sigma + Self.direction(sigma))
      guard visited.insert(next).inserted else { return false }
      var candidate = best
      candidate.modes.motion = candidate.modes.motion.scaled(by: motion)
      candidate.errors.sigma *= sigma
      let found = measured(candidate)
      guard found > likelihood else { return false }
      likelihood = found
      best = candidate
      place = next
      return true
    }

    /// Up, down or not at all: 1, -1 or 0.
    private static func direction(_ factor: Double) -> Int {
      factor > 1 ? 1 : factor < 1 ? -1 : 0
    }

    /// The log-likelihood of the stretch; that of its very beginning depends on the start and is
    /// left out.
    private func measured(_ configuration: Tracker.Configuration) -> Double {
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
