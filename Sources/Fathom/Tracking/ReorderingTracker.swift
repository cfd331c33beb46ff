import DequeModule

/// A ``Tracker`` for ranges that arrive out of order within a time horizon.
///
/// Radios and networks may deliver ranges late, sometimes in whole blocks. A range that arrives up
/// to ``horizon`` seconds after a newer one is inserted at its own time: the tracker returns to the
/// state before it and processes all later ranges again. The estimate is bitwise equal to that of
/// the same ranges in order of time. Ranges of one instant are processed in order of their anchors,
/// independent of their order of arrival.
///
/// ## Cost
/// Two updates per range in order: one for the estimate, one for the state at the horizon. A late
/// range costs as many updates as there are ranges within the horizon.
public struct ReorderingTracker: Sendable {
  /// The largest accepted delay of a range after the newest one, in seconds.
  public let horizon: Double

  /// The tracker at the horizon; later input does not change it.
  private var settled: Tracker
  /// The tracker at the newest range.
  private var live: Tracker
  /// The ranges between ``settled`` and ``live``, in order of time, then anchor.
  private var recent: Deque<RangeMeasurement> = []
  /// The newest time of a range.
  private var newest = Timestamp(nanoseconds: .min)
  /// The evidence that the clock has stepped back.
  private var clockStep = ClockStep()
  /// The time of the last range in ``settled``.
  private var oldest = Timestamp(nanoseconds: .min)

  /// Creates a tracker that reports estimates without delay and corrects them after late ranges.
  ///
  /// - Parameters:
  ///   - anchors: The anchors.
  ///   - configuration: The assumptions about the tag and its ranges.
  ///   - horizon: The largest accepted delay of a range in seconds, 0 to 1e9.
  /// - Throws: ``ConfigurationError`` for a setting or an anchor with which it cannot work.
  public init(
    anchors: [Anchor], configuration: Tracker.Configuration = Tracker.Configuration(),
    horizon: Double
  ) throws(ConfigurationError) {
    let allowed = 0.0...1e9
    guard allowed.contains(horizon) else {
      throw .outOfRange(name: "horizon", value: horizon, allowed: allowed)
    }
    self.init(
      reordering: try Tracker(anchors: anchors, configuration: configuration), horizon: horizon)
  }

  /// Creates a tracker from one without ranges.
  private init(reordering tracker: Tracker, horizon: Double) {
    self.horizon = horizon
    settled = tracker
    live = tracker
  }

  /// Processes a range, which may be older than previous ranges.
  ///
  /// A clock that steps back by more than the horizon and ``TrackerConfiguration/clockStep`` resets the
  /// tracker once three ranges in a row confirm it.
  ///
  /// - Returns: How the range was used, given all ranges so far; ``TrackUpdate/Outcome/late`` for a
  ///   range beyond the horizon.
  public mutating func update(_ range: RangeMeasurement) -> TrackUpdate {
    guard live.anchors.indices.contains(range.anchor), range.isUsable else {
      return TrackUpdate(outcome: .invalid)
    }
    if range.time < oldest || newest.seconds(since: range.time) > horizon {
      let limit = max(horizon, live.configuration.clockStep)
      guard clockStep.isConfirmed(by: range.time, newest: newest, limit: limit) else {
        return TrackUpdate(outcome: .late)
      }
      reset()
    } else if clockStep.isPending {
      clockStep = ClockStep()
    }
    var place = recent.count
    while place > 0, Self.precedes(range, recent[place - 1]) { place -= 1 }
    let isNewest = place == recent.count
    recent.insert(range, at: place)
    newest = max(newest, range.time)
    let update = isNewest ? live.update(range) : replay(upTo: place)
    settle()
    return update
  }

  /// Returns the estimate at `time` from all ranges so far; see ``Tracker/estimate(at:)``.
  public func estimate(at time: Timestamp) -> TrackEstimate? { live.estimate(at: time) }

  /// The tracker after all ranges so far.
  public var tracker: Tracker { live }

  /// Informs the tracker that ranging was interrupted after all ranges so far; see
  /// ``Tracker/interrupt()``.
  ///
  /// Ranges from before the interruption that arrive later are ``TrackUpdate/Outcome/late``.
  public mutating func interrupt() {
    live.interrupt()
    settled = live
    recent.removeAll()
    if newest > oldest { oldest = newest }
  }

  /// Forgets all ranges: the next ones start a new track, at any time.
  public mutating func reset() {
    live.reset()
    self = Self(reordering: live, horizon: horizon)
  }

  /// Processes the recent ranges again and returns the update of the one at `place`.
  private mutating func replay(upTo place: Int) -> TrackUpdate {
    live = settled
    var result = TrackUpdate(outcome: .invalid)
    for (index, range) in recent.enumerated() {
      let update = live.update(range)
      if index == place { result = update }
    }
    return result
  }

  /// Moves the ranges older than the horizon to ``settled``.
  private mutating func settle() {
    while let first = recent.first, newest.seconds(since: first.time) > horizon {
      _ = settled.update(first)
      oldest = first.time
      recent.removeFirst()
    }
  }

  private static func precedes(_ first: RangeMeasurement, _ second: RangeMeasurement) -> Bool {
    (first.time, first.anchor, first.distance) < (second.time, second.anchor, second.distance)
  }
}
