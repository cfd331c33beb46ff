import RealModule

/// Tracker settings estimated from a stretch of ranges, without manual tuning.
///
/// First the errors that all ranges, or those of an anchor, have in common are found from the
/// consistency of epochs, without a track: see ``RangeErrorEstimate``. They are constants, which the
/// anchors that ``corrected(_:)`` returns carry. What remains of them widens the covariance of
/// estimates.
///
/// Then trackers with different settings process the corrected ranges. The density of the
/// acceleration and the standard deviation of ranges with the largest sum of innovation
/// log-likelihoods win.
public struct TrackerCalibration: Sendable, Equatable, Codable {
  /// The settings for tracking.
  public var configuration: Tracker.Configuration
  /// The number of ranges used.
  public var count: Int
  /// The errors that ranges have in common; nil with fewer than ten redundant epochs.
  public var errors: RangeErrorEstimate?
  /// The common bias of all ranges in metres; 0 if none was found.
  public var bias = 0.0
  /// The common scale of all ranges less 1; 0 if none was found.
  public var scale = 0.0
  /// The range offsets of single anchors beyond the common bias in metres, in the order of the
  /// anchors; empty if none were found.
  public var offsets: [Double] = []
  /// The RSSI-dependent range bias; nil if the ranges show none, or if it was not estimated.
  public var rssiBiasCurve: RSSIBiasCurve?
  /// The gain in log-likelihood of the ranges from that curve, less its cost, in nats; 0 without a
  /// curve.
  public var rssiBiasEvidence = 0.0
  /// How measured heights agree with the ranges; nil without heights.
  public var heights: HeightAgreement?
  /// How odometry agrees with the ranges; nil without odometry.
  public var odometry: OdometryAgreement?
  /// How inertial data agree with the ranges; nil without them, and with odometry.
  public var inertial: InertialAgreement?

  /// Creates a calibration with given settings, without estimation.
  public init(configuration: Tracker.Configuration) {
    self.init(configuration: configuration, count: 0)
  }

  init(configuration: Tracker.Configuration, count: Int) {
    self.configuration = configuration
    self.count = count
  }

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
  /// The smallest standard deviation that is searched, metres: the tick of common radios.
  static let leastSigma = 0.005

  /// Returns a calibration from the beginning of `ranges`.
  ///
  /// The ranges are those of one tag. The tags of a recording that `fathom process` reads share the
  /// errors of their ranges.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag, in order of time.
  ///   - anchors: The anchors. A bias or scale that one of them declares is known, so that no
  ///     common errors are searched for; nor are they if `configuration` has the tracker estimate a
  ///     bias or a scale.
  ///   - configuration: The start of the search. Its sigma is the lower limit, unless the epochs
  ///     show that ranges scatter less; its motion is the middle of the searched range.
  ///   - isSigmaKnown: Whether the sigma of `configuration` is a lower limit whatever the epochs
  ///     show.
  ///   - searchesForCommonErrors: Whether to search for errors that all ranges, or those of an
  ///     anchor, have in common; false if something else is known to be wrong that they imitate, see
  ///     ``RangeDiagnosis/isLayoutWrong``.
  /// - Returns: The settings found; the given settings if the ranges never start a track, or if the
  ///   settings or the anchors are invalid (``TrackerConfiguration/validate(for:)``).
  ///
  /// ## Cost
  /// At most 3000 ranges, thinned to 10 per second and link, are tracked about ten times, and at most
  /// 384 epochs are located some ten times: some hundredths of a second.
  public static func calibrated(
    on ranges: [RangeMeasurement], anchors: [Anchor],
    from configuration: Tracker.Configuration = Tracker.Configuration(),
    isSigmaKnown: Bool = false, searchesForCommonErrors: Bool = true
  ) -> Self {
    CommonCalibration(
      tags: 1, anchors: anchors, from: configuration, isSigmaKnown: isSigmaKnown,
      searchesForCommonErrors: searchesForCommonErrors
    ) { _ in ranges }
    .calibration(on: ranges)
  }

