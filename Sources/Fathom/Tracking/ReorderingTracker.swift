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
  public var horizon: Double { replay.horizon }

  /// The tracker at the newest measurement.
  private var live: Tracker
  /// The tracker at the horizon, and the measurements after it.
  private var replay: EventReplay<Tracker>
  /// The evidence that the clock has stepped back.
  private var clockStep = ClockStep()

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
    live = tracker
    replay = EventReplay(of: tracker, horizon: horizon)
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
    if !replay.accepts(time) {
      let newest = replay.newest ?? time
      let limit = max(horizon, live.configuration.clockStep)
      guard clockStep.isConfirmed(by: time, newest: newest, limit: limit) else {
        return TrackUpdate(outcome: .late)
      }
      reset()
    } else if clockStep.isPending {
      clockStep = ClockStep()
    }
    guard let place = replay.insert(measurement) else { return TrackUpdate(outcome: .late) }
    let update =
      place == replay.events.count - 1 ? live.update(measurement) : replayed(upTo: place)
    replay.settle()
    // Rarely, because the others move.
    if replay.settledCount > max(32, replay.events.count / 2) {
      replay.removeFirst(replay.settledCount)
    }
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
    replay.interrupt(continuingFrom: live)
  }

  /// Forgets all measurements: the next ones start a new track, at any time.
  public mutating func reset() {
    live.reset()
    self = Self(reordering: live, horizon: horizon)
  }

  /// Processes the recent measurements again and returns the update of the one at `place`.
  private mutating func replayed(upTo place: Int) -> TrackUpdate {
    var result = TrackUpdate(outcome: .invalid)
    if let tracker = replay.replayed({ if $0 == place { result = $2 } }) { live = tracker }
    return result
  }
}

extension TimedMeasurement: ReplayedEvent {}

extension Tracker: ReplayingState {
  package mutating func process(_ measurement: TimedMeasurement) -> TrackUpdate {
    update(measurement)
  }
}
