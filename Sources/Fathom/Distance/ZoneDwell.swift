/// How long what is measured has been beyond the boundaries of zones, and when it was measured
/// last: what keeps zones from flickering, and from holding for ever.
///
/// It knows neither distances nor positions: whoever judges on which side of a boundary they are,
/// ``ProximityZones`` or ``PositionZones``, asks here whether they have been there long enough.
struct ZoneDwell: Sendable {
  /// How long a boundary has to be exceeded, seconds.
  let dwell: Double
  /// How long a zone outlasts the last measurement, seconds.
  var forgetAfter: Double { memory.seconds }

  private let memory: TimeLimit

  /// Since when each zone's boundary has been exceeded; nil where it is not.
  private var beyondSince: [Timestamp?]
  private var last: Timestamp?

  /// What the time of an update says.
  enum Order {
    /// Zones go on from what they were.
    case next
    /// It is before the last measurement, and to be set aside.
    case late
    /// It is so far from the last measurement that nothing holds any more.
    case forgotten
  }

  /// Nothing measured yet.
  ///
  /// - Parameters:
  ///   - count: the number of zones.
  ///   - dwell: seconds, 0 or more.
  ///   - forgetAfter: seconds, above 0; infinite for never.
  init(zones count: Int, dwell: Double, forgetAfter: Double) {
    precondition(dwell >= 0, "dwell is negative")
    precondition(forgetAfter > 0, "forgetAfter is not positive")
    self.dwell = dwell
    memory = TimeLimit(seconds: forgetAfter)
    beyondSince = Array(repeating: nil, count: count)
  }

  /// How an update at `time` stands to the last measurement; the first one is next.
  @inline(__always)
  func order(of time: Timestamp) -> Order {
    guard let last else { return .next }
    if time < last { return memory.isExceeded(from: time, to: last) ? .forgotten : .late }
    return memory.isExceeded(from: last, to: time) ? .forgotten : .next
  }

  /// Remembers that something was measured at `time`.
  mutating func measure(at time: Timestamp) { last = time }

  /// Takes on which side of a zone's boundary a measurement is.
  ///
  /// - Parameters:
  ///   - index: the zone's place.
  ///   - isBeyond: whether it is on the side that the zone changes on.
  ///   - time: when it was measured.
  /// - Returns: whether the zone changes: the measurements have been there for the dwell time. The
  ///   next change takes as long again.
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

  /// Forgets all measurements.
  mutating func reset() {
    last = nil
    for index in beyondSince.indices { beyondSince[index] = nil }
  }
}
