import RealModule

/// One zone entered or left by a tag.
public struct PositionZoneEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The position has been inside beyond doubt for the dwell time.
    case entered
    /// The position has been outside beyond doubt for the dwell time.
    case left
    /// There was no position for so long that the zone counts as left.
    case forgotten
  }

  /// Index of the zone among ``PositionZones/zones``.
  public var zone: Int
  /// What happened.
  public var kind: Kind
  /// Time of the update that decided it.
  public var time: Timestamp
}

/// Tells when a tag enters and leaves zones on the floor plan, without flicker and not before it is
/// certain.
///
/// A zone is entered when the position lies inside, farther from the boundary than the margin, and
/// the whole ellipse that the position keeps to with the given confidence lies inside too, all of
/// it throughout the dwell time. It is left when both lie outside in the same way. In between it
/// stays what it was: the margin is the hysteresis where positions are accurate, their own error
/// where they are not. So the tag is inside with at least that confidence when a zone is entered.
/// A zone smaller than the ellipse is never entered.
///
/// Zones are independent of each other; they may overlap.
///
/// ## Edge cases
/// A position whose x or y is not known, or nil, is none: it enters and leaves nothing and does not
/// interrupt a dwell. One without height neither enters nor leaves zones that have heights. A
/// position without covariance is judged by the margin alone. When more than `forgetAfter` seconds
/// have passed since the last position, all zones count as left at the next update of either kind,
/// and a position given then starts from outside. Time stamps before the last position are set
/// aside; a step back of more than `forgetAfter` is a clock that was set, and forgets too.
///
/// ## Cost
/// Proportional to the corners of the zones that the position is near; allocates in `init` and for
/// events only.
public struct PositionZones: Sendable {
  /// The zones.
  public let zones: [PositionZone]
  /// How far beyond the boundary a position has to be, metres.
  public let margin: Double
  /// How long it has to stay there, seconds.
  public var dwell: Double { dwelling.dwell }
  /// The probability with which it has to be there.
  public let confidence: Double
  /// How long a zone outlasts the last position, seconds.
  public var forgetAfter: Double { dwelling.forgetAfter }

  /// The ellipse's radii in standard deviations.
  private let radii: Double
  private var holds: [Bool]
  private var dwelling: ZoneDwell

  /// Zones with the given rules, nothing entered yet.
  ///
  /// - Parameters:
  ///   - zones: the zones, in any order.
  ///   - margin: metres, 0 or more, finite.
  ///   - dwell: seconds, 0 or more.
  ///   - confidence: 0 to below 1; 0 for a position that is taken to be exact.
  ///   - forgetAfter: seconds, above 0; infinite for never.
  public init(
    _ zones: [PositionZone], margin: Double = 0.2, dwell: Double = 0.5, confidence: Double = 0.95,
    forgetAfter: Double = 10
  ) {
    precondition(margin >= 0 && margin.isFinite, "margin is negative or not finite")
    precondition(confidence >= 0 && confidence < 1, "confidence is not from 0 to below 1")
    self.zones = zones
    self.margin = margin
    self.confidence = confidence
    // Of two normal coordinates the square of the distance is exponential.
    radii = (-2 * Double.log(onePlus: -confidence)).squareRoot()
    holds = Array(repeating: false, count: zones.count)
    dwelling = ZoneDwell(zones: zones.count, dwell: dwell, forgetAfter: forgetAfter)
  }

  /// Whether the zone at `index` holds.
  public func isInside(_ index: Int) -> Bool { holds[index] }

  /// Takes the position at `time` and says what it changes.
  ///
  /// - Parameters:
  ///   - position: metres; nil for none.
  ///   - covariance: of the position, m²; nil where it is not known.
  ///   - time: when it was there.
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
      // Without a height nothing is known about zones that have one.
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

  /// Takes the estimate of a ``Tracker``; one that is ambiguous counts as it stands.
  ///
  /// - Parameter estimate: the estimate.
  /// - Returns: What it changes, as of ``update(_:covariance:at:)``.
  public mutating func update(_ estimate: TrackEstimate) -> [PositionZoneEvent] {
    update(estimate.position, covariance: estimate.covariance, at: estimate.time)
  }

  /// Leaves all zones without an event.
  public mutating func reset() {
    dwelling.reset()
    for index in zones.indices { holds[index] = false }
  }
}
