/// A zone around an accessory: everything nearer than its radius.
public struct ProximityZone: Sendable, Hashable {
  /// Radius, metres; above 0 and finite.
  public let radius: Double

  /// The zone of the given radius, metres, above 0 and finite.
  public init(radius: Double) {
    precondition(radius > 0 && radius.isFinite, "radius is not positive")
    self.radius = radius
  }

  /// The larger zone of the sources, 3 m.
  public static let outer = ProximityZone(radius: 3)
  /// The smaller zone of the sources, 1.5 m; it lies inside the outer one.
  public static let inner = ProximityZone(radius: 1.5)
}

/// One zone entered or left.
public struct ProximityEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The distance has been below the zone's radius for the dwell time.
    case entered
    /// The distance has been at or beyond the zone's exit radius for the dwell time.
    case left
    /// There was no distance for so long that the zone counts as left.
    case forgotten
  }

  /// The zone.
  public var zone: ProximityZone
  /// What happened.
  public var kind: Kind
  /// Time of the update that decided it.
  public var time: Timestamp
}

/// Tells when a smoothed distance enters and leaves zones, without flicker [Zones talk].
///
/// A zone is entered when the distance is **below** its radius (exactly 3.0 m is outside, exactly 1.5 m
/// is in the outer zone only) and left when it is at or beyond the exit radius, radius + hysteresis,
/// in each case once the distance has stayed there for the dwell time. The zones are nested: who is in
/// one is in all larger ones.
///
/// With no hysteresis and no dwell that is the plain reading: d < 1.5 inner, otherwise d < 3.0 outer,
/// otherwise none. The defaults add a hysteresis of 0.3 m, three standard deviations of a raw range,
/// and a dwell of 0.5 s, a fraction of a step.
///
/// ## Edge cases
/// An absent distance (nil, or what ``MeasuredDistance`` calls absent) is none: it enters and leaves
/// nothing and does not interrupt a dwell. When more than `forgetAfter` seconds have passed since the
/// last distance, at the next update of either kind, all zones count as left, and a distance given
/// then starts from outside. Time stamps before the last distance are set aside; a step back of more
/// than `forgetAfter` seconds is a clock that was set, and forgets too. Equal time stamps are taken in
/// the order given.
///
/// Cost proportional to the number of zones; allocates in `init` only.
public struct ProximityZones: Sendable {
  /// The zones, largest first.
  public let zones: [ProximityZone]
  /// How far beyond its radius a zone is left, metres.
  public let hysteresis: Double
  /// How long the distance has to stay beyond a boundary, seconds.
  public var dwell: Double { dwelling.dwell }
  /// How long a zone outlasts the last distance, seconds.
  public var forgetAfter: Double { dwelling.forgetAfter }

  /// The number of zones that hold; they are the first in `zones`.
  package private(set) var depth = 0
  private var dwelling: ZoneDwell
  /// Whether the last distance was beyond no boundary.
  private var isSettled = false
  /// Distances from the first to below the second, metres, are beyond no boundary.
  private var quiet = (from: 0.0, below: 0.0)

  /// Zones with the given rules, nothing entered yet.
  ///
  /// - Parameters:
  ///   - zones: the zones, in any order, no two of the same radius.
  ///   - hysteresis: metres, 0 or more, finite.
  ///   - dwell: seconds, 0 or more.
  ///   - forgetAfter: seconds, above 0; infinite for never.
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

  /// The smallest zone that holds, or nil outside all of them.
  public var current: ProximityZone? { depth > 0 ? zones[depth - 1] : nil }

  /// Whether `zone` holds; false for one that is not among `zones`.
  public func isInside(_ zone: ProximityZone) -> Bool {
    zones.prefix(depth).contains(zone)
  }

  /// Takes the distance at `time` and returns what it changes.
  ///
  /// - Parameters:
  ///   - distance: distance, metres, preferably smoothed; nil where there is none.
  ///   - time: when it was measured, or the present where there is none.
  /// - Returns: the zones entered, left or forgotten by this update; empty for most.
  public mutating func update(distance: Double?, at time: Timestamp) -> ProximityEvents {
    guard let distance else { return take(nil, at: time) }
    return take(MeasuredDistance.validated(distance), at: time)
  }

  /// Takes the output of a smoother at `time`; its distance counts even where it is 0.
  ///
  /// - Parameters:
  ///   - smoothed: what the smoother returned.
  ///   - time: when the range was measured, or the present where there is none.
  /// - Returns: the zones entered, left or forgotten by this update; empty for most.
  public mutating func update(
    smoothed: SmoothedDistance?, at time: Timestamp
  ) -> ProximityEvents {
    guard let smoothed else { return take(nil, at: time) }
    return take(MeasuredDistance.validated(smoothed.distance, zeroIsDistance: true), at: time)
  }

  /// Takes the output of a smoother at `time`, as ``update(smoothed:at:)`` does.
  ///
  /// - Parameters:
  ///   - distance: the smoothed distance, metres; nil where there is none.
  ///   - time: when the range was measured, or the present where there is none.
  /// - Returns: the zones entered, left or forgotten; nil for none, as mostly.
  package mutating func changes(smoothed distance: Double?, at time: Timestamp) -> ProximityEvents?
  {
    if let distance, isSettled, distance >= quiet.from, distance < quiet.below,
      dwelling.order(of: time) == .next
    {
      dwelling.measure(at: time)
      return nil
    }
    let events = take(
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

  /// The distances that are beyond no boundary: outside the largest zone that does not hold, and
  /// within reach of the smallest one that does.
  private var quietDistances: (from: Double, below: Double) {
    (
      depth < zones.count ? zones[depth].radius : 0,
      min(
        depth > 0 ? zones[depth - 1].radius + hysteresis : .infinity,
        MeasuredDistance.smallestSentinel)
    )
  }

  private mutating func take(_ distance: Double?, at time: Timestamp) -> ProximityEvents {
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
    // Mostly: then the zones need not be held on to.
    let isEmpty = forgotten == 0 && before == depth
    return ProximityEvents(
      zones: isEmpty ? [] : zones, forgotten: forgotten, before: before, after: depth, time: time)
  }

  /// Moves `depth` over the boundaries that `distance` has been beyond for long enough.
  ///
  /// A distance beyond the boundary of a zone that holds is beyond those of all smaller ones too, and
  /// has been for at least as long; the same the other way round for zones to be entered. So counting
  /// the crossings keeps the zones nested.
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

/// The events of one update, in the order in which they happened.
///
/// Zones are forgotten and left from the smallest outwards, then entered from the largest inwards.
/// A view that computes its elements: no allocation.
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

  /// Position of the first event.
  public var startIndex: Int { 0 }

  /// Position after the last event.
  public var endIndex: Int { forgotten + Swift.abs(after - before) }

  /// The event at `position`, in `0..<count`.
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
