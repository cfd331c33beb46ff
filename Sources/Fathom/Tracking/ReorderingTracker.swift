import DequeModule

/// A ``Tracker`` for ranges that arrive in any order within a horizon.
///
/// Radios and networks deliver late, sometimes whole blocks. A range that arrives up to ``horizon``
/// seconds after a newer one is put where it belongs: the track is taken back to before it and
/// carried forward again over all that has come since. The estimate is then, to the bit, that of
/// the same ranges in order of time; ranges of one instant count in order of their anchors, however
/// they arrived.
///
/// ## Cost
/// Two updates per range in order: one for the estimate, one for the track at the horizon to go
/// back to. A late range costs as many updates as there are ranges within the horizon.
public struct ReorderingTracker: Sendable {
  /// How late a range may arrive after the newest one, seconds.
  public let horizon: Double

  /// The track up to the horizon: nothing can change it any more.
  private var settled: Tracker
  /// The track up to the newest range.
  private var live: Tracker
  /// The ranges that ``settled`` lacks, in order of time, then anchor.
  private var recent: Deque<RangeMeasurement> = []
  /// The newest instant.
  private var newest = Timestamp(nanoseconds: .min)
  /// The instant of the last range in ``settled``.
  private var oldest = Timestamp(nanoseconds: .min)

  /// A tracker that waits for nothing and mends its estimate when something comes late.
  ///
  /// - Parameters:
  ///   - anchors: the anchors, with finite positions.
  ///   - configuration: what is assumed about tag and ranges.
  ///   - horizon: how late a range may arrive, seconds, not negative.
  public init(
    anchors: [Anchor], configuration: Tracker.Configuration = Tracker.Configuration(),
    horizon: Double
  ) {
    self.horizon = horizon
    settled = Tracker(anchors: anchors, configuration: configuration)
    live = settled
  }

  /// Takes in a range, which may be older than others that came before.
  ///
  /// - Returns: What was done with it, given all that has arrived by now;
  ///   ``TrackUpdate/Outcome/late`` for a range from beyond the horizon.
  public mutating func update(_ range: RangeMeasurement) -> TrackUpdate {
    guard range.time >= oldest, newest.seconds(since: range.time) <= horizon else {
      return TrackUpdate(outcome: .late)
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

  /// The estimate at `time` from all ranges that have arrived, as of ``Tracker/estimate(at:)``.
  public func estimate(at time: Timestamp) -> TrackEstimate? { live.estimate(at: time) }

  /// The tracker of all ranges that have arrived.
  public var tracker: Tracker { live }

  /// Tells the tracker that ranging was interrupted after all that has arrived, see
  /// ``Tracker/interrupt()``.
  ///
  /// Ranges from before the interruption that arrive later are ``TrackUpdate/Outcome/late``.
  public mutating func interrupt() {
    live.interrupt()
    settled = live
    recent.removeAll()
    if newest > oldest { oldest = newest }
  }

  /// Runs over the recent ranges again; says what was done with the one at `place`.
  private mutating func replay(upTo place: Int) -> TrackUpdate {
    live = settled
    var result = TrackUpdate(outcome: .invalid)
    for (index, range) in recent.enumerated() {
      let update = live.update(range)
      if index == place { result = update }
    }
    return result
  }

  /// Hands over what no late range can come before.
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
