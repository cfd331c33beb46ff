import Fathom
import Testing

@testable import FathomRecordings

@Suite struct RangesTableTests {
  private func columns(_ count: Int) -> RangeColumns {
    var columns = RangeColumns(with: [.sigma, .verticalEstimate, .directionZ])
    for index in 0..<count {
      columns.time.append(Timestamp(nanoseconds: Int64(index)))
      columns.tag.append(Int32(index % 3))
      columns.anchor.append(Int32(index % 5))
      columns.distance.append(Double(index) / 8)
      columns.line.append(index + 2)
      columns[.sigma]?.append(0.5)
      columns[.verticalEstimate]?.append(Double(index % 4))
      columns[.directionZ]?.append(Double(index))
    }
    return columns
  }

  @Test func removingRowsKeepsColumns() {
    var emptied = columns(40)
    let shared = emptied
    emptied.removeAll()
    #expect(emptied == columns(0))
    #expect(emptied[.sigma] == [] && emptied[.directionZ] == [] && emptied[.rssi] == nil)
    // A copy keeps its rows; unshared memory is kept.
    #expect(shared == columns(40))
    var own = columns(40)
    let capacity = own.distance.capacity
    own.removeAll()
    #expect(own.distance.capacity == capacity)
    own.append(contentsOf: shared)
    #expect(own == shared)
  }

  /// Large enough for large pages: only the memory changes.
  @Test func largePagesKeepRows() {
    var large = columns(700)
    large.reserveLargePages(1 << 20)
    #expect(large == columns(700))
    #expect(large.distance.capacity >= 1 << 20 && (large[.directionZ]?.capacity ?? 0) >= 1 << 20)
    large.append(contentsOf: columns(300))
    #expect(large.count == 1000 && large[.directionZ]?[999] == 299)
    let address = large.distance.withUnsafeBufferPointer { $0.baseAddress }
    for _ in 0..<1000 { large.distance.append(7) }
    #expect(large.distance.withUnsafeBufferPointer { $0.baseAddress } == address)
    #expect(large.distance[1999] == 7 && large.distance[699] == 699.0 / 8)
  }
}
