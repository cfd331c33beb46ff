/// A zone on the floor plan: a polygon, for all heights or between two heights.
public struct PositionZone: Sendable, Equatable {
  /// The name of the zone.
  public let name: String
  /// The corners of the polygon in order, in metres; the last is connected to the first.
  public let corners: [Vector<2>]
  /// The heights of the zone in metres; nil for all.
  public let heights: ClosedRange<Double>?
  /// The bounding box of the corners.
  private let box: PositionBounds<2>

  /// Creates a zone with the given corners; returns nil if a number is not finite, or if the
  /// corners span no area.
  ///
  /// The corners may be in either orientation. If sides cross each other, the even-odd rule
  /// applies.
  ///
  /// - Parameters:
  ///   - name: The name of the zone.
  ///   - corners: Three or more finite corners in metres, not all on one line.
  ///   - heights: The heights of the zone in metres, finite; nil for all.
  public init?(name: String, corners: [Vector<2>], heights: ClosedRange<Double>? = nil) {
    guard corners.count >= 3, corners.allSatisfy(\.isFinite) else { return nil }
    if let heights, !(heights.lowerBound.isFinite && heights.upperBound.isFinite) { return nil }
    var box = PositionBounds(lower: corners[0], upper: corners[0])
    for corner in corners {
      for axis in 0..<2 {
        box.lower[axis] = min(box.lower[axis], corner[axis])
        box.upper[axis] = max(box.upper[axis], corner[axis])
      }
    }
    let first = corners[0]
    let far = corners.max { ($0 - first).length < ($1 - first).length } ?? first
    let base = far - first
    let least = 1e-12 * base.length * base.length
    let spansArea = corners.contains { corner in
      let side = corner - first
      return (base[0] * side[1] - base[1] * side[0]).magnitude > least
    }
    guard spansArea else { return nil }
    self.name = name
    self.corners = corners
    self.heights = heights
    self.box = box
  }

  /// The side of the zone's boundary on which a position lies with certainty.
  enum Side: Sendable, Equatable {
    case inside
    case outside
    /// Within the margin, or within the error of the position.
    case undecided
  }

  /// Returns the side of the boundary on which a position lies.
  ///
  /// `position` and `margin`, the required distance from the boundary, are in metres; x and y must
  /// be finite. `spread` is the confidence region of the error.
  func side(of position: Vector<3>, spread: PositionSpread, margin: Double) -> Side {
    var vertical = Side.inside
    if let heights {
      let z = position[2]
      let clearance = max(margin, spread.vertical)
      if z < heights.lowerBound - clearance || z > heights.upperBound + clearance {
        return .outside
      }
      if !(z > heights.lowerBound + clearance && z < heights.upperBound - clearance) {
        vertical = .undecided
      }
    }
    let place = Vector<2>([position[0], position[1]])
    let horizontal = horizontalSide(of: place, spread: spread, margin: margin)
    return horizontal == .inside ? vertical : horizontal
  }

  private func horizontalSide(
    of place: Vector<2>, spread: PositionSpread, margin: Double
  ) -> Side {
    // Most positions are far from most zones.
    let reach = max(margin, spread.horizontal)
    for axis in 0..<2 {
      if place[axis] < box.lower[axis] - reach || place[axis] > box.upper[axis] + reach {
        return .outside
      }
    }
    var isInside = false
    var previous = corners[corners.count - 1] - place
    for corner in corners {
      let next = corner - place
      // A side includes its lower end only, so that a corner at the same height counts once.
      if (previous[1] > 0) != (next[1] > 0) {
        let crossing = previous[0] * next[1] - next[0] * previous[1]
        if (crossing > 0) == (next[1] > previous[1]) { isInside.toggle() }
      }
      // Both distances count: to the nearest point in metres, and in standard deviations.
      guard Self.leastSquare(from: previous, to: next) > margin * margin,
        Self.leastSquare(from: spread.whitened(previous), to: spread.whitened(next)) > 1
      else { return .undecided }
      previous = next
    }
    return isInside ? .inside : .outside
  }

  /// Returns the squared distance of the origin from the segment between two points.
  private static func leastSquare(from first: Vector<2>, to second: Vector<2>) -> Double {
    let along = second - first
    let square = along.dot(along)
    let share = square > 0 ? min(1, max(0, -first.dot(along) / square)) : 0
    let nearest = first + share * along
    return nearest.dot(nearest)
  }
}

/// The ellipse and the height interval that contain a position with a given confidence.
struct PositionSpread: Sendable {
  /// The largest radius of the ellipse, in metres.
  let horizontal: Double
  /// Half of the height interval, in metres.
  let vertical: Double
  /// The inverse of the factor L of the ellipse; it maps the ellipse to the unit circle.
  private let inverse: (xx: Double, yx: Double, yy: Double)

  /// Minimum variance in m²: a micrometre squared.
  private static let leastVariance = 1e-12

  /// Creates the spread of an error with the given covariance, in m².
  ///
  /// If the covariance is nil or not finite, the error counts as zero. `radii` is the radius of the
  /// ellipse in standard deviations.
  init(_ covariance: Matrix<3, 3>?, radii: Double) {
    let least = Self.leastVariance
    var (xx, yx, yy, zz) = (least, 0.0, least, least)
    if let covariance, radii > 0 {
      let square = radii * radii
      let found = (covariance[0, 0], covariance[1, 0], covariance[1, 1])
      if found.0.isFinite, found.1.isFinite, found.2.isFinite {
        (xx, yx, yy) = (
          max(least, square * found.0), square * found.1, max(least, square * found.2)
        )
      }
      if covariance[2, 2].isFinite { zz = max(least, square * covariance[2, 2]) }
    }
    // L Lᵀ is the covariance times the square of the radii.
    let lxx = xx.squareRoot()
    let lyx = yx / lxx
    let lyy = max(least, yy - lyx * lyx).squareRoot()
    inverse = (1 / lxx, -lyx / (lxx * lyy), 1 / lyy)
    let half = (xx + yy) / 2
    let difference = (xx - yy) / 2
    horizontal = (half + (difference * difference + yx * yx).squareRoot()).squareRoot()
    vertical = zz.squareRoot()
  }

  /// Returns `offset` in radii of the ellipse.
  @inline(__always)
  func whitened(_ offset: Vector<2>) -> Vector<2> {
    Vector([inverse.xx * offset[0], inverse.yx * offset[0] + inverse.yy * offset[1]])
  }
}

extension PositionZone: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, corners, heights
  }

  /// Decodes a zone; throws if its corners span no area, as ``init(name:corners:heights:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let zone = Self(
      name: try container.decode(String.self, forKey: .name),
      corners: try container.decode([Vector<2>].self, forKey: .corners),
      heights: try container.decodeIfPresent(ClosedRange<Double>.self, forKey: .heights))
    guard let zone else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "the corners of a zone must be finite and span an area"))
    }
    self = zone
  }

  /// Encodes name, corners and heights.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(corners, forKey: .corners)
    try container.encodeIfPresent(heights, forKey: .heights)
  }
}
