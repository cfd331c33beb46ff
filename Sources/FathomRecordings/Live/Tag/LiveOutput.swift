import Fathom

/// The positions of a live tag that are output: each instant once, and with a lag smoothed.
struct LiveOutput: Sendable {
  /// The last position that was output.
  private var last: PositionRow?
  /// The time up to which the stage outputs positions again that were output before.
  private var recomputedUpTo: Timestamp?
  /// The positions that wait to be smoothed; nil without a lag.
  private var lag: LiveLag?
  /// Whether positions wait to be smoothed; comparing ``lag`` with nil would copy it.
  let hasLag: Bool
  /// The measurements of a recording that is replayed, for ``lag``.
  private var replayed: SensorQueue

  /// Creates the output of a tag; `lag` is nil to output positions at once.
  ///
  /// The measurements `replayed`, other than ranges, are known from the beginning.
  init(lag: LiveLag?, replayed: SensorReadings) {
    self.lag = lag
    hasLag = lag != nil
    self.replayed = SensorQueue(hasLag ? replayed : SensorReadings())
  }

  // MARK: Measurements

  /// Adds a range that the stage uses.
  mutating func add(_ range: RangeMeasurement) {
    while let reading = replayed.next(upTo: range.time) { lag?.add(reading) }
    lag?.add(range)
  }

  /// Adds a measurement that is no range.
  mutating func add(_ reading: TimedMeasurement) { lag?.add(reading) }

  /// Records an interruption of the session at `time`.
  mutating func interrupt(at time: Timestamp) { lag?.interrupt(at: time) }

  /// Continues with the calibration of `stage`.
  mutating func adopt(_ stage: TagStage) { lag?.adopt(stage) }

  /// Notes that the stage computes the positions so far again.
  mutating func expectRepetition() { recomputedUpTo = last?.time }

  // MARK: Rows

  /// Returns those of the `rows` of the stage that are to be output when the newest time is `now`.
  mutating func rows(_ rows: [PositionRow], at now: Timestamp?) -> [PositionRow] {
    let fresh = unseen(rows)
    guard hasLag else { return fresh }
    lag?.hold(fresh)
    return now.flatMap { lag?.release(at: $0) } ?? []
  }

  /// Returns the rows that were not output before; a row of the same instant as the last one
  /// replaces it, with all ranges of the instant.
  private mutating func unseen(_ rows: [PositionRow]) -> [PositionRow] {
    if rows.isEmpty { return [] }
    var result: [PositionRow] = []
    result.reserveCapacity(rows.count)
    for var row in rows {
      if let recomputedUpTo, row.time <= recomputedUpTo { continue }
      if let last, row.time <= last.time {
        if row.time < last.time { continue }
        row.used += last.used
        row.rejected += last.rejected
      }
      last = row
      result.append(row)
    }
    return result
  }

  /// Returns the rows that still wait.
  mutating func finish() -> [PositionRow] { lag?.finish() ?? [] }

  /// Starts again with a track of `stage`.
  mutating func restart(_ stage: TagStage?) {
    (last, recomputedUpTo) = (nil, nil)
    if let given = lag, let stage { lag = given.restarted(stage) }
  }
}
