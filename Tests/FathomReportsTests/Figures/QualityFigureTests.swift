import TestSupport
import Testing

@testable import FathomReports

@Suite struct QualityFigureTests {
  @Test func joinsEqualWordsIntoIntervals() {
    // A range every second for 40 s; sections are 40/480 s wide.
    let strip = TimeStrip(times: (0..<40).map(Double.init), duration: 40)
    let words = (0..<40).map { $0 < 10 ? "unknown" : $0 < 30 ? "good" : "close" }
    let stretches = strip.stretches(words, -0.8, -0.4)
    #expect(stretches.map(\.0) == ["unknown", "good", "close"])
    for (stretch, begin) in zip(stretches, [0.0, 10, 30]) {
      #expect(isClose(stretch.1.x, begin, within: 0.1))
      #expect(stretch.1.y == -0.8 && stretch.1.upper == -0.4)
    }
    #expect(stretches[0].1.right == stretches[1].1.x)
    #expect(stretches[2].1.right == 40)
  }

  /// The strip of an anchor whose ranges are not used has the colour of rejected ranges only; those of the
  /// others keep the verdict on their distances.
  @Test func rangesThatDisagreeLoseTheColourOfGoodLinks() throws {
    var results = try madeResults()
    for row in results.distances.decision.indices {
      results.distances.decision[row] = results.distances.anchor[row] == "A" ? .unused : .used
    }
    guard case .plot(let plot) = results.qualityFigure.content else {
      Issue.record("there is no plot")
      return
    }
    // The strip of link A is the first, from -0.5 to -0.8.
    let layers = plot.panels[0].layers.filter { $0.points.contains { $0.y == -0.5 } }
    #expect(layers.map(\.name) == ["not used"] && layers.first?.colour == .rejected)
    #expect(plot.panels[0].layers.contains { $0.name == "close" })
  }

  @Test func gapsStayEmpty() {
    // Ten a second, with a gap from 2 to 8 s: the last word holds for one second.
    let times = (0..<20).map { Double($0) / 10 } + (80..<100).map { Double($0) / 10 }
    let strip = TimeStrip(times: times, duration: 10)
    let stretches = strip.stretches(times.map { _ in "good" }, 0, 1)
    #expect(stretches.count == 2)
    #expect(isClose(stretches[0].1.right, 2.9, within: 0.05))
    #expect(isClose(stretches[1].1.x, 8, within: 0.05))
  }

  @Test func mostFrequentWordOfASectionCounts() {
    // 4800 words in 480 sections: ten each, of which every tenth differs.
    let strip = TimeStrip(times: (0..<4800).map { Double($0) / 10 }, duration: 480)
    let words = (0..<4800).map { $0 % 10 == 5 ? "close" : "good" }
    #expect(strip.stretches(words, 0, 1).map(\.0) == ["good"])
    #expect(TimeStrip(times: [], duration: 1).stretches([], 0, 1).isEmpty)
    #expect(TimeStrip(times: [0], duration: 0).stretches(["good"], 0, 1).isEmpty)
  }
}
