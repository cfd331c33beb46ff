import Fathom

/// A method that computes the positions of one tag: fix, filter or smooth.
///
/// Measurements come in order of time. A method has a function only for what it uses.
package protocol PositionStage: Sendable {
  /// Processes a range; returns how it was used, as far as this is known, see ``lateDecisions``.
  ///
  /// `distance` and the standard deviation `sigma` are in metres; `sigma` is nil for the usual one.
  mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision

  /// Processes the height in a row of ranges.
  mutating func add(_ height: HeightMeasurement)

  /// Adds a measurement of a stream that is no range, which is processed in order of time.
  mutating func add(_ reading: TimedMeasurement)

  /// Replaces the measurements that are no ranges and are not processed yet.
  mutating func setReadings(_ readings: SensorReadings)

  /// Whether the method uses the directions of ranges.
  var takesDirections: Bool { get }

  /// Processes the direction in row `index` of `ranges`, whose range was processed last.
  mutating func addDirection(at index: Int, of ranges: RangeColumns)

  /// Begins a new segment of the track, as the tag may have moved unobserved.
  mutating func interrupt(at time: Timestamp)

  /// Outputs a position at `time`, which is not before the last measurement.
  mutating func emit(at time: Timestamp)

  /// Outputs all positions that are due; call after the last measurement.
  mutating func finish()

  /// Returns the positions output since the last call, in order of time.
  mutating func removePositions() -> [PositionRow]

  /// Reserves memory for `count` more positions.
  mutating func reserveCapacity(_ count: Int)

  /// How the ranges were used, in the order of arrival, if this is known only at the end; nil if
  /// it is known at once.
  var lateDecisions: [DistanceColumns.Decision]? { get }

  /// Returns those of ``lateDecisions`` that are final at `time`, all remaining ones without a time.
  mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision]

  /// Calls `body` with the tracker, for ranges between tags; nil for a method that decides at the end.
  mutating func withTracker<Result>(_ body: (inout Tracker) -> Result) -> Result?

  /// Counts a range between tags, with the normalised square of its innovation; of each only one tag
  /// has the square.
  mutating func count(_ outcome: TrackUpdate.Outcome, square: Double?, at time: Timestamp)

  /// What the stage found about the tag called `tag` besides positions.
  func findings(of tag: String, anchorNames: [String]) -> StageFindings
}

extension PositionStage {
  package mutating func add(_ reading: TimedMeasurement) {}
  package mutating func setReadings(_ readings: SensorReadings) {}
  package var takesDirections: Bool { false }
  package mutating func addDirection(at index: Int, of ranges: RangeColumns) {}
  package mutating func interrupt(at time: Timestamp) {}
  package mutating func finish() {}
  package mutating func reserveCapacity(_ count: Int) {}
  package var lateDecisions: [DistanceColumns.Decision]? { nil }
  package mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision] {
    []
  }
  package mutating func withTracker<Result>(_ body: (inout Tracker) -> Result) -> Result? { nil }
  package mutating func count(
    _ outcome: TrackUpdate.Outcome, square: Double?, at time: Timestamp
  ) {}
  package func findings(of tag: String, anchorNames: [String]) -> StageFindings { StageFindings() }
}

/// What a stage found besides positions; nil for what its method does not estimate.
package struct StageFindings: Sendable {
  /// The sums over a filter's innovations.
  var innovations: InnovationSums?
  /// Number of epochs that determine no position.
  var undetermined: Int?
  /// The estimated motion and range-error parameters.
  var calibration: RecordingSummary.Calibration?
  /// The number of ranges that have a direction with and without an attitude; nil if no attitude is known.
  var directionCounts: (found: Int, missing: Int)?
  /// The frame of the poses among the anchors at the end; nil without such poses.
  var poseFrame: RecordingSummary.PoseFrame?

  /// Creates empty findings.
  package init() {}
}

/// What the stage of a tag needs to know of its recording.
package struct StageContext: Sendable {
  /// The completed settings.
  package let settings: ProcessingSettings
  /// The anchors.
  package let anchors: [Anchor]
  /// The attitudes of the tag; nil without usable ones.
  let attitudes: AttitudeTrack?

  /// The context of all tags of `outline`.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    self.settings = settings
    anchors = outline.anchors
    attitudes = outline.usableAttitudes
  }
}
