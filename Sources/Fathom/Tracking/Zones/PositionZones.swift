import RealModule

/// An event of a tag and a zone.
public struct PositionZoneEvent: Sendable, Hashable {
  /// The kind of the event.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The position was certainly inside for the dwell time.
    case entered
    /// The position was certainly outside for the dwell time.
    case left
    /// There was no position for longer than ``PositionZones/forgetAfter``.
    case forgotten
  }

  /// Index of the zone among ``PositionZones/zones``.
  public var zone: Int
  /// The kind of the event.
  public var kind: Kind
  /// Time of the update that caused the event.
  public var time: Timestamp
}

/// Detects when a tag enters and leaves zones on the floor plan, with hysteresis.
///
/// A tag enters a zone when two conditions hold throughout the dwell time. The position is inside
/// and farther from the boundary than the margin, and its whole confidence ellipse is inside. A tag
/// leaves a zone when position and ellipse are outside in the same sense. In between, the state
/// stays the same: the hysteresis is the margin for accurate positions, and the error ellipse for
/// inaccurate ones. When a zone is entered, the tag is inside with at least the given confidence. A
/// zone smaller than the ellipse is never entered.
///
/// Zones are independent of each other; they may overlap.
///
/// ## Edge cases
/// A position that is nil, or whose x or y is not finite, causes no change and does not interrupt a
/// dwell. A position without height has no effect on zones with heights. For a position without
/// covariance, only the margin counts. More than `forgetAfter` seconds after the last position, the
/// next update leaves all zones; a position in that update starts from outside. A position with a
/// time stamp before the last one is rejected. A step back by more than `forgetAfter` is a clock
/// that was set, and leaves all zones as well.
///
/// ## Cost
/// Linear in the number of corners of the zones near the position. Allocates only in `init` and for
/// events.
public struct PositionZones: Sendable {
  /// The zones.
  public let zones: [PositionZone]
  /// The required distance from the boundary, in metres.
  public let margin: Double
  /// The dwell time in seconds.
  public var dwell: Double { dwelling.dwell }
  /// The required probability of a position inside or outside.
  public let confidence: Double
  /// The time without positions after which zones are left, in seconds.
  public var forgetAfter: Double { dwelling.forgetAfter }

  /// The radius of the ellipse in standard deviations.
  private let radii: Double
  private var holds: [Bool]
  private var dwelling: ZoneDwell

  /// Creates zones with the given rules, without a tag inside.
  ///
  /// - Parameters:
  ///   - zones: The zones, in any order.
  ///   - margin: The margin in metres, 0 or more, finite.
  ///   - dwell: The dwell time in seconds, 0 or more.
  ///   - confidence: The confidence, from 0 to below 1; 0 treats positions as exact.
  ///   - forgetAfter: The time without positions in seconds, above 0; infinite for no limit.
  public init(
    _ zones: [PositionZone], margin: Double = 0.2, dwell: Double = 0.5, confidence: Double = 0.95,
    forgetAfter: Double = 10
  ) {
    precondition(margin >= 0 && margin.isFinite, "margin must be 0 or more and finite")
    precondition(confidence >= 0 && confidence < 1, "confidence must be from 0 to below 1")
    self.zones = zones
    self.margin = margin
    self.confidence = confidence
    // The squared distance of two normal coordinates has an exponential distribution.
    radii = (-2 * Double.log(onePlus: -confidence)).squareRoot()
    holds = Array(repeating: false, count: zones.count)
    dwelling = ZoneDwell(zones: zones.count, dwell: dwell, forgetAfter: forgetAfter)
  }

  /// Returns whether the tag is inside the zone at `index`.
  public func isInside(_ index: Int) -> Bool { holds[index] }

  /// Processes the position at `time` and returns the resulting events.
  ///
  /// - Parameters:
  ///   - position: The position in metres; nil without one.
  ///   - covariance: The covariance of the position in m²; nil if unknown.
  ///   - time: The time of the position.
  /// - Returns: Zones forgotten or left, then zones entered, each in the order of ``zones``.
  public mutating func update(
    _ position: Vector<3>?, covariance: Matrix<3, 3>? = nil, at time: Timestamp
  ) -> [PositionZoneEvent] {
    var events: [PositionZoneEvent] = []
    switch dwelling.order(of: time) {
    case .next: break
    case .late: return []
    case .forgotten:
      for index in zones.indices where holds[index] {
        events.append(PositionZoneEvent(zone: index, kind: .forgotten, time: time))
      }
      reset()
    }
    guard let position, position[0].isFinite, position[1].isFinite else { return events }
    dwelling.measure(at: time)
    let spread = PositionSpread(covariance, radii: radii)
    var entered: [PositionZoneEvent] = []
    for index in zones.indices {
      // Without a height, zones with heights cannot change.
      if zones[index].heights != nil, !position[2].isFinite { continue }
      let side = zones[index].side(of: position, spread: spread, margin: margin)
      let isBeyond = side == (holds[index] ? .outside : .inside)
      guard dwelling.changes(index, isBeyond: isBeyond, at: time) else { continue }
      holds[index].toggle()
      if holds[index] {
        entered.append(PositionZoneEvent(zone: index, kind: .entered, time: time))
      } else {
        events.append(PositionZoneEvent(zone: index, kind: .left, time: time))
      }
    }
    return entered.isEmpty ? events : events + entered
  }

  /// Processes an estimate of a ``Tracker``, including an ambiguous one.
  ///
  /// - Parameter estimate: The estimate.
  /// - Returns: The events, as for ``update(_:covariance:at:)``.
  public mutating func update(_ estimate: TrackEstimate) -> [PositionZoneEvent] {
    update(estimate.position, covariance: estimate.covariance, at: estimate.time)
  }

  /// Leaves all zones without events.
  public mutating func reset() {
    dwelling.reset()
    for index in zones.indices { holds[index] = false }
  }
}
