import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct DirectionTests {
  static func vector(_ x: Double, _ y: Double, _ z: Double) -> Vector<3> { Vector([x, y, z]) }

  @Test(arguments: [
    (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (.nan, 0, 1), (0, .infinity, 0), (1, 1, -.infinity),
  ])
  func rejectsVectorsWithoutDirection(_ x: Double, _ y: Double, _ z: Double) {
    #expect(Direction(Self.vector(x, y, z)) == nil)
  }

  @Test(arguments: [
    .leastNonzeroMagnitude, 0x1p-1030, 1e-200, 1, 1.01, 1e160, 1e300,
    Double.greatestFiniteMagnitude,
  ])
  func lengthDoesNotMatter(_ length: Double) throws {
    let direction = try #require(Direction(Self.vector(length, length, -length)))
    // 1/√3 each; azimuth 45°, elevation atan(1/√2).
    for index in 0..<2 {
      #expect(isClose(direction.vector[index], 0.577_350_269_189_625_8, within: 2e-16))
    }
    #expect(isClose(direction.azimuth.degrees, 45, within: 1e-14))
    let elevation = try #require(direction.elevation)
    #expect(isClose(elevation.radians, 0.615_479_708_670_387_4, within: 4e-16))
  }

  @Test func normalisesRandomVectors() throws {
    let seed: UInt64 = 21
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let scale = Double(
        sign: .plus, exponent: Int(generator.uniform(in: -1020...1020)), significand: 1)
      let (x, y, z) = (generator.normal(), generator.normal(), generator.normal())
      let direction = try #require(Direction(scale * Self.vector(x, y, z)))
      #expect(isClose(direction.vector.length, 1, within: 5e-16), "seed \(seed)")
      let length = (x * x + y * y + z * z).squareRoot()
      #expect(isClose(direction.vector[0], x / length, within: 4e-16), "seed \(seed)")
      #expect(isClose(direction.vector[2], z / length, within: 4e-16), "seed \(seed)")
    }
  }

  @Test func horizontalAngleRoundTripsWithoutElevation() throws {
    for degrees in stride(from: -540.0, through: 540, by: 7.5) {
      let angle = Angle(degrees: degrees)
      let direction = try #require(Direction(horizontalAngle: angle))
      #expect(isSameAngle(direction.azimuth, angle, within: 2e-15), "\(degrees)")
      #expect(direction.elevation == nil)
      #expect(direction.origin == .horizontalAngle)
    }
    #expect(Direction(horizontalAngle: Angle(radians: .nan)) == nil)
    #expect(Direction(horizontalAngle: Angle(radians: .infinity)) == nil)
  }

  @Test func originsHaveOppositeAheadAxes() throws {
    let measured = try #require(Direction(reported: [0, 0, -1]))
    let angular = try #require(Direction(reported: [0, 0, 1], origin: .horizontalAngle))
    #expect(measured.azimuth == .zero)
    #expect(angular.azimuth == .zero)
    #expect(measured.inDeviceFrame == angular.inDeviceFrame)
    #expect(measured.vector != angular.vector)
    #expect(measured != angular)
  }

  @Test(
    arguments: [
      [.nan, 0, -1], [0, .infinity, 0], [0, 0, -.infinity], [0, 0, 0],
      [.greatestFiniteMagnitude, 0, 0], [0, 0, -.greatestFiniteMagnitude],
    ] as [SIMD3<Float>])
  func rejectsDeviceSentinels(_ reported: SIMD3<Float>) {
    #expect(Direction(reported: reported) == nil)
    #expect(Direction(reported: reported, origin: .horizontalAngle) == nil)
  }

  /// The standard deviation is that of the distance along the direction, and distance × angle sigma across
  /// it.
  @Test(arguments: [[0.6, 0, -0.8], [0, 1, 0], [1, -2, 3]])
  func covarianceFollowsDirection(_ components: [Double]) throws {
    let direction = try #require(
      Direction(Self.vector(components[0], components[1], components[2])))
    let covariance = direction.covariance(
      at: 5, distanceSigma: 0.2, angleSigma: Angle(radians: 0.1))
    let length = (components.map { $0 * $0 }.reduce(0, +)).squareRoot()
    let unit = Vector<3>(InlineArray { components[$0] / length })
    // Along: 0.2². Across: (5 x 0.1)².
    let along = (covariance * unit) - 0.04 * unit
    #expect(along.length < 1e-12)
    // Two vectors across the direction: its products with two axes.
    for other in [Vector<3>([1, 0.1, 0]), Vector<3>([0, 0.1, 1])] {
      let across = other - other.dot(unit) * unit
      #expect(((covariance * across) - 0.25 * across).length < 1e-12)
    }
    for first in 0..<3 {
      for second in 0..<3 { #expect(covariance[first, second] == covariance[second, first]) }
    }
  }
}
