import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct FullSphereTests {
  static func vector(_ x: Double, _ y: Double, _ z: Double) -> Vector<3> { Vector([x, y, z]) }

  @Test func directionsMatchOracle() throws {
    let cases = try AnglesOracle.load().cartesian
    #expect(cases.count == 36)
    for item in cases {
      let sphere = try #require(FullSphere(item.position), "\(item.id)")
      #expect(
        isSameAngle(
          sphere.azimuth, Angle(radians: item.azimuth_rad),
          within: item.tolerance(item.azimuth_rad)), "\(item.id)")
      #expect(
        isClose(
          sphere.elevation.radians, item.elevation_rad,
          within: item.tolerance(item.elevation_rad)), "\(item.id)")
      #expect(
        isClose(sphere.distance, item.distance, within: 4 * item.distance.ulp), "\(item.id)")

      // The same through a unit vector, which does not exist for the zero vector.
      let direction = Direction(item.position)
      #expect((direction == nil) == (item.id == "zero"))
      guard let direction else { continue }
      #expect(
        isSameAngle(
          direction.azimuth, Angle(radians: item.azimuth_rad),
          within: item.tolerance(item.azimuth_rad)), "\(item.id)")
      let elevation = try #require(direction.elevation)
      #expect(
        isClose(
          elevation.radians, item.elevation_rad, within: item.tolerance(item.elevation_rad)),
        "\(item.id)")
    }
  }

  @Test func positionsMatchAndroidStack() throws {
    let cases = try AnglesOracle.android("SphericalVectorTest")
    #expect(cases.count == 6)
    for item in cases {
      let numbers = item.arguments
      try #require(numbers.count == 3)
      let call = try #require(item.call)
      let sphere: FullSphere?
      if call.contains("fromDegrees") {
        sphere = FullSphere(
          azimuth: Angle(degrees: numbers[0]), elevation: Angle(degrees: numbers[1]),
          distance: numbers[2])
      } else {
        sphere = FullSphere(Self.vector(numbers[0], numbers[1], numbers[2]))
        // All positions round-trip.
        let back = try #require(sphere).position
        for axis in 0..<3 { #expect(isClose(back[axis], numbers[axis], within: 1e-14)) }
      }
      let result = try #require(sphere)
      if let azimuth = item.expectedAzimuth {
        #expect(isSameAngle(result.azimuth, azimuth, within: 1e-14), "\(call)")
      }
      if let elevation = item.expectedElevation {
        #expect(isSameAngle(result.elevation, elevation, within: 1e-14), "\(call)")
      }
      if let distance = item.distance { #expect(result.distance == distance, "\(call)") }
    }
  }

  @Test func randomAnglesRoundTrip() throws {
    let seed: UInt64 = 71
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let azimuth = Angle(radians: generator.uniform(in: -.pi ... .pi))
      let elevation = Angle(radians: generator.uniform(in: -1.57...1.57))
      let distance = generator.exponential(mean: 10)
      let sphere = try #require(
        FullSphere(azimuth: azimuth, elevation: elevation, distance: distance))
      let back = try #require(FullSphere(sphere.position))
      #expect(isSameAngle(back.azimuth, azimuth, within: 1e-15), "seed \(seed)")
      #expect(isSameAngle(back.elevation, elevation, within: 1e-15), "seed \(seed)")
      #expect(isClose(back.distance, distance, within: 4 * distance.ulp), "seed \(seed)")
    }
  }

  @Test func randomPositionsRoundTrip() throws {
    let seed: UInt64 = 72
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let scale = Double(
        sign: .plus, exponent: Int(generator.uniform(in: -1000...1000)), significand: 1)
      let position = scale * Vector<3>(InlineArray { _ in generator.normal() })
      let sphere = try #require(FullSphere(position))
      for axis in 0..<3 {
        let difference = sphere.position[axis] - position[axis]
        #expect(difference.magnitude <= 1e-15 * sphere.distance, "seed \(seed)")
      }
    }
  }

  @Test(arguments: [
    (0.0, 1.0, 0.0), (0, 1, -0.0), (-0.0, 1, 0), (-0.0, 1, -0.0), (0, -1, 0), (0, -1, -0.0),
    (-0.0, -1, -0.0), (0, .leastNonzeroMagnitude, -0.0), (0, -1e300, 0),
  ])
  func azimuthIsZeroAtPoles(_ x: Double, _ y: Double, _ z: Double) throws {
    let sphere = try #require(FullSphere(Self.vector(x, y, z)))
    #expect(sphere.azimuth == .zero)
    #expect(sphere.elevation.radians == (y > 0 ? .pi / 2 : -.pi / 2))
    #expect(sphere.distance == y.magnitude)
  }

  @Test func ignoresSignsOfZeros() throws {
    for zero in [0.0, -0.0] {
      for other in [0.0, -0.0] {
        let behind = try #require(FullSphere(Self.vector(zero, other, 2)))
        #expect(behind.azimuth == .halfTurn)
        #expect(behind.elevation == .zero)
        let ahead = try #require(FullSphere(Self.vector(zero, other, -2)))
        #expect(ahead.azimuth == .zero)
        let right = try #require(FullSphere(Self.vector(2, zero, other)))
        #expect(right.azimuth.radians == .pi / 2)
        let left = try #require(FullSphere(Self.vector(-2, zero, other)))
        #expect(left.azimuth.radians == -.pi / 2)
      }
    }
  }

  @Test func acceptsZeroVectorAndRejectsNonFiniteInput() throws {
    for zero in [0.0, -0.0] {
      let sphere = try #require(FullSphere(Self.vector(zero, zero, zero)))
      #expect(sphere.azimuth == .zero && sphere.elevation == .zero && sphere.distance == 0)
      #expect(sphere.position == .zero)
    }
    #expect(FullSphere(Self.vector(.nan, 0, 0)) == nil)
    #expect(FullSphere(Self.vector(0, -.infinity, 0)) == nil)
    // √2 times the largest number overflows.
    let largest = Double.greatestFiniteMagnitude
    #expect(FullSphere(Self.vector(largest, 0, largest)) == nil)
    #expect(FullSphere(azimuth: Angle(radians: .nan), elevation: .zero, distance: 1) == nil)
    #expect(FullSphere(azimuth: .zero, elevation: Angle(radians: .infinity), distance: 1) == nil)
    #expect(FullSphere(azimuth: .zero, elevation: .zero, distance: -1) == nil)
    #expect(FullSphere(azimuth: .zero, elevation: .zero, distance: .nan) == nil)
  }

  @Test func foldsElevationsBeyondZenith() throws {
    let seed: UInt64 = 73
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let azimuth = Angle(radians: generator.uniform(in: -20...20))
      let elevation = Angle(radians: generator.uniform(in: -20...20))
      let sphere = try #require(
        FullSphere(azimuth: azimuth, elevation: elevation, distance: 1))
      #expect(sphere.azimuth.radians.magnitude <= .pi, "seed \(seed)")
      #expect(sphere.elevation.radians.magnitude <= .pi / 2, "seed \(seed)")
      // The formulas of the position also hold for angles out of range.
      let expected = Self.vector(
        elevation.cosine * azimuth.sine, elevation.sine, -elevation.cosine * azimuth.cosine)
      #expect((sphere.position - expected).length < 1e-14, "seed \(seed)")
    }
  }

  @Test func directionAndDistanceGivePosition() throws {
    let angular = try #require(Direction(horizontalAngle: Angle(degrees: 30)))
    let sphere = try #require(FullSphere(angular, distance: 4))
    // 30° to the right and 4 m away: x = 2, z = -4 cos 30° = -3.4641.
    let position = sphere.position
    #expect(isClose(position[0], 2, within: 1e-15))
    #expect(position[1] == 0)
    #expect(isClose(position[2], -3.464_101_615_137_754_6, within: 1e-15))
    #expect(FullSphere(angular, distance: -1) == nil)
    #expect(FullSphere(angular, distance: .infinity) == nil)

    let measured = try #require(Direction(Self.vector(1, 1, 1)))
    let behind = try #require(FullSphere(measured, distance: 3.0.squareRoot()))
    #expect((behind.position - Self.vector(1, 1, 1)).length < 1e-15)
  }

  @Test func bearingsArePositiveToTheLeft() throws {
    // 3 m forward and 4 m to the left, that is x = -4, z = -3 in the device frame.
    let sphere = try #require(FullSphere(forwardLeftUp: Self.vector(3, 4, 0)))
    #expect(sphere.distance == 5)
    #expect(isClose(sphere.bearing.radians, Double.atan2(y: 4, x: 3), within: 1e-15))
    #expect(isClose(sphere.azimuth.radians, -Double.atan2(y: 4, x: 3), within: 1e-15))
    #expect((sphere.position - Self.vector(-4, 0, -3)).length < 1e-15)

    let left = try #require(
      FullSphere(bearing: Angle(degrees: 90), elevation: .zero, distance: 2))
    #expect((left.forwardLeftUp - Self.vector(0, 2, 0)).length < 1e-15)
    let behind = try #require(
      FullSphere(bearing: .halfTurn, elevation: .zero, distance: 1))
    #expect(behind.bearing == .halfTurn)
    #expect(behind.azimuth == .halfTurn)
    let up = try #require(FullSphere(forwardLeftUp: Self.vector(0, 0, 7)))
    #expect(up.elevation.radians == .pi / 2)
  }

  @Test func robotAndDeviceFramesAgree() throws {
    let seed: UInt64 = 74
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let position = Vector<3>(InlineArray { _ in generator.normal() })
      let sphere = try #require(FullSphere(forwardLeftUp: position))
      #expect((sphere.forwardLeftUp - position).length <= 1e-15 * sphere.distance * 4)
      let bearing = Double.atan2(y: position[1], x: position[0])
      #expect(isClose(sphere.bearing.radians, bearing, within: 1e-15), "seed \(seed)")
    }
  }
}
