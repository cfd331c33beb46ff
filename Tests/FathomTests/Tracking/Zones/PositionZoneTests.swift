import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct PositionZoneTests {
  /// A polygon around `centre` with corners at increasing angles and any distances: it may be
  /// concave but does not cross itself.
  private func polygon(
    around centre: Vector<2>, using generator: inout SeededGenerator
  ) -> [Vector<2>] {
    let count = 3 + Int(generator.next() % 8)
    var corners = (0..<count).map { index in
      let angle = 2 * Double.pi * (Double(index) + 0.8 * generator.uniform()) / Double(count)
      return centre + generator.uniform(in: 1...6) * Vector([Double.cos(angle), .sin(angle)])
    }
    if generator.next() % 2 == 0 { corners.reverse() }
    return corners
  }

  /// The winding number of the corners about `point`, by the sum of angles.
  private func windings(_ corners: [Vector<2>], around point: Vector<2>) -> Int {
    var sum = 0.0
    for index in corners.indices {
      let (a, b) = (corners[index] - point, corners[(index + 1) % corners.count] - point)
      sum += Double.atan2(y: a[0] * b[1] - a[1] * b[0], x: a.dot(b))
    }
    return Int((sum / (2 * .pi)).rounded())
  }

  /// Points along the boundary, closely spaced.
  private func boundary(_ corners: [Vector<2>]) -> [Vector<2>] {
    corners.indices.flatMap { index in
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      return (0..<400).map { a + (Double($0) / 400) * (b - a) }
    }
  }

  /// Compares with the winding number, the nearest boundary point, and the ellipse point by point.
  @Test func sideIsThatOfTheWholeEllipse() throws {
    var generator = SeededGenerator(seed: 41)
    var counts: [PositionZone.Side: Int] = [:]
    for trial in 0..<600 {
      let centre = Vector<2>([generator.uniform(in: -50...50), generator.uniform(in: -50...50)])
      let corners = polygon(around: centre, using: &generator)
      let zone = try #require(PositionZone(name: "z", corners: corners))
      let edge = boundary(corners)
      let place = centre + Vector([generator.uniform(in: -5...5), generator.uniform(in: -5...5)])
      let margin = trial % 3 == 0 ? 0 : generator.uniform(in: 0...0.5)
      // L Lᵀ, up to a degenerate ellipse.
      let (a, c) = (generator.uniform(in: 0...0.6), generator.uniform(in: 0...0.6))
      let b = trial % 7 == 0 ? 0.9 : generator.uniform(in: -0.5...0.5)
      var covariance = Matrix<3, 3>.zero
      covariance[0, 0] = a * a
      covariance[1, 0] = a * b
      covariance[0, 1] = a * b
      covariance[1, 1] = b * b + c * c
      let spread = PositionSpread(covariance, radii: 1.5)
      let found = zone.side(
        of: Vector([place[0], place[1], 0]), spread: spread, margin: margin)

      let isInside = windings(corners, around: place) != 0
      let expected: PositionZone.Side = isInside ? .inside : .outside
      let distance = edge.map { ($0 - place).length }.min() ?? 0
      let ellipse = (0..<400).map { step in
        let angle = 2 * Double.pi * Double(step) / 400
        let (u, v) = (1.5 * Double.cos(angle), 1.5 * Double.sin(angle))
        return place + Vector([a * u, b * u + c * v])
      }
      let keeps = ellipse.allSatisfy { (windings(corners, around: $0) != 0) == isInside }
      let entirely =
        keeps
        && !edge.contains { point in
          let offset = point - place
          guard a > 0.01, c > 0.01 else { return false }
          let u = offset[0] / a
          let v = (offset[1] - b * u) / c
          return u * u + v * v < 1.5 * 1.5
        }
      // Near the limits of the sampling nothing is checked.
      let isClose = (distance - margin).magnitude < 0.02
      if found != .undecided {
        #expect(found == expected, "seed 41, trial \(trial)")
        #expect(keeps && distance > margin - 1e-9, "seed 41, trial \(trial)")
      } else if a > 0.01, c > 0.01, !isClose {
        // A slightly larger ellipse touches the boundary.
        let larger = edge.contains { point in
          let offset = point - place
          let u = offset[0] / a
          let v = (offset[1] - b * u) / c
          return u * u + v * v < 1.6 * 1.6
        }
        #expect(distance < margin || larger || !entirely, "seed 41, trial \(trial)")
      }
      counts[found, default: 0] += 1
    }
    for side in [PositionZone.Side.inside, .outside, .undecided] {
      #expect(counts[side, default: 0] > 30, "\(counts)")
    }
  }

  /// A square of 4 m and exact positions: only the margin matters.
  @Test(arguments: [
    (2.0, 2.0, PositionZone.Side.inside), (0.26, 2, .inside), (0.25, 2, .undecided),
    (0, 2, .undecided), (-0.25, 2, .undecided), (-0.26, 2, .outside), (-0.24, -0.24, .outside),
    (-0.1, -0.1, .undecided), (9, 9, .outside),
  ])
  func marginIsInMetres(_ x: Double, _ y: Double, _ side: PositionZone.Side) throws {
    let zone = try #require(
      PositionZone(
        name: "s", corners: [Vector([0, 0]), Vector([4, 0]), Vector([4, 4]), Vector([0, 4])]))
    let spread = PositionSpread(nil, radii: 2)
    #expect(zone.side(of: Vector([x, y, 7]), spread: spread, margin: 0.25) == side)
  }

  @Test(arguments: [
    (1.5, PositionZone.Side.inside), (1.2, .undecided), (0.8, .undecided), (0.7, .outside),
    (2.9, .undecided), (3.3, .outside),
  ])
  func heightsLimitTheZone(_ z: Double, _ side: PositionZone.Side) throws {
    let zone = try #require(
      PositionZone(
        name: "s", corners: [Vector([0, 0]), Vector([9, 0]), Vector([0, 9])], heights: 1...3))
    // One standard deviation of 0.25 m counts, the margin of 0.1 m does not.
    let spread = PositionSpread(Matrix([[0, 0, 0], [0, 0, 0], [0, 0, 0.0625]]), radii: 1)
    #expect(zone.side(of: Vector([2, 2, z]), spread: spread, margin: 0.1) == side)
    // Beside the zone the height is irrelevant.
    #expect(zone.side(of: Vector([-2, 2, z]), spread: spread, margin: 0.1) == .outside)
  }

  @Test func rejectsCornersWithoutArea() {
    let line = [Vector<2>([0, 0]), Vector([1, 1]), Vector([3, 3]), Vector([0, 0])]
    #expect(PositionZone(name: "", corners: line) == nil)
    #expect(PositionZone(name: "", corners: [Vector([0, 0]), Vector([1, 0])]) == nil)
    let broken = [Vector<2>([0, 0]), Vector([1, .nan]), Vector([0, 1])]
    #expect(PositionZone(name: "", corners: broken) == nil)
    let endless = [Vector<2>([0, 0]), Vector([1, 0]), Vector([0, 1])]
    #expect(PositionZone(name: "", corners: endless, heights: 0...(.infinity)) == nil)
    #expect(PositionZone(name: "", corners: endless, heights: 1...1) != nil)
  }
}
