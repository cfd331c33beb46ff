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

  private func link(_ anchor: String, _ values: [Double]) -> LinkResidualSeries {
    LinkResidualSeries(
      tag: "T", anchor: anchor, rows: Array(values.indices), values: values)
  }

  /// The 98 % quantiles are 0.2, 0.2, 0.1 and 20 m; sorted, the lower of the two in the middle is 0.2 m, of
  /// which the axis has four times.
  @Test func oneWrongAnchorDoesNotSetTheAxis() {
    let links = [
      link("A", [0.2, -0.2]), link("B", [0.2, 0.2]), link("C", [0.1, .nan, -0.1]),
      link("D", [20, 20]),
    ]
    #expect(RecordedResults.robustReach(links) == 0.8)
    #expect(RecordedResults.robustReach([]) == .infinity)
  }

  /// Anchor A reads 20 m too much: its residuals are marked at the edge of an axis that shows the others,
  /// and counted.
  @Test func valuesBeyondTheAxisAreMarkedAndCounted() throws {
    var results = try madeResults()
    for row in results.distances.distance.indices where results.distances.anchor[row] == "A" {
      results.distances.distance[row] += 20
    }
    let figure = try #require(results.residualFigures([]).first)
    guard case .plot(let plot) = figure.content else {
      Issue.record("there is no plot")
      return
    }
    let known = try #require(results.fitResiduals.first { $0.anchor == "A" }).known.count
    #expect(plot.panels.allSatisfy { $0.y.upperBound < 5 })
    let beyond = try #require(plot.panels[0].layers.first { $0.name == "beyond the axis" })
    #expect(beyond.points.count == known && known > 90)
    #expect(plot.panels[0].heading?.hasSuffix("\(known) beyond the axis") == true)
    #expect(plot.panels[1].heading?.contains("beyond") == false)
    #expect(figure.caption.contains("marked at its edge and counted per link"))
  }
}
