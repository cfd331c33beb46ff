import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Odometry that is compared with the ranges before it is used.
@Suite(.releaseOnly) struct OdometryCalibrationTests {
  private func calibrated(
    _ change: (OdometryIncrement) -> OdometryIncrement
  ) -> TrackerCalibration {
    var generator = SeededGenerator(seed: 5401)
    let drive = SimulatedVehicle(to: 120, using: &generator)
    let ranges = drive.ranges.map(\.measurement)
    let calibration = TrackerCalibration(
      configuration: TrackerConfiguration.withHeight(0))
    return calibration.withOdometry(
      SensorReadings(odometry: drive.odometry.map(change)), on: ranges,
      anchors: SimulatedVehicle.anchors, turnFactors: [1, -1, 0.5, -0.5])
  }

  @Test func usesOdometryAsItIs() throws {
    let found = calibrated { $0 }
    let odometry = try #require(found.odometry)
    #expect(odometry.isUsed && odometry.turnFactor == 1 && odometry.gain > 10)
    #expect(found.configuration.odometry?.turnFactor == 1)
  }

  /// Turns that are positive clockwise, and the double angle.
  @Test(arguments: [-1.0, -2, 2]) func findsTheFactorOfTurns(_ factor: Double) throws {
    let found = calibrated { increment in
      var changed = increment
      changed.turn = Angle(radians: factor * increment.turn.radians)
      return changed
    }
    let odometry = try #require(found.odometry)
    #expect(odometry.isUsed)
    #expect(odometry.turnFactor == 1 / factor, "\(odometry)")
  }

  /// The odometry of another vehicle: distances and turns at random.
  @Test func refusesForeignOdometry() throws {
    var generator = SeededGenerator(seed: 5402)
    let found = calibrated { increment in
      var changed = increment
      changed.forward = 0.3 * generator.uniform()
      changed.turn = Angle(radians: 0.4 * generator.normal())
      return changed
    }
    let odometry = try #require(found.odometry)
    #expect(!odometry.isUsed, "\(odometry)")
    #expect(found.configuration.odometry == nil)
  }
}
