import Fathom

/// What is known of the tags of a recording besides their measurements.
///
/// Options of the tool, `recording.json`, device logs, C and Python state the same facts. An option
/// replaces the value of `recording.json`, which replaces that of a log: see ``complete(from:)``.
public struct TagFacts: Sendable, Equatable, Codable {
  /// Known height of the tags, in metres; positions are then solved in the plane.
  public var heightM: Double?
  /// Standard deviation of the height, in metres: the height is then estimated as well.
  ///
  /// Nil for an exact height.
  public var heightSigmaM: Double?
  /// Side of the anchors on which the tags are.
  ///
  /// It distinguishes mirror images above and below the anchors. It has no effect with an exact
  /// height.
  public var side: AnchorSide?
  /// Two corners of a box that contains the tags, with two or three coordinates each, in metres.
  ///
  /// It distinguishes mirror images.
  public var boundsM: [[Double]]?
  /// Zones on the floor plan.
  public var zones: ZoneSettings?
  /// Frame in which a device reports directions; nil for ``DeviceFrame/phone``.
  public var deviceFrame: DeviceFrame?
  /// For positions from directions: standard deviation of the common heading error of the attitudes
  /// in `poses.csv`, in radians; π when the heading is unknown, nil for exact attitudes.
  public var headingSigmaRad: Double?

  /// Creates facts of which none is known.
  public init() {}

  /// Facts of tags in the plane of anchors without heights, z = 0.
  package static var inPlane: TagFacts {
    var facts = TagFacts()
    facts.heightM = 0
    return facts
  }

  /// Fills in what is unknown from a source of lower rank.
  ///
  /// The height and its standard deviation belong together: a height replaces both.
  public mutating func complete(from other: TagFacts) {
    if heightM == nil {
      heightM = other.heightM
      heightSigmaM = heightM == nil ? nil : heightSigmaM ?? other.heightSigmaM
    }
    side = side ?? other.side
    boundsM = boundsM ?? other.boundsM
    zones = zones ?? other.zones
    deviceFrame = deviceFrame ?? other.deviceFrame
    headingSigmaRad = headingSigmaRad ?? other.headingSigmaRad
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case heightM, heightSigmaM, side, boundsM, zones, deviceFrame, headingSigmaRad
  }
}

/// Conversion of the box that contains the tags from files and settings.
package enum TagBounds {
  /// Returns the box between two corners; nil when they are invalid.
  ///
  /// `corners` are the smallest and the largest coordinates, two or three each; without a third
  /// coordinate, the height is unbounded.
  package static func box(_ corners: [[Double]]) -> PositionBounds<3>? {
    guard corners.count == 2, corners[0].count == corners[1].count,
      (2...3).contains(corners[0].count),
      zip(corners[0], corners[1]).allSatisfy({ $0.isFinite && $1.isFinite && $0 <= $1 })
    else { return nil }
    var bounds = PositionBounds<3>(
      lower: Vector(repeating: -.infinity), upper: Vector(repeating: .infinity))
    for axis in corners[0].indices {
      bounds.lower[axis] = corners[0][axis]
      bounds.upper[axis] = corners[1][axis]
    }
    return bounds
  }
}
