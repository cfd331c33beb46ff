import Fathom

/// The recent measurements of a tag in order of time, and a stage that has processed all but the
/// newest.
///
/// A measurement that arrives late, but within the horizon, is inserted; the stage is then computed
/// again from the one at the horizon. After a calibration a new stage processes the whole history.
struct LiveHistory: Sendable {
  /// A recent range, or an instant without one at which a position is due.
  struct Entry: Sendable {
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

  /// Time by which a range may be late, in seconds.
  let horizon: Double
  /// The ranges, in order of time; simultaneous ones in the order of their arrival.
  private(set) var entries: [Entry] = []
  /// The number of ranges at the beginning of ``entries`` that ``settled`` has processed.
  private var settledCount = 0
  /// The stage before the ranges within the horizon; nil without a horizon.
  private var settled: TagStage?
  /// The measurements that are no ranges, for a stage that processes the whole history.
  private var readings = SensorReadings()
  /// The time before which nothing is inserted.
  private(set) var floor = Timestamp(nanoseconds: .min)

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
    self.horizon = horizon
    settled = horizon > 0 ? stage : nil
  }

  /// The time of the newest range; nil without ranges.
  var newest: Timestamp? { entries.last?.time }

  /// Adds an entry that is not before the newest one and that the stage has processed.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    settle(at: entry.time)
  }

  /// Inserts an entry that the stage has not processed; returns false if it is older than the
  /// horizon.
  mutating func insert(_ entry: Entry) -> Bool {
    if let newest, entry.time < newest {
      guard settled != nil, entry.time >= floor, newest.seconds(since: entry.time) <= horizon else {
        return false
      }
    }
    var index = entries.count
    while index > settledCount, entries[index - 1].time > entry.time { index -= 1 }
    if index == settledCount, index > 0, entries[index - 1].time > entry.time {
      return false
    }
    entries.insert(entry, at: index)
    return true
  }

  /// Adds a measurement that is no range.
  mutating func add(_ reading: TimedMeasurement) -> Admission {
    let time = reading.time
    guard time >= floor else { return .late }
    var admission = Admission.next
    // The ranges of the newest instant are processed, its time differences with the position.
    let isProcessed = settled != nil && entries.last?.range != nil
    if let newest, time < newest || (time == newest && isProcessed) {
      let isSettled = settledCount > 0 && time < entries[settledCount - 1].time
      guard settled != nil, !isSettled, newest.seconds(since: time) <= horizon else {
        return .late
      }
      admission = .reordered
    }
    settled?.add(reading)
    readings.add(reading)
    return admission
  }

  /// Returns the stage after all entries, and calls `decide` with the decisions about ranges of the
  /// batch; call after ``insert(_:)``.
  mutating func replayed(_ decide: (Int, DistanceColumns.Decision) -> Void) -> TagStage? {
    guard var stage = settled else { return nil }
    for index in settledCount..<entries.count {
      let decision = stage.add(entries[index])
      if entries[index].place >= 0 { decide(Int(entries[index].place), decision) }
      entries[index].place = -1
    }
    if let newest { settle(at: newest) }
    return stage
  }

  /// Adopts the newly calibrated `stage`, which processes the whole history, and returns it after
  /// all entries.
  mutating func adopt(_ stage: TagStage) -> TagStage {
    var stage = stage
    if !readings.isEmpty { stage.setReadings(readings) }
    var atHorizon = stage
    for (index, entry) in entries.enumerated() {
      if index == settledCount { atHorizon = stage }
      _ = stage.add(entry)
    }
    if settledCount == entries.count { atHorizon = stage }
    _ = atHorizon.removePositions()
    if settled != nil { settled = atHorizon }
    return stage
  }

  /// Forgets what came before an interruption at `time`, which `stage` has processed.
  mutating func interrupt(at time: Timestamp, stage: TagStage) {
    entries.removeAll(keepingCapacity: true)
    readings.removeAll(before: time, keeping: Self.mostReadings)
    settledCount = 0
    floor = time
    if settled != nil { settled = stage }
  }

  /// Moves the entries older than the horizon to ``settled``, and drops the oldest.
  private mutating func settle(at time: Timestamp) {
    if settled == nil {
      settledCount = entries.count
    } else {
      while settledCount < entries.count,
        entries.count - settledCount > Self.mostUnsettled
          || time.seconds(since: entries[settledCount].time) > horizon
      {
        _ = settled?.add(entries[settledCount])
        settledCount += 1
        // These positions were output before; every few of them, because there may be many tags.
        if settledCount & 7 == 0 { _ = settled?.removePositions() }
      }
    }
    guard entries.count >= Self.most, settledCount >= Self.most / 2 else { return }
    entries.removeFirst(Self.most / 2)
    settledCount -= Self.most / 2
    let begin = time.advanced(bySeconds: -Self.longest)
    let old = entries[..<settledCount].prefix { $0.time < begin }.count
    entries.removeFirst(old)
    settledCount -= old
    if let first = entries.first?.time {
      readings.removeAll(before: first, keeping: Self.mostReadings)
    }
  }
}

extension TagStage {
  /// Processes a range, or outputs the positions before an instant at which one is due.
  fileprivate mutating func add(_ entry: LiveHistory.Entry) -> DistanceColumns.Decision {
    if let range = entry.range { return add(range, height: entry.height) }
    expect(at: entry.time)
    return .used
  }
}
