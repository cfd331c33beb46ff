import TestSupport
import Testing

@testable import Fathom

@Suite struct EpochColumnsTests {
  @Test func rowsAndColumnsGiveEqualEpochs() {
    let columns: [[Double]] = [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]
    let fromColumns = EpochColumns(columns: columns)
    let fromRows = EpochColumns(rows: [1, 6, 2, 7, 3, 8, 4, 9, 5, 10], anchorCount: 2)
    #expect(fromColumns.count == 5)
    #expect(fromRows.count == 5)
    for epoch in 0..<5 {
      for anchor in 0..<2 {
        #expect(fromColumns[epoch, anchor] == columns[anchor][epoch])
        #expect(fromRows[epoch, anchor] == columns[anchor][epoch])
      }
    }
  }

  @Test func invalidRangesAreAbsent() {
    let numbers = [
      .nan, .infinity, -.infinity, -1, 0, Double(Float.greatestFiniteMagnitude), 1e-300, 3,
    ]
    let epochs = EpochColumns(columns: [numbers])
    let withZero = EpochColumns(rows: numbers, anchorCount: 1, zeroIsDistance: true)
    for (epoch, number) in numbers.enumerated() {
      #expect(epochs[epoch, 0] == MeasuredDistance.validated(number))
      #expect(withZero[epoch, 0] == MeasuredDistance.validated(number, zeroIsDistance: true))
    }
  }

  @Test func setsSingleRanges() {
    var epochs = EpochColumns(count: 3, anchorCount: 2)
    for epoch in 0..<3 { #expect(epochs[epoch, 1] == nil) }
    epochs[2, 1] = 4
    #expect(epochs[2, 1] == 4)
    #expect(epochs[2, 0] == nil)
    epochs[2, 1] = nil
    #expect(epochs[2, 1] == nil)
    epochs[0, 0] = -2
    #expect(epochs[0, 0] == nil)
  }

  @Test func acceptsEmptyInput() {
    #expect(EpochColumns(columns: []).count == 0)
    #expect(EpochColumns(columns: [[], []]).anchorCount == 2)
    #expect(EpochColumns(rows: [], anchorCount: 3).count == 0)
  }
}
