import Testing

@testable import FathomRecordings

/// Two tables in one file.
@Suite struct SecondTableTests {
  /// Returns the message with which reading `text` fails; empty without a failure.
  private func message(_ text: String) -> String {
    do throws(RecordingError) {
      _ = try RangesReader.read(
        StoredInput(path: "walk.csv", bytes: Array(text.utf8)), options: RecordingOptions(),
        declared: [])
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: ["\n", ""]) func saysWhereRangesBegin(_ blank: String) {
    let text =
      "id,x,y,z\nA0,0,0,2\nA1,5,0,2\n\(blank)time,tag,anchor,distance\n0,T,A0,2\n0,T,A1,3\n"
    let line = blank.isEmpty ? 4 : 5
    #expect(
      message(text)
        == "walk.csv:\(line): the file has two tables: anchors from line 1, and ranges from line"
        + " \(line); write each into a file of its own, as in head -n \(line - 1) FILE >"
        + " anchors.csv and tail -n +\(line) FILE > ranges.csv")
  }

  @Test func namesNoSecondTableWithoutOne() {
    #expect(message("id,x,y,z\nA0,0,0,2\nA1,5,0,2\n").contains("the header lacks"))
    #expect(message("id,x,y,z\nnote,a\ntext,b\n").contains("the header lacks"))
    #expect(message("time,tag,anchor,distance\n0,T,A0,2\n\nid,x,y\nA0,0,0\n").isEmpty)
  }
}
