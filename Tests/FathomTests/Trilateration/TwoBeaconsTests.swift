import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TwoBeaconsTests {
  @Test func reproducesWalkThroughAppWithDefects() {
    func sample(
      _ first: Vector<2>, _ second: Vector<2>, _ firstRange: Double, _ secondRange: Double
    ) -> Vector<2> {
      TwoBeacons.walkThroughCoordinates(
        first: first, second: second, firstRange: firstRange, secondRange: secondRange)
    }
    // x = 6.25 / 5 = 1.25; y = √(4 - 1.5625) = 1.5612.
    let plain = TwoBeacons.walkThroughCoordinates(firstRange: 2, secondRange: 2)
    #expect(plain[0] == 1.25)
    #expect(isClose(plain[1], 1.561_249_5, within: 1e-7))
    // Circles that do not intersect.
    #expect(TwoBeacons.walkThroughCoordinates(firstRange: 1, secondRange: 1) == Vector([1.25, 0]))
    // Beacons at y = 1: y lacks the 1.
    #expect(sample(Vector([0, 1]), Vector([2.5, 1]), 2, 2) == plain)
    // Beacons with equal x: C = 0 - 0 + 4 = 4 over A = 0.
    #expect(sample(Vector([0, 0]), Vector([0, 2]), 2, 2)[0] == .infinity)
    // A tag at (1, 2), beacons at (0, 0) and (3, 1): d² = 5 and 5. C = 9 + 1 = 10, A = 6, x =
    // 1.667, not 1: the term in y is missing.
    let slanted = sample(Vector([0, 0]), Vector([3, 1]), 5.0.squareRoot(), 5.0.squareRoot())
    #expect(isClose(slanted[0], 10.0 / 6, within: 1e-12))
    // Tangent circles, where rounding may leave t below zero: y is 0, never NaN.
    #expect(sample(Vector([0, 0]), Vector([0.3, 0]), 0.1, 0.2)[1].isFinite)
  }

  @Test func findsBothIntersections() throws {
    let crossings = try #require(
      TwoBeacons.crossings(
        first: Vector([0, 0]), second: Vector([3, 1]), firstRange: 5.0.squareRoot(),
        secondRange: 5.0.squareRoot()))
    // The tag at (1, 2) lies to the left of the line from (0, 0) to (3, 1); its mirror image is (2,
    // -1).
    #expect((crossings.left - Vector([1, 2])).length < 1e-12)
    #expect((crossings.right - Vector([2, -1])).length < 1e-12)
    #expect(crossings.gap == 0)
  }

  @Test func disjointCirclesGiveGap() throws {
    func crossings(_ firstRange: Double, _ secondRange: Double) throws -> TwoBeaconCrossings {
      try #require(
        TwoBeacons.crossings(
          first: Vector([0, 0]), second: Vector([2.5, 0]), firstRange: firstRange,
          secondRange: secondRange))
    }
    let apart = try crossings(1, 1)
    #expect(apart.left == Vector([1.25, 0]) && apart.right == apart.left)
    #expect(apart.gap == 0.5)
    // Nested circles: radius 4 reaches x = 4, the inner one x = 3.5; the midpoint is 3.75.
    let inside = try crossings(4, 1)
    #expect(inside.left == Vector([3.75, 0]))
    #expect(inside.gap == 0.5)
    // With the radii exchanged: the second circle reaches 2.5 - 4 = -1.5, the first -1; the
    // midpoint is -1.25.
    let outside = try crossings(1, 4)
    #expect(outside.left == Vector([-1.25, 0]))
    #expect(outside.gap == 0.5)
  }

  @Test func intersectionsReproduceRangesAtAnyOffset() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let offset = generator.uniform(in: -1e6...1e6)
      let first = Vector<2>([offset + generator.uniform(in: -9...9), generator.uniform(in: -9...9)])
      let second = Vector<2>([
        offset + generator.uniform(in: -9...9), generator.uniform(in: -9...9),
      ])
      let tag = Vector<2>([
        offset + generator.uniform(in: -20...20), generator.uniform(in: -20...20),
      ])
      let baseline = (second - first).length
      guard baseline > 0.1 else { continue }
      let found = try #require(
        TwoBeacons.crossings(
          first: first, second: second, firstRange: (tag - first).length,
          secondRange: (tag - second).length))
      let miss = min((found.left - tag).length, (found.right - tag).length)
      // Close to the baseline the intersection is a double root, accurate to half of the digits.
      #expect(miss < 1e-4 / min(1, baseline), "seed 5: \(first) \(second) \(tag)")
      #expect(found.gap < 1e-8)
    }
  }

  @Test func returnsNilForInvalidInput() {
    let origin = Vector<2>.zero
    for (second, firstRange) in [
      (origin, 1.0), (Vector([1, 0]), .nan), (Vector([1, 0]), -1), (Vector([.infinity, 0]), 1),
    ] {
      #expect(
        TwoBeacons.crossings(
          first: origin, second: second, firstRange: firstRange, secondRange: 1) == nil)
    }
  }
}
