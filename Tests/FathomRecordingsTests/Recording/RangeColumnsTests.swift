import Fathom
import FathomEvaluation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RangeColumnsTests {
  private func columns(_ nanoseconds: [Int64]) -> RangeColumns {
    var columns = RangeColumns()
    columns.time = nanoseconds.map(Timestamp.init(nanoseconds:))
    return columns
  }

  @Test func orderIsNilForSortedRanges() {
    #expect(RangeColumns().orderByTime() == nil)
    #expect(RangeColumns().count == 0)
    #expect(columns([7]).orderByTime() == nil)
    #expect(columns([.min, -1, 0, 0, 0, 3, .max]).orderByTime() == nil)
    #expect(columns([.min, -1, 0, 0, 0, 3, .max]).count == 7)
  }

  @Test func simultaneousRangesKeepTheirOrder() {
    #expect(columns([5, 3, 5, 3, 4]).orderByTime() == [1, 3, 4, 0, 2])
    #expect(columns([.max, .min]).orderByTime() == [1, 0])
  }

  @Test func sortsStably() throws {
    var generator = SeededGenerator(seed: 231)
    for _ in 0..<100 {
      let times = (0..<200).map { _ in Int64(generator.uniform(in: 0...50)) }
      let order = try #require(columns(times).orderByTime(), "seed 231")
      #expect(order.sorted() == Array(times.indices))
      for (first, second) in zip(order, order.dropFirst()) {
        #expect(
          times[first] < times[second] || (times[first] == times[second] && first < second),
          "seed 231")
      }
    }
  }

  @Test func columnsAreThoseAskedFor() {
    let columns = RangeColumns(with: [.height, .sigma])
    #expect(columns.quantities == [.sigma, .height])
    #expect(columns[.sigma] == [] && columns[.height] == [] && columns[.rssi] == nil)
    // A literal, because a type has it as a parameter.
    #expect(RangeQuantity.allCases.count == RangeQuantity.count)
  }
}
