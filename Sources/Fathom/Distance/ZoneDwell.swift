/// The dwell and forget times of zones, which prevent flicker and stale zones.
///
/// Independent of distances and positions: ``ProximityZones`` and ``PositionZones`` decide on which
/// side of a boundary a measurement lies, and query here whether the dwell time has passed.
struct ZoneDwell: Sendable {
  /// The time for which a boundary has to be exceeded, seconds.
  let dwell: Double
  /// The time without a measurement after which a zone is forgotten, seconds.
  var forgetAfter: Double { memory.seconds }

  private let memory: TimeLimit

  /// The time since which each zone's boundary has been exceeded; nil when it is not.
  private var beyondSince: [Timestamp?]
  private var last: Timestamp?

  /// The order of an update relative to the last measurement.
  enum Order {
    /// The zones continue.
    case next
    /// The update precedes the last measurement and is rejected.
    case late
    /// The last measurement is so far away that all zones are forgotten.
    case forgotten
  }

  /// Creates the times of `count` zones, before the first measurement.
  ///
  /// `dwell`, 0 or more, and `forgetAfter`, above 0, are in seconds; infinity disables forgetting.
  init(zones count: Int, dwell: Double, forgetAfter: Double) {
    precondition(dwell >= 0, "dwell is negative")
    precondition(forgetAfter > 0, "forgetAfter is not positive")
    self.dwell = dwell
    memory = TimeLimit(seconds: forgetAfter)
    beyondSince = Array(repeating: nil, count: count)
  }

  /// Returns the order of an update at `time` relative to the last measurement; the first is
  /// `next`.
  @inline(__always)
  func order(of time: Timestamp) -> Order {
    guard let last else { return .next }
    if time < last { return memory.isExceeded(from: time, to: last) ? .forgotten : .late }
    return memory.isExceeded(from: last, to: time) ? .forgotten : .next
  }

  /// Records the time of a measurement.
  mutating func measure(at time: Timestamp) { last = time }

  /// Records whether a measurement lies on the side of a zone's boundary that changes the zone.
  ///
  /// Returns whether the zone changes, because the dwell time has passed. The next change needs
  /// another dwell time.
  mutating func changes(_ index: Int, isBeyond: Bool, at time: Timestamp) -> Bool {
    guard isBeyond else {
      beyondSince[index] = nil
      return false
    }
    let since = beyondSince[index] ?? time
    let isLong = time.seconds(since: since) >= dwell
    beyondSince[index] = isLong ? nil : since
    return isLong
  }

  /// Discards all measurements.
  mutating func reset() {
    last = nil
    for index in beyondSince.indices { beyondSince[index] = nil }
  }
}
