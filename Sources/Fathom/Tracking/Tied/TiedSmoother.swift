import RealModule

/// Computes the most likely tracks of several tags that also measured ranges to each other, jointly.
///
/// The estimate is that of a ``TrackSmoother`` for each tag, and the ranges between tags are measurements of
/// two tracks at a time. All tracks have states at common instants, and their equations are solved together.
/// The positions, velocities and covariances are those of the joint solution.
///
/// A tag that hears few anchors may have two places for a while, and the joint equations a solution for
/// each. Those that the tied trackers followed to the end, forwards and backwards, are all solved. The most
/// likely one is returned; where another one differs and is not out of the question, the status is
/// ``TrackEstimate/Status/ambiguous``, and the covariance contains the distance to it.
///
/// Odometry, inertial data and measured directions are not used.
public struct TiedSmoother: Sendable {
  /// A tag and its measurements.
  public struct Tag: Sendable {
    /// The smoother of the tag, with its anchors and assumptions.
    public var smoother: TrackSmoother
    /// Its ranges to anchors, in order of time.
    public var ranges: [RangeMeasurement]
    /// Its heights and time differences, in order of time; odometry and inertial data are not used.
    public var sensors: SensorReadings
    /// The times after which the tag may be anywhere, in order.
    public var interruptions: [Timestamp]

    /// Creates a tag with its measurements, in order of time.
    public init(
      _ smoother: TrackSmoother, ranges: [RangeMeasurement],
      sensors: SensorReadings = SensorReadings(), interruptions: [Timestamp] = []
    ) {
      self.smoother = smoother
      self.ranges = ranges
      self.sensors = sensors
      self.interruptions = interruptions
    }
  }

  /// The tracks of tied tags.
  public struct Tracks: Sendable {
    /// The track of each tag; nil if its ranges never determine a position.
    public var tracks: [SmoothedTrack?]
    /// How each range between tags was used; ``RangeVerdict/invalid`` also for a range to a tag without a
    /// track.
    public var verdicts: [RangeVerdict]
  }

  /// The largest number of numbers in the joint equations: 400 MB.
  static let mostStorage = 50_000_000

  /// Returns the tracks of `tags`.
  ///
  /// - Parameters:
  ///   - tags: The tags; either all or none have an exact height.
  ///   - between: The ranges between them, in order of time.
  /// - Returns: The tracks; nil if some but not all tags have an exact height, and if the joint equations need
  ///   more than 400 MB. The tracks of the single tags can then be had from their smoothers.
  ///
  /// ## Cost
  /// Linear in the number of instants with any range and in the number of tags, and for each state with a
  /// range to another tag quadratic in the number of tags that such ranges connect.
  public static func smoothed(_ tags: [Tag], between: [TagRange]) -> Tracks? {
    let levels = tags.count { $0.smoother.configuration.exactHeight != nil }
    guard levels == 0 || levels == tags.count else { return nil }
    let problem = TiedProblem(tags, between: between)
    return levels == 0
      ? problem.tracks(SmootherRun<6>.self) : problem.tracks(SmootherRun<4>.self)
  }
}
