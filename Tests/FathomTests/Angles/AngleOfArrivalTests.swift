import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct AngleOfArrivalTests {
  static func degrees(_ azimuth: Double, _ elevation: Double) -> AngleOfArrival? {
    AngleOfArrival(azimuth: Angle(degrees: azimuth), elevation: Angle(degrees: elevation))
  }

  @Test func directionsMatchOracle() throws {
    for item in try AnglesOracle.load().cartesian {
      let expected = Angle(radians: item.aoa_azimuth_rad)
      let tolerance = item.tolerance(item.aoa_azimuth_rad)
      let android = try #require(AngleOfArrival.asInAndroid(item.position), "\(item.id)")
      #expect(isSameAngle(android.azimuth, expected, within: tolerance), "\(item.id)")

      guard let direction = Direction(item.position) else {
        #expect(item.id == "zero")
        continue
      }
      // The exact form folds a peer behind to the front; the corrected form keeps it behind.
      let isFolded = item.x == 0 && item.z > 0
      let corrected = AngleOfArrival(direction)
      #expect(
        isSameAngle(corrected.azimuth, isFolded ? .halfTurn : expected, within: tolerance),
        "\(item.id)")
      #expect(
        isClose(
          corrected.elevation.radians, item.elevation_rad,
          within: item.tolerance(item.elevation_rad)), "\(item.id)")
    }
  }

  @Test func matchesAndroidStackCases() throws {
    let cases = try AnglesOracle.android("Aoa")
    #expect(cases.count == 8)
    for item in cases {
      let call = try #require(item.call)
      if call.hasPrefix("roundtrip") { continue }  // below, with other bounds
      let numbers = item.arguments
      try #require(numbers.count >= 2, "\(call)")
      let pair =
        call.contains("fromRadians")
        ? AngleOfArrival(
          azimuth: Angle(radians: numbers[0]), elevation: Angle(radians: numbers[1]))
        : Self.degrees(numbers[0], numbers[1])
      var (azimuth, elevation) = try #require(pair.map { ($0.azimuth, $0.elevation) })
      if call.contains("oSpherical") || call.contains("spherical") {
        let sphere = try #require(pair?.fullSphere(distance: numbers.count > 2 ? numbers[2] : 1))
        (azimuth, elevation) = (sphere.azimuth, sphere.elevation)
      }
      #expect(azimuth.isFinite && elevation.isFinite, "\(call)")
      if let expected = item.expectedAzimuth {
        #expect(isSameAngle(azimuth, expected, within: 1e-14), "\(call)")
      }
      if let expected = item.expectedElevation {
        #expect(isSameAngle(elevation, expected, within: 1e-14), "\(call)")
      }
    }
  }

  // The pairs of the oracle's case `roundtrip`. 95° and 25° are impossible together. At the limit z
  // is ill-conditioned: rounding by 1e-16 moves it by 1e-8 of the distance.
  @Test(arguments: [(15.0, 25.0, 1e-14), (95, 25, 3e-7), (-15, 35, 1e-14), (-165, 35, 1e-14)])
  func sphericalAnglesPreservePosition(
    _ azimuth: Double, _ elevation: Double, _ tolerance: Double
  ) throws {
    let pair = try #require(Self.degrees(azimuth, elevation))
    let position = 6 * pair.direction.inDeviceFrame
    let sphere = try #require(pair.fullSphere(distance: 6))
    #expect((sphere.position - position).length < tolerance)
    let back = 6 * AngleOfArrival(sphere).direction.inDeviceFrame
    #expect((back - position).length < tolerance)
  }

  // Front azimuth and elevation shrink by the ratio of their sum to a right angle. 45° + 90° is 3/2
  // of it, and so is 180° - 117° + 72°: 63° · 2/3 = 42° from behind. 30° + 60° is possible.
  @Test(arguments: [
    (90.0, 90.0, 45.0, 45.0), (135, 90, 150, 60), (-135, 90, -150, 60), (-135, -90, -150, -60),
    (90, 30, 67.5, 22.5), (-117, 72, -138, 48), (30, 60, 30, 60),
  ])
  func scalesImpossiblePairsProportionally(
    _ azimuth: Double, _ elevation: Double, _ newAzimuth: Double, _ newElevation: Double
  ) throws {
    let pair = try #require(Self.degrees(azimuth, elevation))
    #expect(isClose(pair.azimuth.degrees, newAzimuth, within: 1e-13))
    #expect(isClose(pair.elevation.degrees, newElevation, within: 1e-13))
    // A possible pair is unchanged.
    let again = try #require(
      AngleOfArrival(azimuth: pair.azimuth, elevation: pair.elevation))
    #expect(isSameAngle(again.azimuth, pair.azimuth, within: 1e-15))
    #expect(isSameAngle(again.elevation, pair.elevation, within: 1e-15))
  }

  @Test func randomDirectionsRoundTrip() throws {
    let seed: UInt64 = 81
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let direction = try #require(Direction(Vector<3>(InlineArray { _ in generator.normal() })))
      let pair = AngleOfArrival(direction)
      let back = pair.direction
      #expect(isClose(back.vector[0], direction.vector[0], within: 5e-16), "seed \(seed)")
      #expect(isClose(back.vector[1], direction.vector[1], within: 5e-16), "seed \(seed)")
      // Compare squares, because the root is ill-conditioned near 0.
      let (z, original) = (back.vector[2], direction.vector[2])
      #expect(isClose(z * z, original * original, within: 1e-15), "seed \(seed)")
      #expect(z.sign == original.sign, "seed \(seed)")

      // Compare with a second path to the same angles, and with the exact form.
      let sphere = try #require(FullSphere(direction, distance: 2))
      let other = AngleOfArrival(sphere)
      #expect(isSameAngle(other.azimuth, pair.azimuth, within: 4e-15), "seed \(seed)")
      #expect(isSameAngle(other.elevation, pair.elevation, within: 1e-15), "seed \(seed)")
      let android = try #require(AngleOfArrival.asInAndroid(direction.vector))
      #expect(isClose(android.azimuth.sine, pair.azimuth.sine, within: 1e-15), "seed \(seed)")
      #expect(isSameAngle(android.azimuth, pair.azimuth, within: 1e-7), "seed \(seed)")
    }
  }

  @Test func sphericalAzimuthMatchesSourceFormula() throws {
    let seed: UInt64 = 82
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let azimuth = Angle(radians: generator.uniform(in: -.pi / 2 ... .pi / 2))
      let elevation = Angle(radians: generator.uniform(in: -1.5...1.5))
      let pair = try #require(AngleOfArrival(azimuth: azimuth, elevation: elevation))
      let sphere = try #require(pair.fullSphere(distance: 1))
      // Its cosine, √(max(cos²a - sin²e, 0)) / cos e, at most 1.
      let (cosine, sine) = (pair.azimuth.cosine, pair.elevation.sine)
      let formula = max(cosine * cosine - sine * sine, 0).squareRoot() / pair.elevation.cosine
      // The difference of squares cancels: an error of 2e-16 becomes at worst its root.
      #expect(isClose(sphere.azimuth.cosine, min(formula, 1), within: 1e-6), "seed \(seed)")
      #expect(sphere.azimuth.radians.sign == azimuth.radians.sign, "seed \(seed)")
      #expect(sphere.azimuth.radians.magnitude <= .pi / 2, "seed \(seed)")
    }
  }

  @Test func directionsBehindStayBehind() throws {
    for zero in [0.0, -0.0] {
      let position: Vector<3> = Vector([zero, 0.5, 1])
      let direction = try #require(Direction(position))
      let pair = AngleOfArrival(direction)
      #expect(pair.azimuth == .halfTurn)
      #expect(try #require(pair.fullSphere(distance: 1)).azimuth == .halfTurn)
      #expect(pair.direction.inDeviceFrame[2] > 0)
      // The documented defect of the exact form.
      #expect(try #require(AngleOfArrival.asInAndroid(position)).azimuth == .zero)
    }
    // Marginally to the left of behind; the mirror must not move it to the right.
    let left = try #require(Direction(Vector<3>([-1e-17, 0, 1])))
    #expect(AngleOfArrival(left).azimuth.radians == -.pi)
    #expect(try #require(AngleOfArrival(left).fullSphere(distance: 1)).azimuth == .halfTurn)
  }

  @Test func azimuthIsZeroAtPoles() throws {
    for up in [1.0, -1] {
      for zero in [0.0, -0.0] {
        let direction = try #require(Direction(Vector<3>([zero, up, zero])))
        let pair = AngleOfArrival(direction)
        #expect(pair.azimuth == .zero)
        #expect(pair.elevation.radians == up * .pi / 2)
        #expect(try #require(pair.fullSphere(distance: 1)).azimuth == .zero)
        // Seen from behind it is the same pole.
        let behind = try #require(
          AngleOfArrival(azimuth: .halfTurn, elevation: pair.elevation))
        #expect(try #require(behind.fullSphere(distance: 1)).azimuth == .zero)
      }
    }
  }

  @Test func rejectsNonFiniteInput() throws {
    #expect(AngleOfArrival(azimuth: Angle(radians: .nan), elevation: .zero) == nil)
    #expect(AngleOfArrival(azimuth: .zero, elevation: Angle(radians: -.infinity)) == nil)
    #expect(AngleOfArrival.asInAndroid(Vector<3>(repeating: .nan)) == nil)
    #expect(AngleOfArrival.asInAndroid(Vector<3>(repeating: .infinity)) == nil)
    let pair = try #require(AngleOfArrival(azimuth: .zero, elevation: .zero))
    #expect(pair.fullSphere(distance: -1) == nil)
    #expect(pair.fullSphere(distance: .nan) == nil)
    #expect(try #require(AngleOfArrival.asInAndroid(Vector<3>.zero)) == pair)
  }
}
