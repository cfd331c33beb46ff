import TestSupport
import Testing

@testable import FathomRecordings
@testable import FathomReports

@Suite struct ConsistencyFigureTests {
  /// Chi-square quantiles of 10 degrees of freedom: 3.24697 (2.5 %) and 20.4832 (97.5 %).
  @Test func bandIsThatOfAMean() {
    let bin = RecordingSummary.FilterConsistency.Bin(
      startS: 12, endS: 14, count: 10, meanNormalizedSquare: 1.5)
    let section = InnovationSection(bin, since: 10)
    #expect(section.begin == 2 && section.end == 4 && section.mean == 1.5)
    #expect(isClose(section.band.lowerBound, 0.324697, within: 1e-5))
    #expect(isClose(section.band.upperBound, 2.048318, within: 1e-5))
  }

  @Test func marksMeansOutsideTheBand() throws {
    var results = try madeResults()
    results.summary.consistency?.timeline = [
      .init(startS: 0, endS: 1, count: 10, meanNormalizedSquare: 1),
      .init(startS: 1, endS: 2, count: 10, meanNormalizedSquare: 9),
      .init(startS: 4, endS: 5, count: 10, meanNormalizedSquare: 0),
    ]
    guard case .plot(let plot) = results.consistencyFigure.content else {
      Issue.record("there is no figure")
      return
    }
    let panel = plot.panels[0]
    #expect(panel.isLogarithmic && panel.y.lowerBound > 0)
    let outside = try #require(panel.layers.first { $0.name == "outside" })
    #expect(outside.points.map(\.x) == [1.5, 4.5])
    #expect(outside.points.allSatisfy { panel.y.contains($0.y) })
    // The line is interrupted at gaps.
    let line = try #require(panel.layers.first { $0.name == "mean NIS" })
    #expect(line.points.map(\.beginsAnew) == [false, false, false, false, true, false])
    #expect(results.consistencyFigure.caption.contains("33 % of the sections"))
  }

  @Test func explainsAbsenceWithoutAFilter() throws {
    var results = try madeResults()
    results.summary.settings.method = .fix
    guard case .absent(let sentence) = results.consistencyFigure.content else {
      Issue.record("there is a figure")
      return
    }
    #expect(sentence.contains("Only a filter"))
  }
}
