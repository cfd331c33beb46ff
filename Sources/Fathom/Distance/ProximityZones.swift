/// A spherical zone around an accessory, given by its radius.
public struct ProximityZone: Sendable, Hashable {
  /// Radius, metres; above 0 and finite.
  public let radius: Double

  /// Creates a zone of the given radius, metres, above 0 and finite.
  public init(radius: Double) {
    precondition(radius > 0 && radius.isFinite, "radius is not positive")
    self.radius = radius
  }

  /// The larger zone of the sources, 3 m.
  public static let outer = ProximityZone(radius: 3)
  /// The smaller zone of the sources, 1.5 m, inside the outer one.
  public static let inner = ProximityZone(radius: 1.5)
}

/// The entry into or exit from one zone.
public struct ProximityEvent: Sendable, Hashable {
  /// The kind of a zone event.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The distance has been below the zone's radius for the dwell time.
    case entered
    /// The distance has been at or beyond the zone's exit radius for the dwell time.
    case left
    /// No distance was measured for so long that the zone counts as left.
    case forgotten
  }

  /// The zone.
  public var zone: ProximityZone
  /// The kind of event.
  public var kind: Kind
  /// The time of the update that caused it.
  public var time: Timestamp
}

/// Detects when a smoothed distance enters and leaves zones, with hysteresis and dwell time [Zones
/// talk].
///
/// A zone is entered when the distance is **below** its radius: exactly 3.0 m is outside, and
/// exactly 1.5 m is in the outer zone only. It is left when the distance is at or beyond the exit
/// radius, radius + hysteresis. Both take effect once the distance has stayed there for the dwell
/// time. The zones are nested: a distance inside one zone is inside all larger ones.
///
/// Without hysteresis and dwell time the rule is d < 1.5 inner, d < 3.0 outer, otherwise outside.
/// The defaults add a hysteresis of 0.3 m, three standard deviations of a raw range, and a dwell
/// time of 0.5 s, a fraction of a step.
///
/// ## Edge cases
/// - An absent distance (nil, or a value that ``MeasuredDistance`` rejects) changes no zone and
///   does not interrupt a dwell time.
/// - More than `forgetAfter` seconds after the last distance, the next update of either kind
///   reports all zones as forgotten. A distance in that update then starts from outside.
/// - Distances with time stamps before the last distance are rejected. A step back of more than
///   `forgetAfter` seconds counts as a clock reset and forgets all zones too.
/// - Equal time stamps are processed in the order given.
///
/// The cost is proportional to the number of zones. Allocates in `init` only.
public struct ProximityZones: Sendable {
  /// The zones, largest first.
  public let zones: [ProximityZone]
  /// The distance beyond the radius at which a zone is left, metres.
  public let hysteresis: Double
  /// The time that the distance has to stay beyond a boundary, seconds.
  public var dwell: Double { dwelling.dwell }
  /// The time without a distance after which a zone is forgotten, seconds.
  public var forgetAfter: Double { dwelling.forgetAfter }

  /// The number of occupied zones, which are the first ones in `zones`.
  package private(set) var depth = 0
  private var dwelling: ZoneDwell
  /// Whether the last distance was beyond no boundary.
  private var isSettled = false
  /// The interval of distances that are beyond no boundary, metres; half open.
  private var quiet = (from: 0.0, below: 0.0)

  /// Creates a detector that is outside all zones.
  ///
  /// - Parameters:
  ///   - zones: The zones, in any order, with distinct radii.
  ///   - hysteresis: Metres, 0 or more, finite.
  ///   - dwell: The dwell time, seconds, 0 or more.
  ///   - forgetAfter: Seconds, above 0; infinity disables forgetting.
  public init(
    _ zones: [ProximityZone] = [.outer, .inner], hysteresis: Double = 0.3, dwell: Double = 0.5,
    forgetAfter: Double = 2
  ) {
    precondition(Set(zones).count == zones.count, "two zones have the same radius")
    precondition(hysteresis >= 0 && hysteresis.isFinite, "hysteresis is negative or not finite")
    self.zones = zones.sorted { $0.radius > $1.radius }
    self.hysteresis = hysteresis
    dwelling = ZoneDwell(zones: zones.count, dwell: dwell, forgetAfter: forgetAfter)
    quiet = quietDistances
  }

  /// The smallest occupied zone, or nil outside all zones.
  public var current: ProximityZone? { depth > 0 ? zones[depth - 1] : nil }

  /// Returns whether `zone` is occupied; false for a zone that is not in `zones`.
  public func isInside(_ zone: ProximityZone) -> Bool {
    zones.prefix(depth).contains(zone)
  }

  /// Processes the distance at `time` and returns the zone events.
  ///
  /// - Parameters:
  ///   - distance: The distance, metres, preferably smoothed; nil when absent.
  ///   - time: The time of the measurement, or the present time for an absent one.
  /// - Returns: The zones entered, left or forgotten in this update; usually empty.
  public mutating func update(distance: Double?, at time: Timestamp) -> ProximityEvents {
    guard let distance else { return process(nil, at: time) }
    return process(MeasuredDistance.validated(distance), at: time)
  }

