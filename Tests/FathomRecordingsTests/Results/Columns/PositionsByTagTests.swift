import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct PositionsByTagTests {
  /// Returns rows of a tag at the given instants, numbered by `used` in the order of arrival.
  private func rows(_ seconds: [Double]) -> [PositionRow] {
    seconds.enumerated().map { place, seconds in
      PositionRow(
        time: at(seconds), position: .zero, covariance: .zero, used: place, rejected: 0,
        status: .fix)
    }
  }

  private func order(_ positions: PositionsByTag) -> [[Int]] {
    var order: [[Int]] = []
    positions.forEachInOrder { tag, row in order.append([tag, row.used]) }
    return order
  }

  @Test func equalInstantsKeepTagOrder() {
    let positions = PositionsByTag([rows([1, 2, 2]), rows([]), rows([0, 1, 2])])
    #expect(order(positions) == [[2, 0], [0, 0], [2, 1], [0, 1], [0, 2], [2, 2]])
  }

  @Test func emptyInputGivesNoPositions() {
    #expect(order(PositionsByTag([])).isEmpty)
    #expect(order(PositionsByTag([[], []])).isEmpty)
  }

  /// Checks the merge against a stable sort of all rows by time.
  @Test func orderMatchesStableSort() {
    for seed in UInt64(0)..<200 {
      var generator = SeededGenerator(seed: seed)
      let tags = (0..<Int(generator.next() % 9)).map { _ in
        rows((0..<Int(generator.next() % 12)).map { _ in Double(generator.next() % 8) }.sorted())
      }
      let all = tags.enumerated().flatMap { tag, rows in
        rows.map { (time: $0.time, place: [tag, $0.used]) }
      }
      let sorted = all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }
      #expect(order(PositionsByTag(tags)) == sorted.map { all[$0].place }, "seed \(seed)")
    }
  }
}
