import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Sightings of anchors by a tag.
@Suite struct SightingTests {
  /// Returns a random attitude: the axes of a random quaternion.
  private func attitude(using generator: inout SeededGenerator) throws -> Matrix<3, 3> {
    let parts = (0..<4).map { _ in generator.normal() }
    let length = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return try #require(
      Attitude(
        w: parts[0] / length, x: parts[1] / length, y: parts[2] / length, z: parts[3] / length)
    ).axes
  }

  /// Returns the direction of `anchor` from a device at `place`, directly from the definition of
  /// the angles.
  private func view(
    from place: Vector<3>, _ attitude: Matrix<3, 3>, of anchor: Vector<3>
  ) throws -> FullSphere {
    try #require(FullSphere(attitude.transposed() * (anchor - place)))
  }

  /// The position of the device follows from that of the anchor.
  ///
  /// From (1, 2, 3), facing +y, 30° to the right and 20° up at 5 m the anchor is at (3.349, 6.069,
  /// 4.710).
  @Test func reversedSightingGivesDevicePosition() throws {
    let sighting = Sighting.seen(
      from: Sighting.upright(facing: Angle(degrees: 90)),
      of: Vector([3.349_232, 6.068_988, 4.710_101]), range: 5, azimuth: Angle(degrees: 30),
      elevation: Angle(degrees: 20))
    let position = try #require(try RangesAndAngles.solve([sighting]).fix.position)
    #expect((position - Vector([1, 2, 3])).length < 2e-6)
  }

  /// The residuals of the sighting vanish at the device for any attitude: the identity of the
  /// documentation.
  @Test func reversedSightingHasSameAzimuthAndNegativeElevation() throws {
    var generator = SeededGenerator(seed: 511)
    for trial in 0..<500 {
      let attitude = try attitude(using: &generator)
      let place = 5 * Vector<3>.random(using: &generator)
      let anchor = 5 * Vector<3>.random(using: &generator)
      let seen = try view(from: place, attitude, of: anchor)
      let sighting = Sighting.seen(
        from: attitude, of: anchor, range: seen.distance, azimuth: seen.azimuth,
        elevation: seen.elevation)
      let rows = SightingResiduals(sighting)
      for residual in rows.residuals(rows.view(of: place)) {
        #expect(residual.magnitude < 1e-9, "seed 511, trial \(trial)")
      }
      // Its axes are right-handed, as those of every device.
      let axes = sighting.orientation
      let z = axes[0, 0] * axes[1, 1] - axes[1, 0] * axes[0, 1]
      #expect(isClose(z, axes[2, 2], within: 1e-12), "seed 511, trial \(trial)")
    }
  }

  @Test func rangeAndAnglesToOneAnchorSuffice() throws {
    var generator = SeededGenerator(seed: 512)
    for trial in 0..<200 {
      let attitude = try attitude(using: &generator)
      let place = 5 * Vector<3>.random(using: &generator)
      let anchor = 5 * Vector<3>.random(using: &generator)
      let seen = try view(from: place, attitude, of: anchor)
      let fix = try RangesAndAngles.solve([
        Sighting.seen(
          from: attitude, of: anchor, range: seen.distance, azimuth: seen.azimuth,
          elevation: seen.elevation)
      ]).fix
      let position = try #require(fix.position, "seed 512, trial \(trial)")
      #expect((position - place).length < 1e-6, "seed 512, trial \(trial)")
      #expect(fix.verdict == .unique, "seed 512, trial \(trial)")
    }
  }

  /// The sum of squared residuals, computed from the definition, increases in every direction from
  /// the solution.
  @Test func solutionIsLocalMaximumOfLikelihood() throws {
    var generator = SeededGenerator(seed: 513)
    var options = RangesAndAngles.Options()
    options.loss = .squared
    for trial in 0..<50 {
      let attitude = try attitude(using: &generator)
      let place = 3 * Vector<3>.random(using: &generator)
      let anchors = (0..<3).map { _ in 6 * Vector<3>.random(using: &generator) }
      let measured = try anchors.map { anchor in
        let seen = try view(from: place, attitude, of: anchor)
        return (
          range: seen.distance + 0.1 * generator.normal(),
          azimuth: seen.azimuth + Angle(degrees: 3 * generator.normal()),
          elevation: seen.elevation + Angle(degrees: 3 * generator.normal())
        )
      }
      let sightings = zip(anchors, measured).map {
        Sighting.seen(
          from: attitude, of: $0, range: $1.range, azimuth: $1.azimuth, elevation: $1.elevation)
      }
      let found = try #require(try RangesAndAngles.solve(sightings, options: options).fix.position)
      func cost(_ place: Vector<3>) throws -> Double {
        var sum = 0.0
        for (anchor, measured) in zip(anchors, measured) {
          let seen = try view(from: place, attitude, of: anchor)
          for error in [
            (measured.range - seen.distance) / 0.1,
            measured.azimuth.difference(from: seen.azimuth).degrees / 3,
            measured.elevation.difference(from: seen.elevation).degrees / 3,
          ] { sum += error * error }
        }
        return sum
      }
      let least = try cost(found)
      for step in [1e-3, 0.02] {
        for axis in 0..<3 {
          for sign in [-step, step] {
            var other = found
            other[axis] += sign
            #expect(try cost(other) > least, "seed 513, trial \(trial)")
          }
        }
      }
    }
  }
}
