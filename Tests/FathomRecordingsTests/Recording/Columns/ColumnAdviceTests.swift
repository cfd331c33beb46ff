import Testing

@testable import FathomRecordings

/// A refusal says what to try, and that works.
@Suite struct ColumnAdviceTests {
  private func reason(_ log: LogText) -> String {
    do {
      _ = try log.read()
      return ""
    } catch {
      return "\(error)"
    }
  }

  /// Returns the names of columns behind `--columns` in a message.
  private func columns(_ message: String) -> [String: String] {
    guard let start = message.range(of: "--columns ")?.upperBound else { return [:] }
    let text = message[start...]
    let list = text.first == "'" ? text.dropFirst().prefix { $0 != "'" } : text.prefix { $0 != " " }
    var columns: [String: String] = [:]
    for pair in list.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { columns[parts[0]] = parts[1] }
    }
    return columns
  }

  @Test(arguments: [
    "when,who,metres off,battery\n0.5,A,2.25,90\n0.75,B,3.5,90\n1.0,A,2.5,90\n",
    "clk;station id;laenge;x1\n0.5;A;2.25;ok\n0.75;B;3.5;ok\n1.0;A;2.5;ok\n",
    "0.5,A,2.25\n0.75,B,3.5\n1.0,A,2.5\n",
    "zeit\tpeer_name\tmy range\n0.5\tA\t2.25\n0.75\tB\t3.5\n1.0\tA\t2.5\n",
  ])
  func namesColumnsThatWork(_ text: String) throws {
    var log = LogText(text)
    let message = reason(log)
    log.options.columns = columns(message)
    #expect(!log.options.columns.isEmpty, "\(message)")
    let file = try log.read()
    #expect(file.ranges.distance == [2.25, 3.5, 2.5], "\(message)")
    #expect(file.seconds == [0.5, 0.75, 1] && file.anchors == ["A", "B", "A"], "\(message)")
  }

  @Test func showsFirstValues() {
    let message = reason(LogText("when,who,gap\n0.5,A,2.25\n0.75,B,3.5\n1.0,A,2.5\n"))
    #expect(message.contains("\"gap\" 2.25, 3.5"), "\(message)")
  }

  @Test func namesTheColumnOfAnchors() throws {
    var log = LogText("time,sender unit,distance\n0.5,P,2.25\n0.75,Q,3.5\n1,P,2.5\n")
    log.declared = ["A", "B"]
    #expect(reason(log).contains("--columns 'anchor=sender unit'"), "\(reason(log))")
  }

  /// The first row has the name of a declared anchor, but is no header of columns by anchors.
  @Test func namesTheColumnsOfRowsWithoutHeader() {
    var log = LogText("0.5,T,A,2.25\n0.75,T,B,3.5\n1.0,T,A,2.5\n")
    log.declared = ["A", "B"]
    let message = reason(log)
    #expect(message.contains("--columns 1=time,"), "\(message)")
    #expect(message.contains("3=anchor,4=distance"), "\(message)")
  }

  @Test func recognisesTimesOfArrival() {
    let text =
      "ping,ST1,ST2,ST3\n0,1.25,1.26,1.245\n1,11.25,11.26,11.245\n2,21.25,21.261,21.245\n"
    #expect(
      reason(LogText(text)).contains("look like times of arrival"), "\(reason(LogText(text)))")
  }

  @Test func recognisesListsInCells() {
    let message = reason(LogText("time;values\n0;[1.2, 3.4]\n1;[1.3, 3.5]\n"))
    #expect(message.contains("column \"values\" has lists in its cells"), "\(message)")
  }

  @Test(arguments: [
    ("PK\u{3}\u{4}rest of the archive", "zip archive"), ("SQLite format 3\u{0}rest", "SQLite"),
    ("#ROSBAG V2.0\nrest of it\n", "ROS bag"), ("PAR1 rest of the file", "Parquet"),
  ])
  func namesOtherKindsOfFiles(_ text: String, _ kind: String) {
    #expect(reason(LogText(text)).contains("this is a"), "\(reason(LogText(text)))")
    #expect(reason(LogText(text)).contains(kind))
  }
}
