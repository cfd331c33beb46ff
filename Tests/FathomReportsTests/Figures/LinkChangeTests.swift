import Fathom
import TestSupport
import Testing

@testable import FathomReports

@Suite struct LinkChangeTests {
  /// Returns links with 100 ranges in 20 s.
  ///
  /// From second 10 on, the ranges of B are 0.5 m longer than the positions
  /// allow.
  private func disturbed() throws -> RecordedResults {
    var results = try madeResults()
    for row in results.distances.distance.indices
    where results.distances.anchor[row] == "B"
      && results.distances.time[row].seconds(since: results.start) >= 10
    {
      results.distances.distance[row] += 0.5
    }
    return results
  }

  @Test func aChangeIsFoundWhereItIs() throws {
    let results = try disturbed()
    let changes = results.linkChanges
    let change = try #require(changes.first)
    #expect(changes.count == 1 && change.anchor == "B" && change.tag == "T")
    #expect(isClose(change.time.seconds(since: results.start), 10, within: 0.5))
    #expect(isClose(change.level.size, 0.5, within: 0.05))
    let table = try #require(results.changeTable(changes))
    #expect(table.lines.map { $0[0] } == ["B"])
    let figure = try #require(results.residualFigures(changes).first)
    guard case .plot(let plot) = figure.content else {
      Issue.record("there is no plot")
      return
    }
    let marks = plot.panels.map { panel in
      panel.layers.first { $0.name == "change of level" }?.points.count ?? 0
    }
    #expect(marks == [0, 2, 0, 0])
    #expect(figure.caption.contains("dashed line"))
  }

  @Test func cleanRecordingsHaveNoChange() throws {
    let results = try madeResults()
    #expect(results.linkChanges.isEmpty && results.changeTable([]) == nil)
    var lost = try disturbed()
    lost.anchors = [:]
    #expect(lost.linkChanges.isEmpty)
  }
}
