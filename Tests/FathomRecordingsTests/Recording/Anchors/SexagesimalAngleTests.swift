import Testing

@testable import FathomRecordings

@Suite struct SexagesimalAngleTests {
  /// Degrees, minutes and seconds.
  private static let angles: [(text: String, parts: SIMD3<Double>)] = [
    ("52°30'10.2\"N", SIMD3(52, 30, 10.2)), ("N 52° 30.17'", SIMD3(52, 30.17, 0)),
    ("-13 24 20", SIMD3(-13, -24, -20)), ("13.405 W", SIMD3(-13.405, 0, 0)),
    ("0°0′36″S", SIMD3(0, 0, -36)), ("13:24:20", SIMD3(13, 24, 20)),
    ("-13.405", SIMD3(-13.405, 0, 0)), ("+7", SIMD3(7, 0, 0)),
  ]

  @Test func readsAngles() throws {
    for (text, parts) in Self.angles {
      let angle = try #require(SexagesimalAngle(text), "\(text)")
      let degrees = parts.x + parts.y / 60 + parts.z / 3600
      #expect((angle.degrees - degrees).magnitude < 1e-12, "\(text)")
    }
  }

  @Test(arguments: [
    "", "N", "52°60'N", "52°30'61\"N", "52.5°30'N", "1 2 3 4", "52N 13E", "-52°S", "1e3", "52,5",
    "a52", "1.2.3", "--5",
  ])
  func refusesOthers(_ text: String) { #expect(SexagesimalAngle(text) == nil) }
}
