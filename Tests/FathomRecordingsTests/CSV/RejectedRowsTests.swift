import Testing

@testable import FathomRecordings

@Suite struct RejectedRowsTests {
  private func row(_ line: Int, _ reason: String = "distance_m is not a number: \"x\"")
    -> RejectedRow
  {
    RejectedRow(line: line, column: "distance_m", reason: reason, text: "1,T,A,x")
  }

  /// Nothing is kept beyond the limit, but everything is counted.
  @Test func keepsTheFirstAndCountsAll() {
    var rows = RejectedRows()
    for line in 2...3001 { rows.append(row(line)) }
    #expect(rows.count == RecordingLimits.mostKeptRejected && rows.total == 3000)
    #expect(rows.first?.line == 2 && rows.last?.line == 1001)
    #expect(
      rows.reasons == [
        RejectedRows.Reason(reason: "distance_m is not a number", rows: 3000, firstLine: 2)
      ])
  }

  @Test func joinsPartsInOrder() {
    var (first, second): (RejectedRows, RejectedRows) = ([], [])
    for line in 2...601 { first.append(row(line)) }
    for line in 1...600 {
      second.append(row(line, line == 1 ? "anchor is missing" : "tag is missing"))
    }
    second.advance(byLines: 700)
    first.append(contentsOf: second)
    #expect(first.total == 1200 && first.count == 1000)
    #expect(first.map(\.line).sorted() == first.map(\.line))
    #expect(first.reasons.map(\.rows) == [600, 1, 599])
    #expect(first.reasons.map(\.firstLine) == [2, 701, 702])
  }

  /// A reason that differs in every row would otherwise grow with the file.
  @Test func numberOfReasonsIsBounded() {
    var rows = RejectedRows()
    for line in 1...6000 { rows.append(row(line, "row has \(line) fields, the header has 4")) }
    #expect(rows.reasons.count == 5001 && rows.reasons.last?.reason == "other")
    #expect(rows.reasons.map(\.rows).reduce(0, +) == 6000)
  }

  @Test func packedRowsAreUnchanged() {
    var packed = PackedRejectedRows()
    let rows = [row(3), RejectedRow(line: 9, column: "", reason: "é", text: ""), row(10, "")]
    for row in rows { packed.append(row) }
    #expect(Array(packed) == rows)
    packed.advance(byLines: 5)
    #expect(packed.map(\.line) == [8, 14, 15])
  }
}
