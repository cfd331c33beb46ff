import Testing

@testable import FathomReports

@Suite struct ResidualFigureTests {
  /// Every axis has a number between zero and its end.
  @Test func axesReachTheirFirstNumber() {
    for limit in stride(from: 0.05, through: 20, by: 0.013) {
      let reach = RecordedResults.reach(limit)
      let step = Ticks.step(
        -1.08 * reach...1.08 * reach, in: 74, apart: Ticks.apart(in: 74))
      #expect(reach >= limit && step <= 1.08 * reach, "\(limit)")
      #expect(reach <= 2.6 * limit, "\(limit)")
    }
  }
}
