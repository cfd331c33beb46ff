import Fathom

/// The recent ranges of a tag in order of time, and a stage that has processed all but the newest.
///
/// A range that arrives late, but within the horizon, is inserted; the stage is then computed again
/// from the one at the horizon. After a calibration a new stage processes the whole history.
struct LiveHistory: Sendable {
  /// A recent range.
  struct Entry: Sendable {
    var range: RangeMeasurement
    /// Index of the range in the batch being processed; negative for ranges of earlier batches.
    var place: Int32
  }

  /// Time by which a range may be late, in seconds.
  let horizon: Double
  /// The ranges, in order of time; simultaneous ones in the order of their arrival.
  private(set) var entries: [Entry] = []
  /// The number of ranges at the beginning of ``entries`` that ``settled`` has processed.
  private var settledCount = 0
  /// The stage before the ranges within the horizon; nil without a horizon.
  private var settled: TagStage?
  /// The time before which no range is inserted.
  private(set) var floor = Timestamp(nanoseconds: .min)

  /// Longest history, in seconds: enough to start a track and to find its velocity.
  private static let longest = 60.0
  /// Greatest number of ranges in the history; half of them are dropped together.
  private static let most = 2048
  /// Greatest number of ranges that a late one makes the stage process again.
  private static let mostUnsettled = 512

  /// Creates an empty history, whose ranges `stage` will process.
  init(horizon: Double, stage: TagStage) {
    self.horizon = horizon
    settled = horizon > 0 ? stage : nil
  }

  /// The time of the newest range; nil without ranges.
  var newest: Timestamp? { entries.last?.range.time }

  /// Adds a range that is not before the newest one and that the stage has processed.
  mutating func append(_ range: RangeMeasurement) {
    entries.append(Entry(range: range, place: -1))
    settle(at: range.time)
  }

  /// Inserts a range that the stage has not processed.
  ///
  /// - Parameters:
  ///   - range: the range, which may be late.
  ///   - place: its index in the batch, for the decision about it.
  /// - Returns: Whether it was inserted; false if it is older than the horizon.
  mutating func insert(_ range: RangeMeasurement, place: Int32) -> Bool {
    if let newest, range.time < newest {
      guard settled != nil, range.time >= floor, newest.seconds(since: range.time) <= horizon else {
        return false
      }
    }
    var index = entries.count
    while index > settledCount, entries[index - 1].range.time > range.time { index -= 1 }
    if index == settledCount, index > 0, entries[index - 1].range.time > range.time {
      return false
    }
    entries.insert(Entry(range: range, place: place), at: index)
    return true
  }

  /// Returns the stage after all ranges, and calls `decide` with the decisions about those of the
  /// batch; call after ``insert(_:place:)``.
  mutating func replayed(_ decide: (Int, DistanceColumns.Decision) -> Void) -> TagStage? {
    guard var stage = settled else { return nil }
    for index in settledCount..<entries.count {
      let decision = stage.add(entries[index].range)
      if entries[index].place >= 0 { decide(Int(entries[index].place), decision) }
      entries[index].place = -1
    }
    if let newest { settle(at: newest) }
    return stage
  }

  /// Adopts the newly calibrated `stage`: it processes the whole history.
  ///
  /// - Returns: The stage after all ranges.
  mutating func adopt(_ stage: TagStage) -> TagStage {
    var (stage, atHorizon) = (stage, stage)
    for (index, entry) in entries.enumerated() {
      if index == settledCount { atHorizon = stage }
      _ = stage.add(entry.range)
    }
    if settledCount == entries.count { atHorizon = stage }
    _ = atHorizon.takePositions()
    if settled != nil { settled = atHorizon }
    return stage
  }

  /// Forgets the ranges before an interruption at `time`, which `stage` has processed.
  mutating func interrupt(at time: Timestamp, stage: TagStage) {
    entries.removeAll(keepingCapacity: true)
    settledCount = 0
    floor = time
    if settled != nil { settled = stage }
  }

  /// Moves the ranges older than the horizon to ``settled``, and drops the oldest.
  private mutating func settle(at time: Timestamp) {
    if settled == nil {
      settledCount = entries.count
    } else {
      while settledCount < entries.count,
        entries.count - settledCount > Self.mostUnsettled
          || time.seconds(since: entries[settledCount].range.time) > horizon
      {
        _ = settled?.add(entries[settledCount].range)
        settledCount += 1
        if settledCount & 63 == 0 { _ = settled?.takePositions() }
      }
    }
    guard entries.count >= Self.most, settledCount >= Self.most / 2 else { return }
    entries.removeFirst(Self.most / 2)
    settledCount -= Self.most / 2
    let begin = time.advanced(bySeconds: -Self.longest)
    let old = entries[..<settledCount].prefix { $0.range.time < begin }.count
    entries.removeFirst(old)
    settledCount -= old
  }
}
