import RealModule

/// Computes the most likely track of a tag over a whole recording.
///
/// The estimate is the maximum a posteriori over all positions and velocities. If ``RangeErrors``
/// allows them, it includes a bias and a scale common to all ranges, and an offset of each anchor. The
/// model has nearly constant velocity between ranges (``ConstantVelocity``) and Student-t errors. It is solved by
/// Gauss-Newton iterations with reweighting [Bell 1994; Särkkä 2013, Ch. 10]. The process noise at
/// each instant comes from ``MotionModes``, filtered forwards and backwards.
///
/// Time-correlated link errors are not estimated. Instead, every range has the variance of an
/// independent error with the same effect on the mean (see the article). The covariance of the
/// track therefore matches its error, even for a thousand ranges with the same wrong value.
///
/// Over gaps longer than ``TrackerConfiguration/longestGap`` and over interruptions, the position
/// is held and the velocity is reset, from both sides.
public struct TrackSmoother: Sendable {
  /// The anchors; ranges refer to them by index.
  public let anchors: [Anchor]
  /// The assumptions about the tag and its ranges, the same as for a ``Tracker``.
  public let configuration: Tracker.Configuration

  /// Creates a smoother with the given assumptions; ``TrackerCalibration`` estimates them.
  ///
  /// - Throws: ``ConfigurationError`` for a setting or an anchor with which it cannot work.
  public init(
    anchors: [Anchor], configuration: Tracker.Configuration = Tracker.Configuration()
  ) throws(ConfigurationError) {
    try configuration.validate(for: anchors)
    self.init(among: anchors, validated: configuration)
  }

  /// Creates a smoother with valid anchors and settings.
  package init(among anchors: [Anchor], validated configuration: Tracker.Configuration) {
    self.anchors = anchors
    var configuration = configuration
    if configuration.exactHeight != nil { configuration.modes.motion.verticalDensity = 0 }
    self.configuration = configuration
  }

  /// Returns the track through `ranges`.
  ///
  /// - Parameters:
  ///   - ranges: The ranges of one tag; those out of order are sorted by their time.
  ///   - sensors: The measurements of the tag beside its ranges, in order of time;
  ///     ``TrackerConfiguration/heights``, ``TrackerConfiguration/odometry`` and
  ///     ``TrackerConfiguration/inertial`` describe their errors.
  ///   - interruptions: The times after which the tag may be anywhere, in order.
  /// - Returns: The track, with verdicts in the given order; nil if the ranges never determine a
  ///   position.
  ///
  /// ## Cost
  /// Linear in the number of ranges: 4 to 11 µs per range, and 1 kB of memory per 20 ms with
  /// ranges.
  public func smoothed(
    _ ranges: [RangeMeasurement], sensors: SensorReadings = SensorReadings(),
    interruptions: [Timestamp] = []
  ) -> SmoothedTrack? {
    let isOrdered = zip(ranges, ranges.dropFirst()).allSatisfy { $0.time <= $1.time }
    guard isOrdered else {
      return smoothed(outOfOrder: ranges, sensors: sensors, interruptions: interruptions)
    }
    let problem = SmootherProblem(
      ranges, sensors: sensors, interruptions: interruptions, anchors: anchors,
      configuration: configuration)
    let isSpace = configuration.exactHeight == nil
    if configuration.usedInertial != nil, !sensors.inertial.isEmpty {
      return isSpace ? problem.track(SmootherRun<10>.self) : problem.track(SmootherRun<8>.self)
    }
    guard configuration.odometry != nil, !sensors.odometry.isEmpty else {
      return isSpace ? problem.track(SmootherRun<6>.self) : problem.track(SmootherRun<4>.self)
    }
    return isSpace ? problem.track(SmootherRun<7>.self) : problem.track(SmootherRun<5>.self)
  }

  /// Returns the track through measurements of all kinds, in any order.
  ///
  /// Directions are not used: the smoother has no heading of the device.
  ///
  /// - Returns: The track, with the verdicts of the ranges in the given order; nil if the measurements
  ///   never determine a position.
  public func smoothed(_ measurements: [TimedMeasurement]) -> SmoothedTrack? {
    var ranges: [RangeMeasurement] = []
    var sensors = SensorReadings()
    var interruptions: [Timestamp] = []
    for measurement in measurements {
      switch measurement {
      case .range(let range): ranges.append(range)
      case .difference(let difference): sensors.differences.append(difference)
      case .height(let height): sensors.heights.append(height)
      case .odometry(let increment): sensors.odometry.append(increment)
      case .inertial(let reading): sensors.inertial.append(reading)
      case .interruption(let time): interruptions.append(time)
      case .direction: break
      }
    }
    sensors.sort()
    return smoothed(ranges, sensors: sensors, interruptions: interruptions.sorted())
  }

  private func smoothed(
    outOfOrder ranges: [RangeMeasurement], sensors: SensorReadings, interruptions: [Timestamp]
  ) -> SmoothedTrack? {
    let order = ranges.indicesByTime(\.time)
    let sorted = order.map { ranges[$0] }
    guard var track = smoothed(sorted, sensors: sensors, interruptions: interruptions) else {
      return nil
    }
    let verdicts = track.verdicts
    for (place, index) in order.enumerated() { track.verdicts[index] = verdicts[place] }
    return track
  }
}

/// The input of a smoother for one tag.
struct SmootherProblem {
  let ranges: [RangeMeasurement]
  let sensors: SensorReadings
  let interruptions: [Timestamp]
  let anchors: [Anchor]
  let configuration: Tracker.Configuration
  private let thinned: [RangeMeasurement]

  /// Creates the problem of `ranges`, in order of time.
  init(
    _ ranges: [RangeMeasurement], sensors: SensorReadings = SensorReadings(),
    interruptions: [Timestamp], anchors: [Anchor], configuration: Tracker.Configuration
  ) {
    self.ranges = ranges
    self.interruptions = interruptions
    self.anchors = anchors
    self.configuration = configuration
    var sensors = sensors
    sensors.differences.removeAll {
      !configuration.usesDifferences || !$0.isUsable(among: anchors)
        || $0.isImpossible(among: anchors, sigma: configuration.errors.sigma)
    }
    self.sensors = sensors
    var thinned = ThinnedRanges(anchorCount: anchors.count)
    for range in ranges { thinned.add(range) }
    self.thinned = thinned.ranges
  }

  /// Returns the track; nil if the ranges never determine a position.
  func track<let N: Int>(_ kind: SmootherRun<N>.Type) -> SmoothedTrack? {
    let found: SmootherRun<N>? = run()
    guard let run = found?.withOffsets else { return nil }
    var equations = run.emptyEquations
    return run.onLikelierSide(in: &equations).solved(in: &equations)?.tracks(in: &equations).first
  }

  /// Returns a run that starts from the tracks of trackers; nil if they never started.
  func run<let N: Int>() -> SmootherRun<N>? {
    let profile = ManoeuvreProfile(
      thinned, sensors: sensors, interruptions: interruptions, anchors: anchors,
      configuration: configuration)
    guard !profile.points.isEmpty else { return nil }
    return SmootherRun<N>(
      ranges, sensors: sensors, interruptions: interruptions, anchors: anchors,
      configuration: configuration, profile: profile)
  }
}
