import Fathom

/// A regular or random arrangement of anchors, seen from above, and their heights.
package struct AnchorLayout: Sendable, Equatable {
  /// The arrangement.
  package enum Plan: Sendable, Equatable {
    /// On the sides of a rectangle along the axes, evenly, corners included: anticlockwise from the corner
    /// with the smallest coordinates.
    case rectangle(length: Double, width: Double, perSide: Int)
    /// On a circle, evenly, anticlockwise; the first at the angle `phase` (radians) from the x axis.
    case ring(radius: Double, count: Int, phase: Double)
    /// In two rows on either side of a corridor that runs along `heading` (radians from the x axis), the
    /// one on the right first; the left row is moved by `stagger` metres along the corridor.
    case corridor(
      length: Double, width: Double, perRow: Int, heading: Double, stagger: Double)
    /// Evenly distributed in a rectangle along the axes, no two nearer than `separation`.
    case random(length: Double, width: Double, count: Int, separation: Double, seed: UInt64)
  }

  /// The arrangement; lengths in metres.
  package let plan: Plan
  /// Its middle, metres.
  package let centre: Vector<2>
  /// Heights, metres, taken in turn from one anchor to the next; at least one.
  package let heights: [Double]

  /// The positions of the anchors, metres; nil where a random arrangement does not find room for all.
  ///
  /// Cost: count² for a random arrangement, else count.
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
      // To the tenth of a millimetre that files hold: what is declared is the truth.
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

  /// Draws points until one has room, and gives up after 1000 in vain.
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
