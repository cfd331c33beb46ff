import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct AnchorLayoutTests {
  private func positions(
    _ plan: AnchorLayout.Plan, centre: Vector<2> = Vector([0, 0]), heights: [Double] = [2]
  ) throws -> [Vector<3>] {
    try #require(AnchorLayout(plan: plan, centre: centre, heights: heights).positions())
  }

  @Test func rectangleCornersAreAnticlockwise() throws {
    let plan = AnchorLayout.Plan.rectangle(length: 4, width: 2, perSide: 2)
    #expect(
      try positions(plan, centre: Vector([10, 5])) == [
        point(8, 4, 2), point(12, 4, 2), point(12, 6, 2), point(8, 6, 2),
      ])
  }

  @Test func rectangleSidesAreEvenAndHeightsAlternate() throws {
    let plan = AnchorLayout.Plan.rectangle(length: 6, width: 3, perSide: 4)
    let positions = try positions(plan, heights: [1, 2, 3])
    #expect(positions.count == 12)
    #expect(
      positions[0..<5] == [
        point(-3, -1.5, 1), point(-1, -1.5, 2), point(1, -1.5, 3), point(3, -1.5, 1),
        point(3, -0.5, 2),
      ])
  }

  @Test func ringIsEvenlySpaced() throws {
    let positions = try positions(.ring(radius: 2, count: 4, phase: 0))
    #expect(positions == [point(2, 0, 2), point(0, 2, 2), point(-2, 0, 2), point(0, -2, 2)])
    // pi / 6: (2 cos 30°, 2 sin 30°) = (1.7321, 1).
    let turned = try self.positions(.ring(radius: 2, count: 3, phase: 0.523_598_775_598_298_8))
    #expect(turned[0] == point(1.732_1, 1, 2))
  }

  @Test func corridorHasTwoRows() throws {
    let plan = AnchorLayout.Plan.corridor(
      length: 10, width: 2, perRow: 3, heading: 0, stagger: 1)
    #expect(
      try positions(plan) == [
        point(-5, -1, 2), point(0, -1, 2), point(5, -1, 2),
        point(-4, 1, 2), point(1, 1, 2), point(6, 1, 2),
      ])
    // Rotated by 90°: along y, with the former right side (-y) at +x.
    let north = AnchorLayout.Plan.corridor(
      length: 10, width: 2, perRow: 1, heading: 1.570_796_326_794_896_6, stagger: 0)
    #expect(try positions(north) == [point(1, 0, 2), point(-1, 0, 2)])
  }

  @Test(arguments: 1...20)
  func randomAnchorsKeepSeparationAndFollowTheSeed(seed: UInt64) throws {
    let plan = AnchorLayout.Plan.random(
      length: 30, width: 20, count: 15, separation: 3, seed: seed)
    let positions = try positions(plan, centre: Vector([5, -5]))
    #expect(positions.count == 15)
    for (index, first) in positions.enumerated() {
      #expect((first[0] - 5).magnitude <= 15 && (first[1] + 5).magnitude <= 10)
      for second in positions[..<index] {
        // Rounding to 0.1 mm may shorten it by 0.15 mm.
        #expect((first - second).length >= 3 - 0.000_15, "seed \(seed)")
      }
    }
    #expect(try positions == self.positions(plan, centre: Vector([5, -5])))
    let other = AnchorLayout.Plan.random(
      length: 30, width: 20, count: 15, separation: 3, seed: seed + 1)
    #expect(try positions != self.positions(other, centre: Vector([5, -5])))
  }

  @Test func returnsNilWhenAnchorsDoNotFit() {
    // Only one of several points 3 m apart fits into a square of 2 m, whose diagonal is 2.83 m.
    let plan = AnchorLayout.Plan.random(length: 2, width: 2, count: 2, separation: 3, seed: 1)
    #expect(AnchorLayout(plan: plan, centre: Vector([0, 0]), heights: [1]).positions() == nil)
  }
}
