import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct AnchorPlaneTests {
  private static let ceiling = SimulatedWalk.ceiling.map(\.position)

  /// The ceiling, tilted about the x axis through its edge at y = 0.
  private static func tilted(_ degrees: Double) -> [Vector<3>] {
    let angle = degrees * .pi / 180
    return ceiling.map { place in
      Vector([place[0], place[1] * .cos(angle), 3 + place[1] * .sin(angle)])
    }
  }

  @Test func fitsACeiling() throws {
    let plane = try #require(AnchorPlane(nearlyHorizontal: Self.ceiling))
    #expect((plane.normal - Vector([0, 0, 1])).length < 1e-12)
    #expect((plane.centre - Vector([5, 4, 3])).length < 1e-12 && plane.thickness < 1e-12)
    let (low, high) = (Vector<3>([2, 9, 2.9]), Vector<3>([2, 9, 3.1]))
    #expect(plane.isBeyond(high, from: .below) && !plane.isBeyond(low, from: .below))
    #expect(plane.isBeyond(low, from: .above) && !plane.isBeyond(high, from: .above))
  }

  /// Far from the origin as well, as with projected coordinates.
  @Test(arguments: [0.0, 5e6])
  func isNearlyHorizontalUpToThirtyDegrees(_ shift: Double) {
    for degrees in [-89.0, -60, -31, -29, -10, 0, 10, 29, 31, 60, 90] {
      let anchors = Self.tilted(degrees).map { $0 + Vector([shift, -shift, 0]) }
      let plane = AnchorPlane(nearlyHorizontal: anchors)
      #expect((plane != nil) == (degrees.magnitude < 30), "\(degrees)°")
      if let plane { #expect(plane.normal[2] > 0) }
    }
  }

  @Test func anchorsAtDifferentHeightsAreNoPlane() throws {
    #expect(AnchorPlane(nearlyHorizontal: SimulatedWalk.room.map(\.position)) == nil)
    let line = (0..<4).map { Vector<3>([Double($0), 2 * Double($0), 3]) }
    #expect(AnchorPlane(nearlyHorizontal: line) == nil)
    #expect(AnchorPlane(nearlyHorizontal: []) == nil)
    // Two rows 8 m apart, alternately a little higher and lower: a plane within a tenth of that.
    for (unevenness, isPlane) in [(0.3, true), (0.5, false)] {
      let anchors = Self.ceiling.enumerated().map { index, place in
        place + Vector([0, 0, index % 2 == 0 ? unevenness : -unevenness])
      }
      let plane = AnchorPlane(nearlyHorizontal: anchors)
      #expect((plane != nil) == isPlane, "\(unevenness) m")
      if let plane {
        #expect(isClose(plane.thickness, unevenness, within: 1e-12))
        #expect(!plane.isBeyond(Vector([5, 4, 3.2]), from: .below))
        #expect(plane.isBeyond(Vector([5, 4, 3.4]), from: .below))
      }
    }
  }
}
