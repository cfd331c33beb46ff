import DequeModule

/// Smooths a tracker's estimates behind the head of a live stream.
///
/// An estimate waits until the ranges of the next ``lag`` seconds are known. Then a ``TrackSmoother``
/// processes these ranges and those of some ten seconds before. It runs for all estimates of a quarter of
/// the lag together, so that an estimate comes after one to one and a quarter times the lag.
///
/// ```swift
/// smoother.add(range)
/// _ = tracker.update(range)
/// if let estimate = tracker.estimate(at: range.time) { smoother.hold(estimate) }
/// for estimate in smoother.release(at: range.time) { show(estimate) }
/// ```
///
/// The tracker remembers the whole stream, the smoother only a stretch. An estimate therefore stays that
/// of the tracker while that one is ambiguous, where the stretch determines no position, and where the
/// smoothed position is more than five of the tracker's standard deviations away.
///
/// ## Cost
/// Every range is smoothed some four times (lag + 10 s) / lag times: with a lag of 2 s, 0.1 to 0.3 ms
/// per range. Memory is bounded: at most 16,384 measurements are kept.
public struct FixedLagTrackSmoother: Sendable {
  /// The allowed lags, in seconds.
  public static let lags = 0.01...60.0
  /// The time that estimates wait for later ranges, in seconds.
  public let lag: Double
  private let smoother: TrackSmoother
  private var recent: Deque<TimedMeasurement> = []
  private var held: Deque<TrackEstimate> = []

  /// Seconds of measurements before the first estimate: enough to start a track and find its velocity.
  private static let stretch = 10.0
  /// The greatest number of measurements that are kept.
  private static let mostKept = 16_384
  /// The greatest number of estimates that wait; with more, all are released.
  private static let mostHeld = 16_384
  /// How many of the tracker's standard deviations a smoothed position may be away.
  private static let farthest = 5.0

  /// Creates a smoother of one tag.
  ///
  /// - Parameters:
  ///   - anchors: The anchors of the tracker.
  ///   - configuration: The configuration of the tracker.
  ///   - lag: The time that estimates wait, in seconds, one of ``lags``.
  /// - Throws: ``ConfigurationError`` for a lag, a setting or an anchor with which it cannot work.
  public init(
    anchors: [Anchor], configuration: TrackerConfiguration = TrackerConfiguration(), lag: Double
  ) throws(ConfigurationError) {
    guard Self.lags.contains(lag) else {
      throw .outOfRange(name: "lag", value: lag, allowed: Self.lags)
    }
    try configuration.validate(for: anchors)
    self.init(among: anchors, validated: configuration, lag: lag)
  }

  /// Creates a smoother with valid anchors, settings and lag.
  package init(among anchors: [Anchor], validated configuration: TrackerConfiguration, lag: Double)
  {
    self.lag = lag
    smoother = TrackSmoother(among: anchors, validated: configuration)
  }

  /// Returns a smoother with the settings of `other` and the measurements and estimates of this one.
  package func with(_ other: Self) -> Self {
    var result = other
    (result.recent, result.held) = (recent, held)
    return result
  }

  /// Adds a range, as any other measurement.
  public mutating func add(_ range: RangeMeasurement) { add(.range(range)) }

  /// Adds a measurement, which may be late but must come before the estimates at its time are released.
  public mutating func add(_ measurement: TimedMeasurement) {
    recent.append(measurement)
    if recent.count > Self.mostKept { recent.removeFirst() }
  }

  /// Informs the smoother that the tag may be anywhere after `time`.
  public mutating func interrupt(at time: Timestamp) { add(.interruption(time)) }

  /// Adds an estimate of the tracker, not before those added so far.
  ///
  /// One at the same time as the last replaces it.
  public mutating func hold(_ estimate: TrackEstimate) {
    if let last = held.last, last.time == estimate.time { held.removeLast() }
    held.append(estimate)
  }

  /// Returns the estimates that have waited long enough when the time is `now`, smoothed.
  public mutating func release(at now: Timestamp) -> [TrackEstimate] {
    guard let first = held.first else { return [] }
    let isFull = held.count > Self.mostHeld
    guard isFull || now.seconds(since: first.time) >= 1.25 * lag else { return [] }
    return smoothed(upTo: isFull ? now : now.advanced(bySeconds: -lag))
  }

  /// Returns all estimates, smoothed with the ranges so far, at the end of a stream.
  public mutating func finish() -> [TrackEstimate] {
    smoothed(upTo: Timestamp(nanoseconds: .max))
  }

  /// Removes and returns the estimates up to `limit`.
  private mutating func smoothed(upTo limit: Timestamp) -> [TrackEstimate] {
    guard let first = held.first else { return [] }
    let begin = first.time.advanced(bySeconds: -max(Self.stretch, lag))
    recent.removeAll { $0.time < begin }
    let track = smoother.smoothed(Array(recent))
    var result: [TrackEstimate] = []
    while let own = held.first, own.time <= limit {
      held.removeFirst()
      result.append(smoothed(own, track))
    }
    return result
  }

  private func smoothed(_ own: TrackEstimate, _ track: SmoothedTrack?) -> TrackEstimate {
    guard own.status != .ambiguous,
      var found = track?.estimate(at: own.time, configuration: smoother.configuration),
      own.isNear(found.position, within: Self.farthest)
    else { return own }
    found.status = own.status
    found.alternative = nil
    return found
  }
}

extension TrackEstimate {
  /// Whether `other` is within so many standard deviations of the position.
  fileprivate func isNear(_ other: Vector<3>, within sigmas: Double) -> Bool {
    let offset = other - position
    // Along each axis; the covariance of a known height has no inverse.
    return (0..<3).allSatisfy { axis in
      offset[axis] * offset[axis] <= sigmas * sigmas * covariance[axis, axis] + 1e-12
    }
  }
}
