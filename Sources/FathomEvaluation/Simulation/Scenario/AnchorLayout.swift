import Fathom

/// A regular or random arrangement of anchors in plan view, and their heights.
package struct AnchorLayout: Sendable, Equatable {
  /// The arrangement.
  package enum Plan: Sendable, Equatable {
    /// Evenly spaced on the sides of an axis-aligned rectangle, corners included, anticlockwise
    /// from the corner with the smallest coordinates.
    case rectangle(length: Double, width: Double, perSide: Int)
    /// Evenly spaced on a circle, anticlockwise; the first at the angle `phase` (radians) from the
    /// x axis.
    case ring(radius: Double, count: Int, phase: Double)
    /// Two rows on either side of a corridor that runs along `heading` (radians from the x axis),
    /// the right one first. The left row is shifted by `stagger` metres along the corridor.
    case corridor(
      length: Double, width: Double, perRow: Int, heading: Double, stagger: Double)
    /// Uniformly distributed in an axis-aligned rectangle, at least `separation` apart.
    case random(length: Double, width: Double, count: Int, separation: Double, seed: UInt64)
  }

  /// The arrangement; lengths in metres.
  package let plan: Plan
  /// Centre of the arrangement, metres.
  package let centre: Vector<2>
  /// Heights, metres, assigned to the anchors in turn; at least one.
  package let heights: [Double]

  /// Returns the positions of the anchors, metres, or nil when a random arrangement cannot place
  /// all of them.
  ///
  /// Cost: quadratic in the number of anchors for a random arrangement, linear for the others.
  package func positions() -> [Vector<3>]? {
    let points: [Vector<2>]
    switch plan {
    case .rectangle(let length, let width, let perSide):
      points = Self.rectangle(length: length, width: width, perSide: perSide)
    case .ring(let radius, let count, let phase):
      points = (0..<count).map {
        let angle = phase + 2 * Double.pi * Double($0) / Double(count)
        return Self.point(
          radius * ElementaryFunctions.cosine(angle), radius * ElementaryFunctions.sine(angle))
      }
    case .corridor(let length, let width, let perRow, let heading, let stagger):
      let (cosine, sine) = (
        ElementaryFunctions.cosine(heading), ElementaryFunctions.sine(heading)
      )
      points = [(-0.5 * width, 0.0), (0.5 * width, stagger)].flatMap { across, shift in
        (0..<perRow).map {
          let along =
            shift + (perRow == 1 ? 0 : length * (Double($0) / Double(perRow - 1) - 0.5))
          return Self.point(cosine * along - sine * across, sine * along + cosine * across)
        }
      }
    case .random(let length, let width, let count, let separation, let seed):
      guard
        let drawn = Self.random(
          length: length, width: width, count: count, separation: separation, seed: seed)
      else { return nil }
      points = drawn
    }
    return points.enumerated().map { index, point in
      // Rounded to 0.1 mm, the resolution of files, so that the declared position is the true one.
      Vector<3>([
        (centre[0] + point[0]).rounded(decimals: 4), (centre[1] + point[1]).rounded(decimals: 4),
        heights[index % heights.count],
      ])
    }
  }

  private static func rectangle(length: Double, width: Double, perSide: Int) -> [Vector<2>] {
    let corners = [
      point(-0.5 * length, -0.5 * width), point(0.5 * length, -0.5 * width),
      point(0.5 * length, 0.5 * width), point(-0.5 * length, 0.5 * width),
    ]
    return (0..<4).flatMap { side in
      (0..<perSide - 1).map { index in
        let share = Double(index) / Double(perSide - 1)
        return corners[side] + share * (corners[(side + 1) % 4] - corners[side])
      }
    }
  }

  /// Draws points that keep the separation, and gives up after 1000 rejected points in a row.
  private static func random(
    length: Double, width: Double, count: Int, separation: Double, seed: UInt64
  ) -> [Vector<2>]? {
    var generator = SeededGenerator(seed: seed)
    var points: [Vector<2>] = []
    var failures = 0
    while points.count < count {
      let candidate = point(
        length * (generator.uniform() - 0.5), width * (generator.uniform() - 0.5))
      if points.allSatisfy({ (candidate - $0).length >= separation }) {
        points.append(candidate)
        failures = 0
      } else {
        failures += 1
        if failures == 1000 { return nil }
      }
    }
    return points
  }

  private static func point(_ x: Double, _ y: Double) -> Vector<2> { Vector([x, y]) }
}
