import TestSupport
import Testing

@testable import Fathom

@Suite struct DifferenceGraphTests {
  private func graph(_ edges: [(Int, Int, Double)], _ count: Int) -> DifferenceGraph {
    DifferenceGraph(
      edges.enumerated().map {
        .init(first: $1.0, second: $1.1, difference: $1.2, input: $0)
      }, count: count)
  }

  @Test func arrivalsAreCentredWithinGroups() throws {
    let graph = graph([(1, 0, 2), (2, 1, 2), (4, 3, 6)], 5)
    #expect(graph.groups == [0, 0, 0, 1, 1])
    let arrivals = try #require(graph.arrivals())
    for (found, expected) in zip(arrivals, [-2.0, 0, 2, -3, 3]) {
      #expect(isClose(found, expected, within: 1e-12))
    }
    for (found, expected) in zip(graph.differences(of: arrivals), [2.0, 2, 6]) {
      #expect(isClose(found, expected, within: 1e-12))
    }
  }

  @Test func removesDifferenceThatDoesNotCloseItsLoops() throws {
    let arrivals = [0.0, 1, 4, 2]
    var edges: [(Int, Int, Double)] = []
    for first in 0..<4 {
      for second in first + 1..<4 {
        edges.append((first, second, arrivals[first] - arrivals[second]))
      }
    }
    edges[4].2 += 5
    var all = graph(edges, 4)
    let removed = all.removeMisclosures([0.1, 0.1, 0.1, 0.1])
    #expect(removed.map(\.input) == [4])
    #expect(all.edges.count == 5)
    let found = try #require(all.arrivals())
    for (value, expected) in zip(found, arrivals) {
      // The mean is 7/4.
      #expect(isClose(value, expected - 1.75, within: 1e-9))
    }
    // Misclosures within the errors of the arrivals remain, and a star has no loops.
    edges[4].2 -= 4.9
    var close = graph(edges, 4)
    #expect(close.removeMisclosures([0.1, 0.1, 0.1, 0.1]).isEmpty && close.edges.count == 6)
    var star = graph([(1, 0, 99), (2, 0, 1), (3, 0, -99)], 4)
    #expect(star.removeMisclosures([0.1, 0.1, 0.1, 0.1]).isEmpty)
  }

  @Test func arrivalInMostImpossiblePairsIsFaulty() {
    // 3 is in three pairs. Without it 1 and 2 contradict each other, and neither is identifiable as
    // faulty.
    let faults = ImpossibleDifferences([(3, 0), (1, 3), (3, 2), (1, 2)])
    #expect(faults.blamed == [3])
    #expect(faults.rest.map { [$0.0, $0.1] } == [[1, 2]])
    #expect(ImpossibleDifferences([(0, 1)]).blamed.isEmpty)
    #expect(ImpossibleDifferences([]).rest.isEmpty)
  }
}
