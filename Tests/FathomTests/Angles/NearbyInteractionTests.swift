import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct NearbyInteractionTests {
  /// A row of the boundary table, with theoretical values in degrees.
  ///
  /// A nil azimuth is undefined (given as 0); a nil altitude means that there is no direction.
  struct Row: Sendable, CustomTestStringConvertible {
    let direction: SIMD3<Float>
    let asin, atan2, elevation: Double
    let azimuth: Double?
    let altitude: Double?

    init(
      _ direction: SIMD3<Float>, _ asin: Double, _ atan2: Double, _ elevation: Double,
      _ azimuth: Double?, _ altitude: Double?
    ) {
      self.direction = direction
      self.asin = asin
      self.atan2 = atan2
      self.elevation = elevation
      self.azimuth = azimuth
      self.altitude = altitude
    }

    var testDescription: String { "\(direction)" }
  }

  static let half = Float(0.5).squareRoot()  // 0.7071
  static let quarter = Float(3).squareRoot() / 4  // 0.4330

  static let rows: [Row] = [
    Row([0, 0, -1], 0, 180, 0, 0, 0),
    Row([0, 1, 0.0], 0, 0, 90, nil, 90),
    Row([0, 1, -0.0], 0, 180, 90, nil, 90),
    Row([0, -1, 0.0], 0, 0, 270, nil, -90),
    Row([0, -1, -0.0], 0, 180, -90, nil, -90),
    Row([0, 0, 1], 0, 0, 180, 180, 0),
    Row([1, 0, 0], 90, 90, 90, 90, 0),
    Row([1, -0.0, 0.0], 90, 90, 270, 90, 0),
    Row([1, -0.0, -0.0], 90, 90, -90, 90, 0),
    Row([-1, 0, 0], -90, -90, 90, -90, 0),
    Row([0, 0, 0], 0, 0, 90, nil, nil),
    Row([-0.0, -0.0, -0.0], 0, -180, -90, nil, nil),
    Row([0, half, half], 0, 0, 135, 180, 45),
    Row([0, -half, half], 0, 0, 225, 180, -45),
    Row([0, -half, -half], 0, 180, -45, 0, -45),
    Row([half, 0, -half], 45, 135, 0, 45, 0),
    Row([half, 0, half], 45, 45, 180, 135, 0),
    // 30° right and 30° up: asin(√3/4) = 25.6589°, atan2(-0.75, 0.5) + 90° = 33.6901°.
    Row([quarter, 0.5, -0.75], 25.658_906_273_255_8, 150, 33.690_067_525_979_8, 30, 30),
    Row([1.000_000_1, 0, 0], .nan, 90, 90, 90, 0),
    Row(NearbyInteraction.direction(fromHorizontalAngle: 0), 0, 0, 180, 180, 0),
  ]

  /// Returns whether a single-precision angle equals the theoretical one: Float.pi is below π,
  /// asin(1) above π/2.
  static func isTheoretical(_ radians: Float, _ degrees: Double) -> Bool {
    isClose(Double(radians), degrees * .pi / 180, within: 5e-7)
  }

  @Test(arguments: rows) func exactFormsMatchBoundaryTable(_ row: Row) {
    let asin = NearbyInteraction.azimuth(of: row.direction, capability: .measured)
    let atan2 = NearbyInteraction.azimuth(of: row.direction, capability: .horizontalAngleOnly)
    let elevation = NearbyInteraction.elevation(of: row.direction)
    #expect(Self.isTheoretical(asin, row.asin))
    #expect(Self.isTheoretical(atan2, row.atan2))
    #expect(Self.isTheoretical(elevation, row.elevation))
  }

  @Test(arguments: rows) func correctedFormsMatchBoundaryTable(_ row: Row) throws {
    guard let altitude = row.altitude else {
      #expect(Direction(reported: row.direction) == nil)
      return
    }
    let direction = try #require(Direction(reported: row.direction))
    let azimuth = direction.azimuth.radians
    #expect(isClose(azimuth, (row.azimuth ?? 0) * .pi / 180, within: 5e-7))
    let elevation = try #require(direction.elevation).radians
    #expect(isClose(elevation, altitude * .pi / 180, within: 5e-7))
  }

  @Test func propagatesNaNInX() {
    let direction: SIMD3<Float> = [.nan, 0, -1]
    for capability in DirectionCapability.allCases {
      #expect(NearbyInteraction.azimuth(of: direction, capability: capability).isNaN)
    }
    #expect(NearbyInteraction.elevation(of: direction).magnitude < 5e-7)
    #expect(NearbyInteraction.elevation(of: [0, .nan, -1]).isNaN)
    #expect(Direction(reported: direction) == nil)
  }

  @Test func horizontalAnglesRoundTripWrapped() {
    for degrees in stride(from: -720.0, through: 720, by: 15) {
      let vector = NearbyInteraction.direction(
        fromHorizontalAngle: Float(Angle(degrees: degrees).radians))
      #expect(vector.y == 0)
      let back = NearbyInteraction.azimuth(of: vector, capability: .horizontalAngleOnly)
      // Float has a relative error of 6e-8 up to 4π: 7.5e-7 at most, half of it by rounding.
      #expect(
        isSameAngle(Angle(radians: Double(back)), Angle(degrees: degrees), within: 1e-6),
        "\(degrees)")
      // asin recovers the angle only for |a| up to a right angle.
      let folded = Double(NearbyInteraction.azimuth(of: vector, capability: .measured))
      let wrapped = Angle.wrapDegrees(degrees)
      let isFront = wrapped.magnitude <= 90
      #expect(isClose(folded * 180 / .pi, wrapped, within: 0.05) == isFront, "\(degrees)")
      // The elevation is 180° or 0° for every height; at ±90° rounding of the cosine decides.
      if wrapped.magnitude != 90 {
        let elevation = NearbyInteraction.elevation(of: vector)
        #expect(Self.isTheoretical(elevation, isFront ? 180 : 0), "\(degrees)")
      }
    }
  }

  @Test func directionsRoundTripThroughAngles() {
    let seed: UInt64 = 33
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let vector = Vector<3>(InlineArray { _ in generator.normal() })
      guard let unit = Direction(vector)?.vector, unit[0].magnitude < 0.99 else { continue }
      let direction = SIMD3(Float(unit[0]), Float(unit[1]), Float(unit[2]))
      let back = NearbyInteraction.direction(
        azimuth: NearbyInteraction.azimuth(of: direction, capability: .measured),
        elevation: NearbyInteraction.elevation(of: direction))
      for axis in 0..<3 {
        #expect((back[axis] - direction[axis]).magnitude < 1e-6, "seed \(seed): \(direction)")
      }
    }
  }

  @Test func degreesMultiplyBeforeDividing() {
    #expect(NearbyInteraction.degrees(fromRadians: .pi) == 180)
    #expect(NearbyInteraction.degrees(fromRadians: 1) == 180 / .pi)
    // 11 · 180 / π; 11 · (180 / π) differs by one unit in the last place.
    #expect(NearbyInteraction.degrees(fromRadians: 11) == 1980 / .pi)
    #expect(NearbyInteraction.degrees(fromRadians: 11) != 11 * (180 / .pi))
    #expect(NearbyInteraction.degrees(fromRadians: 0.7) == Angle(radians: 0.7).degrees)
    #expect(NearbyInteraction.degrees(fromRadians: .nan).isNaN)
  }

  @Test(
    arguments: [
      (nil, "unknown"), (0, "unknown"), (1, "same"), (2, "above"), (3, "below"), (4, "unknown"),
      (5, "unknown"), (-1, "unknown"), (.max, "unknown"),
    ] as [(Int?, String)])
  func verticalEstimatesHaveDocumentedNames(_ rawValue: Int?, _ name: String) {
    #expect(NearbyInteraction.name(ofVerticalEstimate: rawValue) == name)
  }

  @Test func verticalEstimatesHaveDocumentedRawValues() {
    #expect(VerticalEstimate.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(VerticalEstimate(rawValue: 3) == .below)
    #expect(VerticalEstimate(rawValue: 4) == .aboveOrBelow)
  }

  @Test func decodesRadiansTimes90() {
    // 90 · π/2 = 141.37, shown as 141: 141/90 rad = 89.76°.
    let angle = NearbyInteraction.angle(fromRadiansTimes90: 141)
    #expect(isClose(angle.radians, 141.0 / 90, within: 0))
    let missing = Angle(degrees: 90) - angle
    #expect(missing.radians > 0 && missing.radians < 1.0 / 90)
    #expect(NearbyInteraction.angle(fromRadiansTimes90: -141) == -angle)
    #expect(NearbyInteraction.angle(fromRadiansTimes90: .nan).radians.isNaN)
  }
}
