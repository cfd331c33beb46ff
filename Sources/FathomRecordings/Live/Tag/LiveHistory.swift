import Fathom

/// The recent measurements of a tag in order of time, and a stage that has processed all but the
/// newest.
///
/// A measurement that arrives late, but within the horizon, is inserted; the stage is then computed
/// again from the one at the horizon. After a calibration a new stage processes the whole history.
struct LiveHistory: Sendable {
  /// A recent range, or an instant without one at which a position is due.
  struct Entry: ReplayedEvent {
    var time: Timestamp
    var range: RangeMeasurement?
    /// The height in the row of the range.
    var height: Double?
    /// Index of the range in the batch being processed; negative for ranges of earlier batches.
    var place: Int32

    init(_ range: RangeMeasurement, height: Double?, place: Int32 = -1) {
      (time, self.range, self.height, self.place) = (range.time, range, height, place)
    }

    init(instant time: Timestamp) { (self.time, place) = (time, -1) }

    /// Simultaneous ones stay in the order of their arrival.
    static func precedes(_ first: Self, _ second: Self) -> Bool { first.time < second.time }
  }

  /// How a measurement that is no range is used.
  enum Admission {
    /// The stage will process it before the next range.
    case next
    /// It is inserted: the stage must be computed again.
    case reordered
    /// It is not used, as it came too late.
    case late
  }

  /// The ranges, and the stage before those within the horizon; none of them can be late without a horizon.
  private var replay: EventReplay<TagStage>
  /// The measurements that are no ranges, for a stage that processes the whole history.
  private var readings = SensorReadings()
  /// Entries that the settled stage has processed since its positions were removed.
  private var newlySettled = 0

  /// Longest history, in seconds: enough to start a track and to find its velocity.
  private static let longest = 60.0
  /// Greatest number of ranges in the history; half of them are dropped together.
  private static let most = 2048
  /// Greatest number of other measurements of each kind: a minute of inertial data.
  private static let mostReadings = 12_000
  /// Greatest number of ranges that a late one makes the stage process again.
  private static let mostUnsettled = 512

  /// Creates an empty history, whose ranges `stage` will process.
  init(horizon: Double, stage: TagStage) {
    replay = EventReplay(
      of: horizon > 0 ? stage : nil, horizon: horizon, mostUnsettled: Self.mostUnsettled)
  }

  /// The time before which nothing is inserted.
  var floor: Timestamp { replay.floor }

  /// Adds an entry that is not before the newest one and that the stage has processed.
  mutating func append(_ entry: Entry) {
    if insert(entry) { settle() }
  }

  /// Inserts an entry that the stage has not processed.
  ///
  /// - Returns: Whether it was inserted; false if it is older than the horizon.
  mutating func insert(_ entry: Entry) -> Bool { replay.insert(entry) != nil }

  /// Adds a measurement that is no range.
  mutating func add(_ reading: TimedMeasurement) -> Admission {
    let time = reading.time
    guard time >= floor, replay.accepts(time) else { return .late }
    // The ranges of the newest instant are processed, its time differences with the position.
    let isProcessed = replay.settled != nil && replay.events.last?.range != nil
    let admission: Admission =
      replay.newest.map { time < $0 || (time == $0 && isProcessed) } ?? false ? .reordered : .next
    replay.settled?.add(reading)
    readings.add(reading)
    return admission
  }

  /// Returns the stage after all entries, and calls `decide` with the decisions about ranges of the
  /// batch; call after ``insert(_:)``.
  mutating func replayed(_ decide: (Int, DistanceColumns.Decision) -> Void) -> TagStage? {
    let stage = replay.replayed { _, entry, decision in
      if entry.place >= 0 { decide(Int(entry.place), decision) }
      entry.place = -1
    }
    settle()
    return stage
  }

  /// Adopts the newly calibrated `stage`: it processes the whole history.
  ///
  /// - Returns: The stage after all entries.
  mutating func adopt(_ stage: TagStage) -> TagStage {
    var stage = stage
    if !readings.isEmpty { stage.setReadings(readings) }
    var atHorizon = stage
    for (index, entry) in replay.events.enumerated() {
      if index == replay.settledCount { atHorizon = stage }
      _ = stage.process(entry)
    }
    if replay.settledCount == replay.events.count { atHorizon = stage }
    _ = atHorizon.removePositions()
    if replay.settled != nil { replay.settled = atHorizon }
    return stage
  }

  /// Forgets what came before an interruption at `time`, which `stage` has processed.
  mutating func interrupt(at time: Timestamp, stage: TagStage) {
    replay.interrupt(at: time, continuingFrom: stage)
    readings.removeAll(before: time, keeping: Self.mostReadings)
  }

  /// Settles the entries older than the horizon, and drops the oldest.
  private mutating func settle() {
    newlySettled += replay.settle()
    if newlySettled >= 64 {
      _ = replay.settled?.removePositions()
      newlySettled = 0
    }
    guard let newest = replay.newest, replay.events.count >= Self.most,
      replay.settledCount >= Self.most / 2
    else { return }
    replay.removeFirst(Self.most / 2)
    let begin = newest.advanced(bySeconds: -Self.longest)
    replay.removeFirst(replay.events.prefix(replay.settledCount).prefix { $0.time < begin }.count)
    if let first = replay.events.first?.time {
      readings.removeAll(before: first, keeping: Self.mostReadings)
    }
  }
}

extension TagStage: ReplayingState {
  /// Processes a range, or outputs the positions before an instant at which one is due.
  mutating func process(_ entry: LiveHistory.Entry) -> DistanceColumns.Decision {
    if let range = entry.range { return add(range, height: entry.height) }
    expect(at: entry.time)
    return .used
  }
}