  /// Processes the output of a smoother at `time`; a distance of 0 is valid here.
  ///
  /// - Parameters:
  ///   - smoothed: The smoother's output.
  ///   - time: The time of the range, or the present time for an absent one.
  /// - Returns: The zones entered, left or forgotten in this update; usually empty.
  public mutating func update(
    smoothed: SmoothedDistance?, at time: Timestamp
  ) -> ProximityEvents {
    guard let smoothed else { return process(nil, at: time) }
    return process(MeasuredDistance.validated(smoothed.distance, zeroIsDistance: true), at: time)
  }

  /// Processes the output of a smoother at `time`, like ``update(smoothed:at:)``.
  ///
  /// Returns the zones entered, left or forgotten; nil without any, the usual case. `time` is that
  /// of the range, or the present time for an absent one.
  package mutating func changes(smoothed distance: Double?, at time: Timestamp) -> ProximityEvents?
  {
    if let distance, isSettled, distance >= quiet.from, distance < quiet.below,
      dwelling.order(of: time) == .next
    {
      dwelling.measure(at: time)
      return nil
    }
    let events = process(
      distance.flatMap { MeasuredDistance.validated($0, zeroIsDistance: true) }, at: time)
    return events.isEmpty ? nil : events
  }

  /// Leaves all zones without an event.
  public mutating func reset() {
    dwelling.reset()
    depth = 0
    isSettled = false
    quiet = quietDistances
  }

  /// The distances that are beyond no boundary: not inside the largest unoccupied zone, and below
  /// the exit radius of the smallest occupied one.
  private var quietDistances: (from: Double, below: Double) {
    (
      depth < zones.count ? zones[depth].radius : 0,
      min(
        depth > 0 ? zones[depth - 1].radius + hysteresis : .infinity,
        MeasuredDistance.smallestSentinel)
    )
  }

  private mutating func process(_ distance: Double?, at time: Timestamp) -> ProximityEvents {
    var forgotten = 0
    switch dwelling.order(of: time) {
    case .next: break
    case .late:
      return ProximityEvents(zones: zones, forgotten: 0, before: depth, after: depth, time: time)
    case .forgotten:
      forgotten = depth
      reset()
    }
    let before = depth
    if let distance {
      dwelling.measure(at: time)
      cross(distance, at: time)
    }
    // Usually true; the event collection then does not retain the zones.
    let isEmpty = forgotten == 0 && before == depth
    return ProximityEvents(
      zones: isEmpty ? [] : zones, forgotten: forgotten, before: before, after: depth, time: time)
  }

  /// Moves `depth` over the boundaries that `distance` has exceeded for the dwell time.
  ///
  /// A distance beyond the exit radius of an occupied zone is beyond those of all smaller zones
  /// too, and has been for at least as long. The same holds in reverse for zones to be entered.
  /// Counting the crossings therefore keeps the zones nested.
  private mutating func cross(_ distance: Double, at time: Timestamp) {
    let before = depth
    isSettled = true
    for index in zones.indices {
      let holds = index < before
      let radius = zones[index].radius
      let isBeyond = holds ? distance >= radius + hysteresis : distance < radius
      if isBeyond { isSettled = false }
      if dwelling.changes(index, isBeyond: isBeyond, at: time) { depth += holds ? -1 : 1 }
    }
    if depth != before { quiet = quietDistances }
  }
}

/// The events of one update, in order of occurrence.
///
/// Zones are forgotten and left from the smallest outwards, then entered from the largest inwards.
/// The collection computes its elements and allocates nothing.
public struct ProximityEvents: RandomAccessCollection, Sendable {
  private let zones: [ProximityZone]
  private let forgotten: Int
  private let before: Int
  private let after: Int
  private let time: Timestamp

  fileprivate init(
    zones: [ProximityZone], forgotten: Int, before: Int, after: Int, time: Timestamp
  ) {
    self.zones = zones
    self.forgotten = forgotten
    self.before = before
    self.after = after
    self.time = time
  }

  /// The position of the first event.
  public var startIndex: Int { 0 }

  /// The position after the last event.
  public var endIndex: Int { forgotten + Swift.abs(after - before) }

  /// Returns the event at `position`, in `0..<count`.
  public subscript(position: Int) -> ProximityEvent {
    precondition(indices.contains(position), "no such event")
    if position < forgotten {
      return ProximityEvent(zone: zones[forgotten - 1 - position], kind: .forgotten, time: time)
    }
    let step = position - forgotten
    return after > before
      ? ProximityEvent(zone: zones[before + step], kind: .entered, time: time)
      : ProximityEvent(zone: zones[before - 1 - step], kind: .left, time: time)
  }
}
