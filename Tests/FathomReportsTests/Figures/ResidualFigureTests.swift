import Testing

@testable import FathomReports

@Suite struct ResidualFigureTests {
  /// Between zero and the end of every axis there is a number.
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
