import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct TimeDifferencesReaderTests {
  private func read(
    _ text: String, declared: [String] = [], options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> RecordedDifferences {
    try TimeDifferencesReader.read(
      ByteSource(path: "tdoa.csv", stored: Array(text.utf8)), declared: declared, options: options)
  }

  @Test func findsColumnsByName() throws {
    let file = try read(
      "Difference [cm],anchor_b,anchor_a,t,tag,extra\n-125,A,B,1.5,walker,x\n0,A,C,1.5,,x\n",
      declared: ["A", "B", "C"])
    #expect(file.rows.count == 1)
    let row = try #require(file.rows.first)
    #expect(row.difference == -1.25 && row.first == 1 && row.second == 0 && row.line == 2)
    #expect(row.time == Timestamp(nanoseconds: 1_500_000_000))
    #expect(file.tagNames == ["walker"] && file.anchorNames == ["A", "B", "C"])
    #expect(file.notes == ["ignored columns: \"extra\""])
    #expect(file.rejected.map(\.reason) == ["tag is missing"])
  }

  @Test func rejectsInvalidRows() throws {
    let file = try read(
      "time_s,anchor_a,anchor_b,difference_m\n0,A,B,0\n1,A,A,2\n2,A,,1\n3,A,B,nan\n4,A,B\n"
        + "x,A,B,1\n5,A,B,1e999\n6,B,A,-3\n")
    #expect(file.rows.map(\.difference) == [0, -3])
    #expect(file.rowsRead == 8 && file.tagNames == ["0"])
    #expect(file.rejected.map(\.line) == [3, 4, 5, 6, 7, 8])
    #expect(
      file.rejected.map(\.reason) == [
        "both anchors are \"A\"", "anchor_b is missing", "difference_m is not a number: \"nan\"",
        "row has 3 fields, the header has 4", "time_s is not a number: \"x\"",
        "difference_m is not a finite number: \"1e999\"",
      ])
  }

  @Test func rejectedRowsAddNoNames() throws {
    let file = try read("time_s,anchor_a,anchor_b,difference_m\n0,Z,Y,none\n1,A,B,1\n")
    #expect(file.anchorNames == ["A", "B"])
  }

  @Test func undeclaredAnchorsThrow() throws {
    #expect(
      throws: RecordingError.badData(
        path: "tdoa.csv", line: 2,
        reason: "no difference is left: 2 rows name anchors that are not declared: \"Z\", \"Y\";"
          + " declared: \"A\", \"B\"")
    ) {
      try read(
        "time_s,anchor_a,anchor_b,difference_m\n1,A,Z,1\n2,Y,A,1\n", declared: ["A", "B"])
    }
    let rest = try read(
      "time_s,anchor_a,anchor_b,difference_m\n0,A,B,1\n1,A,Z,1\n", declared: ["A", "B"])
    #expect(rest.rows.count == 1 && rest.rejected.total == 1)
    #expect(throws: RecordingError.self) { try read("") }
    #expect(throws: RecordingError.self) { try read("time_s,anchor_a,difference_m\n0,A,1\n") }
  }

  @Test func usesGivenSeparatorAndColumnNames() throws {
    var options = RecordingOptions()
    options.decimalSeparator = .comma
    options.columns = ["difference": "DDoA"]
    let file = try read("time;anchor_a;anchor_b;DDoA\n0,5;A;B;1,25\n", options: options)
    #expect(file.rows.map(\.difference) == [1.25])
  }

  @Test func epochEndsWhenPairRepeats() throws {
    let file = try read(
      "time_s,tag,anchor_a,anchor_b,difference_m\n0,a,B,A,1\n0.1,a,C,A,1\n0.15,b,B,A,1\n"
        + "0.2,a,C,B,1\n0.3,a,A,B,-1\n0.4,a,C,A,1\n1.6,a,C,B,1\n")
    let epochs = file.epochs(window: 1)
    // Row indices: 0, 1 and 3 of tag a form a round; A:B is B:A reversed; 1.3 s exceeds the window.
    #expect(epochs.map(\.rows) == [[2], [0, 1, 3], [4, 5], [6]])
    #expect(epochs.map(\.tag) == [1, 0, 0, 0])
    #expect(epochs[1].time == Timestamp(nanoseconds: 200_000_000))
    #expect(file.epochs(window: 0).count == 7)
  }
}
