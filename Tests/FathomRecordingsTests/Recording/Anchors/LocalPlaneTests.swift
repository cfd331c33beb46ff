import Fathom
import Testing

@testable import FathomRecordings

@Suite struct LocalPlaneTests {
  private func angle(_ left: Double, _ right: Double, within tolerance: Double) -> Bool {
    abs(left - right) <= tolerance
  }

  /// The radii of curvature of WGS84: at the equator a degree of longitude is 2πa / 360 =
  /// 111 319.490793 m, and the first metre to the north is 1 / M with M = a (1 - e²) = 6 335 439.327 m.
  @Test func axesAreEastNorthAndUp() {
    let plane = LocalPlane(origin: GeodeticPosition(latitude: 0, longitude: 20, altitude: 0))
    #expect(plane.local(plane.origin).length == 0)
    let small = 1e-5
    let east = plane.local(GeodeticPosition(latitude: 0, longitude: 20 + small, altitude: 0))
    #expect(angle(east[0], 1.11319490793, within: 1e-8))
    #expect(abs(east[1]) < 1e-9 && abs(east[2]) < 1e-6)
    let north = plane.local(GeodeticPosition(latitude: small, longitude: 20, altitude: 0))
    #expect(angle(north[1], 6_335_439.32729 * small * .pi / 180, within: 1e-7))
    let up = plane.local(GeodeticPosition(latitude: 0, longitude: 20, altitude: 7))
    #expect(angle(up[2], 7, within: 1e-8) && abs(up[0]) < 1e-8 && abs(up[1]) < 1e-8)
  }

  /// A tangent plane is d² / 2R above the ground: 1 km gives 7.8 cm.
  @Test func groundFallsAway() {
    let plane = LocalPlane(origin: GeodeticPosition(latitude: 52, longitude: 13, altitude: 0))
    let far = plane.local(
      GeodeticPosition(latitude: 52, longitude: 13 + 1000 / 68_677.0, altitude: 0))
    #expect(angle(far[0], 1000, within: 1))
    #expect(angle(far[2], -0.0783, within: 0.001))
  }

  @Test(arguments: [
    (0.0, 0.0, 0.0), (52.5, 13.4, 34), (-33.9, 151.2, 80), (89.999, -120, 0), (-90, 0, 2800),
    (45, 179.9999, 8000),
  ])
  func geodeticInvertsLocal(_ latitude: Double, _ longitude: Double, _ altitude: Double) {
    let origin = GeodeticPosition(latitude: latitude, longitude: longitude, altitude: altitude)
    let plane = LocalPlane(origin: origin)
    for place in [[0.0, 0, 0], [12.5, -300, 4], [-2000, 1500, -20]] {
      let local: Vector<3> = Vector([place[0], place[1], place[2]])
      let there = plane.geodetic(local)
      #expect((plane.local(there) - local).length < 1e-6, "\(origin) \(local)")
      #expect(abs(there.longitude) <= 180 && abs(there.latitude) <= 90)
    }
    let back = plane.geodetic(.zero)
    #expect(angle(back.latitude, latitude, within: 1e-11))
    #expect(angle(back.altitude, altitude, within: 1e-6))
    if abs(latitude) < 89 { #expect(angle(back.longitude, longitude, within: 1e-11)) }
  }
}
