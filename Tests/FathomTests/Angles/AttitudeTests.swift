import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct AttitudeTests {
  /// Returns a random unit quaternion.
  private func random(using generator: inout SeededGenerator) throws -> Attitude {
    var parts = (0..<4).map { _ in generator.normal() }
    let length = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
    parts = parts.map { $0 / length }
    return try #require(Attitude(w: parts[0], x: parts[1], y: parts[2], z: parts[3]))
  }

  /// Rotated by 90° about z, the device's x axis lies along the world's y and its y axis along -x.
  ///
  /// Rotated about x, its y axis lies along z.
  @Test func rotationsAreCounterClockwise() throws {
    let half = 0.5.squareRoot()
    let yaw = try #require(Attitude(w: half, x: 0, y: 0, z: half)).axes
    let roll = try #require(Attitude(w: half, x: half, y: 0, z: 0)).axes
    let pitch = try #require(Attitude(w: half, x: 0, y: half, z: 0)).axes
    let heading = Attitude(heading: Angle(degrees: 90)).axes
    for (axes, expected) in [
      (heading, [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]),
      (yaw, [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), (roll, [[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
      (pitch, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    ] {
      for row in 0..<3 {
        for column in 0..<3 {
          #expect(isClose(axes[row, column], expected[row][column], within: 1e-15))
        }
      }
    }
  }

  @Test func axesAreRightHandedAndOrthonormal() throws {
    var generator = SeededGenerator(seed: 501)
    for trial in 0..<200 {
      let axes = try random(using: &generator).axes
      let product = axes.transposed() * axes
      for row in 0..<3 {
        for column in 0..<3 {
          let expected = row == column ? 1.0 : 0
          #expect(isClose(product[row, column], expected, within: 1e-14), "seed 501, \(trial)")
        }
      }
      // x × y = z, not -z.
      let z = axes[0, 0] * axes[1, 1] - axes[1, 0] * axes[0, 1]
      #expect(isClose(z, axes[2, 2], within: 1e-14), "seed 501, trial \(trial)")
    }
  }

  @Test func interpolatesAtConstantRateAlongShortestRotation() throws {
    let start = Attitude(heading: Angle(degrees: 170))
    let end = Attitude(heading: Angle(degrees: -160))
    // Over half a turn by 30°, also from the negated quaternion of the same attitude.
    let negative = try #require(Attitude(w: -end.w, x: 0, y: 0, z: -end.z))
    for (share, degrees) in [(0.0, 170.0), (0.5, 185), (0.25, 177.5), (1, 200)] {
      for end in [end, negative] {
        let found = start.turned(towards: end, by: share).axes
        let expected = Attitude(heading: Angle(degrees: degrees)).axes
        for axis in 0..<2 {
          #expect(isClose(found[axis, 0], expected[axis, 0], within: 1e-14), "\(share)")
        }
      }
    }
    #expect(start.turned(towards: start, by: 0.3).axes[0, 0] == start.axes[0, 0])
  }

  /// Two steps equal one: q(s) from the end is q(1 - s), and a tenth of a tenth is a hundredth.
  @Test func interpolationStepsAddUp() throws {
    var generator = SeededGenerator(seed: 502)
    for trial in 0..<200 {
      let (start, end) = (try random(using: &generator), try random(using: &generator))
      let share = generator.uniform()
      let pairs = [
        (start.turned(towards: end, by: share), end.turned(towards: start, by: 1 - share)),
        (
          start.turned(towards: start.turned(towards: end, by: share), by: 0.5),
          start.turned(towards: end, by: 0.5 * share)
        ),
      ]
      for (first, second) in pairs {
        let product =
          first.w * second.w + first.x * second.x + first.y * second.y + first.z * second.z
        #expect(isClose(product.magnitude, 1, within: 1e-12), "seed 502, trial \(trial)")
      }
    }
  }

  @Test func rejectsInvalidQuaternions() throws {
    #expect(Attitude(w: 0, x: 0, y: 0, z: 0) == nil)
    #expect(Attitude(w: .nan, x: 0, y: 0, z: 1) == nil)
    #expect(Attitude(w: .infinity, x: 0, y: 0, z: 1) == nil)
    #expect(Attitude(w: 1, x: 1, y: 0, z: 0) == nil)
    #expect(Attitude(w: 0.8, x: 0, y: 0, z: 0) == nil)
    // Rounded to two digits it is still a rotation.
    let rounded = try #require(Attitude(w: 0.71, x: 0, y: 0, z: 0.71))
    #expect(isClose(rounded.w, 0.5.squareRoot(), within: 1e-15) && rounded.w == rounded.z)
  }
}
