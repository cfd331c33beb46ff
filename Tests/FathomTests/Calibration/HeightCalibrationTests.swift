import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Whether the zero of measured heights is known.
@Suite struct HeightCalibrationTests {
  /// Heights with a zero that is `offset` metres too high.
  private static func agreement(
    offset: Double, using generator: inout SeededGenerator
  ) throws -> HeightAgreement {
    let flight = SimulatedFlight(to: 60, using: &generator)
    let heights = stride(from: 0.1, to: 60, by: 0.2).map { time in
      HeightMeasurement(
        time: instant(time),
        height: SimulatedFlight.place(max(0, time - 3), isLevel: false)[2] + offset
          + 0.05 * generator.normal())
    }
    let ranges = flight.ranges.map(\.measurement)
    var calibration = TrackerCalibration.calibrated(on: ranges, anchors: SimulatedFlight.anchors)
    calibration.configuration.heights = HeightErrors()
    let found = calibration.withHeights(
      SensorReadings(heights: heights), on: ranges, anchors: SimulatedFlight.anchors)
    let agreement = try #require(found.heights)
    #expect((found.configuration.heights?.offsetSigma == nil) == agreement.isZeroKnown)
    return agreement
  }

  @Test(arguments: [(0.0, true), (0.05, true), (0.6, false), (-1.5, false)])
  func findsWhetherTheZeroIsKnown(offset: Double, isKnown: Bool) throws {
    var generator = SeededGenerator(seed: 5831)
    let found = try Self.agreement(offset: offset, using: &generator)
    #expect(found.isZeroKnown == isKnown, "seed 5831: \(found)")
    #expect((found.offset - offset).magnitude < 0.1, "seed 5831: \(found)")
  }

  @Test func keepsCalibrationsWithoutHeights() {
    let calibration = TrackerCalibration(configuration: TrackerConfiguration())
    #expect(calibration.withHeights(SensorReadings(), on: [], anchors: []) == calibration)
  }
}
