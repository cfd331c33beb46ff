import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct HeightErrorsTests {
  /// Stated standard deviations count; otherwise the scatter does, with a persistent part.
  @Test func findsTheErrors() {
    var generator = SeededGenerator(seed: 5501)
    var heights = (0..<400).map { index in
      HeightMeasurement(
        time: Timestamp(nanoseconds: 20_000_000 * Int64(index)),
        height: 0.001 * Double(index) + 0.3 * generator.normal())
    }
    let found = HeightErrors.estimated(from: heights)
    #expect((0.25...0.35).contains(found.sigma), "\(found.sigma)")
    for index in heights.indices { heights[index].sigma = 0.5 }
    #expect(HeightErrors.estimated(from: heights).sigma == 0.5)
    #expect(HeightErrors.estimated(from: []) == HeightErrors())
  }
}