  /// Takes over the errors that all ranges, or those of an anchor, have in common.
  mutating func adopt(_ found: RangeErrorEstimate) {
    errors = found
    // The mean is close to zero where the anchors' own errors can imitate a bias.
    bias = found.bias?.mean ?? 0
    scale = found.correctedScale - 1
    if found.offsets?.decision == .corrected { offsets = found.offsets?.values ?? [] }
    configuration.errors.persistentSigma = found.persistentSigma
    if scale == 0 { configuration.errors.remainingBiasSigma = found.bias?.sigma ?? 0 }
  }

  /// Returns an anchor with ``bias`` and ``scale`` added to its range errors.
  func common(to anchor: Anchor) -> Anchor {
    var anchor = anchor
    anchor.bias += anchor.scale * bias
    anchor.scale *= 1 + scale
    return anchor
  }

  /// Returns the anchors with ``bias``, ``scale`` and ``offsets`` added to their range errors.
  public func corrected(_ anchors: [Anchor]) -> [Anchor] {
    let common = anchors.map(common)
    return offsets.isEmpty ? common : common.corrected(by: offsets.map { ($0, 0) })
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
    /// `commonModeSigma` is the minimum standard deviation of that error in metres; 0 disables it.
    /// If half of the variance of the settings is common-mode error, their sigma covers the other
    /// half.
    func errors(drifting commonModeSigma: Double) -> RangeErrors {
      var errors = best.errors
      // It is a part of the whole error of a range.
      let commonModeSigma = min(commonModeSigma, errors.sigma)
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
    ///
    /// `readings` are processed meanwhile, as far as `configuration` uses them.
    func measured(
      _ configuration: Tracker.Configuration, _ readings: SensorReadings = SensorReadings()
    ) -> Double {
      guard let first = stretch.first?.time else { return -.infinity }
      let begin = first.advanced(bySeconds: 2 * configuration.startWindow)
      var tracker = Tracker(among: anchors, validated: configuration)
      var sensors = SensorQueue(readings)
      let hasSensors = !readings.isEmpty
      var sum = 0.0
      var count = 0
      for range in stretch {
        while hasSensors, let reading = sensors.next(upTo: range.time) {
          _ = tracker.update(reading)
        }
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

/// What the tags of a recording have in common: the errors of their ranges, and how they move.
///
/// The tags range to the same anchors by the same radios, so that the errors that all ranges, or those
/// of an anchor, have in common are found once, from the epochs of all tags (``RangeErrorEstimate``).
///
/// How a tag moves and how its ranges scatter is found for every tag by itself
/// (``TrackerCalibration``). Of more tags than ``mostSearches`` only as many are searched, drawn
/// evenly; each of the others takes the likelier settings of two of them: of the median, and of the one
/// that moves most. A tag that moves less than the median is tracked with more noise than it needs; with the
/// settings of a tag that moves least, which few ranges favour, turns would exceed their covariance.
package struct CommonCalibration: Sendable {
  /// The anchors, with the common errors.
  private let anchors: [Anchor]
  /// The common errors, and the start of the search.
  private let common: TrackerCalibration
  private let start: Tracker.Configuration
  /// The least common-mode error of a range, metres.
  private let commonModeSigma: Double
  /// Settings found for other tags; empty if every tag is searched by itself.
  private var candidates: [Tracker.Configuration] = []
  /// Whether the settings and the anchors are valid.
  private let isValid: Bool

  /// The greatest number of tags whose ranges show the common errors.
  private static let mostTags = 64
  /// The greatest number of tags whose motion is searched for.
  private static let mostSearches = 16
  /// The greatest number of ranges, thinned, by which a tag takes the settings of another.
  private static let mostRangesToChoose = 400

  /// Creates what the tags have in common; `ranges` returns those of a tag in order of time.
  ///
  /// `isSigmaKnown` and `searchesForCommonErrors` are as for a ``TrackerCalibration``.
  package init(
    tags: Int, anchors: [Anchor], from configuration: Tracker.Configuration, isSigmaKnown: Bool,
    searchesForCommonErrors: Bool, ranges: (Int) -> [RangeMeasurement]
  ) {
    var common = TrackerCalibration(configuration: configuration, count: 0)
    var start = configuration
    commonModeSigma = configuration.errors.commonModeSigma
    isValid = configuration.isValid(for: anchors)
    if isValid {
      let beginnings = Self.drawn(Self.mostTags, of: tags).map {
        TrackerCalibration.stretch(
          of: ranges($0), anchors: anchors, limit: TrackerCalibration.greatestCorrectionCount)
      }
      if let found = Self.errors(
        of: beginnings, anchors: anchors, configuration, isGiven: !searchesForCommonErrors)
      {
        common.adopt(found)
        start = common.configuration
        if !isSigmaKnown {
          start.errors.sigma = min(
            start.errors.sigma, max(TrackerCalibration.leastSigma, found.sigma))
        }
      }
      // A common-mode error would absorb the correlated part that all links share.
      start.errors.commonModeSigma = 0
    }
    self.common = common
    self.start = start
    self.anchors = common.corrected(anchors)
    guard isValid, tags > Self.mostSearches else { return }
    let found = Self.drawn(Self.mostSearches, of: tags)
      .map { searched(on: ranges($0)).configuration }
      .sorted { $0.modes.motion.horizontalDensity < $1.modes.motion.horizontalDensity }
    for place in [found.count / 2, found.count - 1] where !candidates.contains(found[place]) {
      candidates.append(found[place])
    }
  }

  /// Returns the calibration of a tag with the given ranges, in order of time.
  package func calibration(on ranges: [RangeMeasurement]) -> TrackerCalibration {
    guard isValid else { return common }
    return candidates.isEmpty ? searched(on: ranges) : chosen(for: ranges)
  }

  /// Returns a calibration whose motion and noise are searched for.
  private func searched(on ranges: [RangeMeasurement]) -> TrackerCalibration {
    let stretch = TrackerCalibration.stretch(of: ranges, anchors: anchors)
    var result = common
    result.count = stretch.count
    var search = TrackerCalibration.Search(
      stretch: stretch, anchors: anchors, configuration: start)
    search.run()
    result.configuration = search.best
    result.configuration.errors = search.errors(drifting: commonModeSigma)
    return result
  }

  /// Returns a calibration with the likeliest settings of other tags.
  private func chosen(for ranges: [RangeMeasurement]) -> TrackerCalibration {
    let stretch = TrackerCalibration.stretch(
      of: ranges, anchors: anchors, limit: Self.mostRangesToChoose)
    var result = common
    result.count = stretch.count
    let search = TrackerCalibration.Search(
      stretch: stretch, anchors: anchors, configuration: start)
    // Without a track, the median.
    result.configuration = candidates[candidates.count / 2]
    var most = -Double.infinity
    for candidate in candidates where candidates.count > 1 {
      let likelihood = search.measured(candidate)
      if likelihood > most { (most, result.configuration) = (likelihood, candidate) }
    }
    return result
  }

  /// Returns the errors that all ranges, or those of an anchor, have in common.
  private static func errors(
    of tags: [[RangeMeasurement]], anchors: [Anchor], _ configuration: Tracker.Configuration,
    isGiven: Bool
  ) -> RangeErrorEstimate? {
    let given = configuration.errors
    let isGiven =
      isGiven || given.biasSigma > 0 || given.scaleSigma > 0
      || anchors.contains { $0.bias != 0 || $0.scale != 1 }
    var options = PositionOptions()
    options.height = configuration.height
    options.heightSigma = configuration.heightSigma
    options.side = configuration.side
    options.rangeSigma = given.sigma
    let epochs = SpreadEpochs.sample(
      tags, anchors: anchors, fewest: configuration.exactHeight == nil ? 4 : 3)
    return RangeErrorEstimate.estimated(
      from: epochs, anchors: anchors.map(\.position), within: configuration.bounds,
      options: options, searchesForCommonErrors: !isGiven)
  }

  /// Returns the indices of the tags whose ranges are used, of `count` tags.
  package static func drawn(of count: Int) -> [Int] { drawn(mostTags, of: count) }

  /// Returns at most `most` of `count` indices, spread evenly.
  private static func drawn(_ most: Int, of count: Int) -> [Int] {
    count <= most ? Array(0..<count) : (0..<most).map { $0 * count / most }
  }
}
