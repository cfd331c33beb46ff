import Fathom

/// The positions of a live tag that wait to be smoothed with later ranges.
struct LiveLag: Sendable {
  private var smoother: FixedLagTrackSmoother
  private let anchors: [Anchor]
  /// The rows that wait, in order of time; those without a position too, so that the order stays.
  private var rows: [PositionRow] = []

  /// Creates an empty queue for the track of `stage`.
  init(_ lag: Double, of stage: TagStage, anchors: [Anchor]) {
    self.anchors = anchors
    smoother = stage.lagSmoother(lag, anchors: anchors)
  }

  /// Adds a measurement that is no range.
  mutating func add(_ reading: TimedMeasurement) { smoother.add(reading) }

  /// Adds a range that the stage uses.
  mutating func add(_ range: RangeMeasurement) { smoother.add(range) }

  /// Records an interruption of the session at `time`.
  mutating func interrupt(at time: Timestamp) { smoother.interrupt(at: time) }

  /// Adds rows; one at the time of the last replaces it.
  mutating func hold(_ added: [PositionRow]) {
    for row in added {
      if let last = rows.last, last.time == row.time { rows.removeLast() }
      rows.append(row)
      if let estimate = TrackEstimate(row) { smoother.hold(estimate) }
    }
  }

  /// Returns the rows that are due when the newest time is `now`.
  mutating func release(at now: Timestamp) -> [PositionRow] { taken(smoother.release(at: now)) }

  /// Returns all rows.
  mutating func finish() -> [PositionRow] {
    let result = taken(smoother.finish())
    return result + rows.removed()
  }

  /// Removes the rows up to the last of `estimates`, and those without a position that follow, and
  /// returns them with their smoothed positions.
  private mutating func taken(_ estimates: [TrackEstimate]) -> [PositionRow] {
    var (next, count) = (0, 0)
    var result: [PositionRow] = []
    for row in rows {
      if TrackEstimate(row) == nil {
        result.append(row)
      } else if next < estimates.count {
        var smoothed = PositionRow(estimates[next], used: row.used, rejected: row.rejected)
        // What contradicts the input contradicts its smoothed track.
        if row.status == .inconsistent { smoothed.status = .inconsistent }
        result.append(smoothed)
        next += 1
      } else {
        break
      }
      count += 1
    }
    rows.removeFirst(count)
    return result
  }

  /// Returns an empty queue for the track of `stage` with the same lag.
  func restarted(_ stage: TagStage) -> Self {
    Self(smoother.lag, of: stage, anchors: anchors)
  }

  /// Continues with the calibration of `stage`.
  mutating func adopt(_ stage: TagStage) {
    smoother = smoother.with(stage.lagSmoother(smoother.lag, anchors: anchors))
  }
}

extension TrackEstimate {
  /// Creates the estimate of a row, without a velocity; nil for one without a position.
  fileprivate init?(_ row: PositionRow) {
    let status: Status
    switch row.status {
    case .tracking, .inconsistent: status = .tracking
    case .ambiguous: status = .ambiguous
    case .coasting: status = .coasting
    default: return nil
    }
    self.init(
      time: row.time, position: row.position, velocity: .zero, covariance: row.covariance,
      status: status, alternative: row.alternative)
  }
}
