import DequeModule

/// A ``Tracker`` for measurements that arrive out of order within a time horizon.
///
/// Radios and networks may deliver ranges late, sometimes in whole blocks, and each sensor has a delay
/// of its own. A measurement that arrives up to ``horizon`` seconds after a newer one is inserted at its
/// own time: the tracker returns to the state before it and processes all later ones again. The estimate
/// is bitwise equal to that of the same measurements in the order of ``TimedMeasurement/precedes(_:_:)``,
/// independent of their order of arrival.
///
/// ## Cost
/// Two updates per measurement in order: one for the estimate, one for the state at the horizon. A late
/// one costs as many updates as there are measurements within the horizon.
public struct ReorderingTracker: Sendable {
  /// The largest accepted delay of a measurement after the newest one, in seconds.
  public let horizon: Double

  /// The tracker at the horizon; later input does not change it.
  private var settled: Tracker
  /// The tracker at the newest measurement.
  private var live: Tracker
  /// The measurements between ``settled`` and ``live``, in order.
  private var recent: Deque<TimedMeasurement> = []
  /// The newest time of a measurement.
  private var newest = Timestamp(nanoseconds: .min)
  /// The evidence that the clock has stepped back.
  private var clockStep = ClockStep()
  /// The time of the last measurement in ``settled``.
  private var oldest = Timestamp(nanoseconds: .min)

  /// Creates a tracker that reports estimates without delay and corrects them after late ranges.
  ///
  /// - Parameters:
  ///   - anchors: The anchors.
  ///   - configuration: The assumptions about the tag and its ranges.
  ///   - horizon: The largest accepted delay of a measurement in seconds, 0 to 1e9.
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

  /// Processes a range, as any other measurement.
  @discardableResult
  public mutating func update(_ range: RangeMeasurement) -> TrackUpdate { update(.range(range)) }

  /// Processes a measurement, which may be older than previous ones.
  ///
  /// A clock that steps back by more than the horizon and ``TrackerConfiguration/clockStep`` resets the
  /// tracker once three measurements in a row confirm it.
  ///
  /// - Returns: How the measurement was used, given all so far, as ``Tracker`` tells;
  ///   ``TrackUpdate/Outcome/late`` for one beyond the horizon.
  @discardableResult
  public mutating func update(_ measurement: TimedMeasurement) -> TrackUpdate {
    guard measurement.isUsable(among: live.anchors) else { return TrackUpdate(outcome: .invalid) }
    let time = measurement.time
    if time < oldest || newest.seconds(since: time) > horizon {
      let limit = max(horizon, live.configuration.clockStep)
      guard clockStep.isConfirmed(by: time, newest: newest, limit: limit) else {
        return TrackUpdate(outcome: .late)
      }
      reset()
    } else if clockStep.isPending {
      clockStep = ClockStep()
    }
    var place = recent.count
    while place > 0, TimedMeasurement.precedes(measurement, recent[place - 1]) { place -= 1 }
    let isNewest = place == recent.count
    recent.insert(measurement, at: place)
    newest = max(newest, time)
    let update = isNewest ? live.update(measurement) : replay(upTo: place)
    settle()
    return update
  }

  /// Returns the estimate at `time` from all measurements so far; see
  /// ``Tracker/estimate(at:)``.
  public func estimate(at time: Timestamp) -> TrackEstimate? { live.estimate(at: time) }

  /// The tracker after all measurements so far.
  public var tracker: Tracker { live }

  /// Informs the tracker that ranging was interrupted after all measurements so far; see
  /// ``Tracker/interrupt()``.
  ///
  /// Measurements from before the interruption that arrive later are ``TrackUpdate/Outcome/late``.
  public mutating func interrupt() {
    live.interrupt()
    settled = live
    recent.removeAll()
    if newest > oldest { oldest = newest }
  }

  /// Forgets all measurements: the next ones start a new track, at any time.
  public mutating func reset() {
    live.reset()
    self = Self(reordering: live, horizon: horizon)
  }

  /// Processes the recent measurements again and returns the update of the one at `place`.
  private mutating func replay(upTo place: Int) -> TrackUpdate {
    live = settled
    var result = TrackUpdate(outcome: .invalid)
    for (index, measurement) in recent.enumerated() {
      let update = live.update(measurement)
      if index == place { result = update }
    }
    return result
  }

  /// Moves the measurements older than the horizon to ``settled``.
  private mutating func settle() {
    while let first = recent.first, newest.seconds(since: first.time) > horizon {
      settled.update(first)
      oldest = first.time
      recent.removeFirst()
    }
  }
}
