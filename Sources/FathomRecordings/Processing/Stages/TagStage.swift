import Fathom

/// Computes the positions of one tag of a recording with anchors by the chosen method.
struct TagStage: Sendable {
  private var entries: TagEntries
  private var method: any PositionStage
  /// The name of the tag.
  var tag = ""
  /// Whether the stage uses the directions of ranges.
  let takesDirections: Bool
  /// The time differences of a tag without ranges.
  private var differences: [TimedDifference] = []
  /// The times at which positions are wrong by a diagnosis of the recording; nil for none.
  private let wrongTimes: ClosedRange<Timestamp>?

  /// Creates a stage that computes positions by `method`.
  ///
  /// `entries` are what it gets, and when it outputs positions; `differences` are the time
  /// differences of a tag without ranges. In `wrongTimes`, positions are wrong by a diagnosis, and
  /// thus inconsistent; nil for never.
  init(
    _ method: any PositionStage, _ entries: TagEntries, differences: [TimedDifference] = [],
    wrongTimes: ClosedRange<Timestamp>? = nil
  ) {
    self.method = method
    self.wrongTimes = wrongTimes
    self.entries = entries
    self.differences = differences
    takesDirections = method.takesDirections
  }

  /// Creates a stage with the results of a tag that its group has located.
  init(located: LocatedStage) {
    let schedule = OutputSchedule(end: nil, rateHz: nil, continuesInGaps: false)
    self.init(located, TagEntries(schedule, excluded: ExcludedRanges(), hasHeights: false))
  }

  // MARK: Measurements

  /// Processes the entries of `slice` at `places`, which are those of the tag, and stores in `results`
  /// how each range was used as far as this is known; see ``decisions``.
  mutating func process(
    _ slice: RecordingSlice, at places: [Int32], deciding results: inout [RangeResult]
  ) {
    entries.process(slice, at: places, by: &method, deciding: &results)
  }

  /// Processes the range in row `index` of `ranges`, and returns how it was used as ``process(_:at:deciding:)``
  /// does.
  mutating func add(at index: Int, of ranges: RangeColumns) -> DistanceColumns.Decision {
    entries.add(at: index, of: ranges, to: &method)
  }

  /// Processes a range as ``add(at:of:)`` does, with the height of its row.
  mutating func add(_ range: RangeMeasurement, height: Double?) -> DistanceColumns.Decision {
    if let height { entries.add(height: height, at: range.time, to: &method) }
    return entries.add(range, to: &method)
  }

  /// Processes the direction in row `index` of `ranges`, whose range was processed last.
  mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    entries.addDirection(at: index, of: ranges, to: &method)
  }

  /// Adds a measurement of a stream that is no range, and is processed in order of time.
  mutating func add(_ reading: TimedMeasurement) { method.add(reading) }

  /// Replaces the measurements that are no ranges and are not processed yet.
  mutating func setReadings(_ readings: SensorReadings) {
    differences = []
    method.setReadings(readings)
  }

  /// Processes an event: an interruption of all links of the tag starts a new segment of its track.
  mutating func apply(_ event: RecordedEvent) { entries.apply(event, to: &method) }

  /// Returns the range as the method gets it; nil for one that it does not get.
  func usable(_ range: RangeMeasurement) -> RangeMeasurement? { entries.usable(range) }

  // MARK: Ties to other tags

  /// Calls `body` with the tracker of the filter; nil without one.
  @discardableResult
  mutating func withTracker<Result>(_ body: (inout Tracker) -> Result) -> Result? {
    method.withTracker(body)
  }

  /// Counts a range between tags.
  mutating func count(_ outcome: TrackUpdate.Outcome, square: Double?, at time: Timestamp) {
    method.count(outcome, square: square, at: time)
  }

  /// The tag and its measurements for a joint smoother; nil for other methods.
  var smootherInput: TiedSmoother.Tag? { (method as? SmoothStage)?.input }

  /// Sets the track of a joint smoother, with the ranges between tags that it used.
  mutating func setTrack(_ track: SmoothedTrack?, with between: [(Timestamp, RangeVerdict)]) {
    guard var smooth = method as? SmoothStage else { return }
    smooth.setTrack(track, with: between)
    method = smooth
  }

  /// Returns an empty smoother behind the head of the filter's track.
  ///
  /// It takes ranges as ``usable(_:)`` returns them.
  func lagSmoother(_ lag: Double, anchors: [Anchor]) -> FixedLagTrackSmoother {
    let calibration =
      (method as? FilterStage)?.calibration
      ?? TrackerCalibration(configuration: TrackerConfiguration())
    return FixedLagTrackSmoother(
      among: calibration.corrected(anchors), validated: calibration.configuration, lag: lag)
  }

  // MARK: Output

  /// Outputs the positions due before `time`; all later ranges are at `time` or after.
  mutating func emit(before time: Timestamp) { entries.emit(before: time, by: &method) }

  /// Outputs the positions before `time`, and then one at `time`, where the tag has no range to an anchor.
  mutating func expect(at time: Timestamp) { entries.expect(time, by: &method) }

  /// Reserves capacity for `count` positions, so that output does not allocate.
  mutating func reserveCapacity(_ count: Int) { method.reserveCapacity(count) }

  /// Outputs the last position if it is due, and all positions of the method `smooth`; call after the
  /// last range.
  mutating func finish() {
    locateByDifferences()
    entries.emitLast(by: &method)
    method.finish()
  }

  /// Outputs a position at every instant with time differences, for a tag without ranges.
  private mutating func locateByDifferences() {
    for (index, difference) in differences.enumerated()
    where index + 1 == differences.count || differences[index + 1].time > difference.time {
      entries.expect(difference.time, by: &method)
    }
    differences = []
  }

  /// Returns the positions output since the last call, in order of time.
  mutating func removePositions() -> [PositionRow] {
    var rows = method.removePositions()
    if let wrongTimes {
      for place in rows.indices
      where rows[place].status.isCertain && wrongTimes.contains(rows[place].time) {
        rows[place].status = .inconsistent
      }
    }
    return rows
  }

  // MARK: Results

  /// How `fix` or `smooth` used the ranges, in the order of arrival; nil for `filter`, which
  /// returns this for each range.
  var decisions: [DistanceColumns.Decision]? {
    guard let used = method.lateDecisions else { return nil }
    var copy = entries
    return copy.woven(used)
  }

  /// Returns the decisions of `fix` that are final at `time`; all remaining ones without a time.
  mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision] {
    entries.woven(method.removeDecisions(before: time))
  }

  /// What the stage found besides positions.
  func findings(anchorNames: [String]) -> StageFindings {
    method.findings(of: tag, anchorNames: anchorNames)
  }

  /// The sums over a filter's innovations.
  var innovations: InnovationSums? { (method as? FilterStage)?.innovations }
}
