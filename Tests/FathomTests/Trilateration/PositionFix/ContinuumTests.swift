import TestSupport
import Testing

@testable import Fathom

@Suite struct ContinuumTests {
  @Test func collinearAnchorsLeaveCircle() throws {
    // Along x at y = 1, z = 2; the tag is at x = 4, 3 m from the line: 3² = 1.8² + 2.4².
    let anchors = [0.0, 3, 7, 10].map { Vector<3>([$0, 1, 2]) }
    let tag = Vector<3>([4, 2.8, 4.4])
    let fix = try Trilateration.solve(ranges: anchors.map { ($0 - tag).length }, anchors: anchors)
    #expect(fix.verdict == .continuum && fix.position == nil)
    let circle = try #require(fix.continuum)
    #expect((circle.centre - Vector([4, 1, 2])).length < 1e-9)
    #expect(isClose(circle.radius, 3, within: 1e-9))
    #expect(circle.directions == fix.undetermined && circle.directions.count == 2)
    let axis = circle.directions[0].cross(circle.directions[1])
    #expect(isClose(axis[0].magnitude, 1, within: 1e-12))
  }

  @Test func oneAnchorLeavesSphere() throws {
    let anchor = Vector<3>([1, 2, 3])
    let fix = try Trilateration.solve(ranges: [5, 5, 5], anchors: [anchor, anchor, anchor])
    let sphere = try #require(fix.continuum)
    #expect(sphere.centre == anchor && isClose(sphere.radius, 5, within: 1e-12))
    #expect(sphere.directions.count == 3)
  }

  @Test func oneAnchorAtKnownHeightLeavesCircle() throws {
    var options = Trilateration.Options()
    options.height = 1
    // 5² = 4² + 3².
    let anchor = Vector<3>([1, 2, 5])
    let fix = try Trilateration.solve(
      ranges: [5, 5], anchors: [anchor, anchor], options: options)
    let circle = try #require(fix.continuum)
    #expect(circle.centre == Vector([1, 2, 1]) && isClose(circle.radius, 3, within: 1e-12))
    let axis = circle.directions[0].cross(circle.directions[1])
    #expect(isClose(axis[2].magnitude, 1, within: 1e-12))
  }

  @Test func uniquePositionHasNoContinuum() throws {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([8, 0]), Vector([0, 6])]
    let fix = try Trilateration.solve(ranges: [5, 5, 5], anchors: anchors)
    #expect(fix.position != nil && fix.continuum == nil)
  }
}
