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

  /// Files whose columns could be those of the anchors in their order.
  @Test(arguments: [
    "0.0,2.25,3.5,4.5,1.5\n0.1,2.26,3.4,4.7,1.4\n0.2,2.2,3.6,4.6,1.7\n0.3,2.3,3.3,4.8,1.6\n",
    "timestamp,d0,d1,d2,d3\n0.0,2.25,3.5,4.5,1.5\n0.1,2.26,3.4,4.7,1.4\n0.2,2.2,3.6,4.6,1.7\n0.3,2.3,3.3,4.8,1.6\n",
    "timestamp,d0_m,d1_m,d2_m,d3_m\n0.0,2.25,3.5,4.5,1.5\n0.1,2.26,3.4,4.7,1.4\n0.2,2.2,3.6,4.6,1.7\n0.3,2.3,3.3,4.8,1.6\n",
  ])
  func namesAnchorsInTheirOrder(_ text: String) throws {
    var log = LogText(text)
    log.declared = ["A1", "A2", "A3", "A4"]
    let message = reason(log)
    log.options.columns = columns(message)
    #expect(!log.options.columns.isEmpty, "\(message)")
    let file = try log.read()
    #expect(file.anchors.prefix(4) == ["A1", "A2", "A3", "A4"], "\(message)")
    #expect(file.ranges.distance.prefix(4) == [2.25, 3.5, 4.5, 1.5], "\(message)")
    #expect(file.seconds.last == 0.3)
  }

  @Test func namesADistanceWithDecimalCommas() throws {
    var log = LogText("Zeit;Anker;Abstand\n0,0;A;7,137\n0,1;B;6,921\n0,2;A;7,001\n")
    log.declared = ["A", "B"]
    let message = reason(log)
    log.options.columns = columns(message)
    #expect(log.options.columns == ["anchor": "Anker", "distance": "Abstand"], "\(message)")
    #expect(try log.read().ranges.distance == [7.137, 6.921, 7.001])
  }

  @Test func namesTimeDifferences() {
    var log = LogText("t_tdoa,idA,idB,tdoa_meas\n0.1,0,1,-0.5\n0.2,1,2,0.75\n0.3,0,2,-0.25\n")
    log.declared = ["0", "1", "2"]
    #expect(
      reason(log).contains(
        "try --columns time=t_tdoa,anchor_a=idA,anchor_b=idB,difference=tdoa_meas; exchange"),
      "\(reason(log))")
  }

  /// A file for each anchor.
  @Test func joinsFiles() throws {
    let text = "time,distance\n0.1,2.5\n0.2,2.6\n"
    do {
      _ = try RangesReader.read(
        StoredInput(path: "a/range_A1.csv", bytes: Array(text.utf8)), options: RecordingOptions(),
        declared: ["A1", "A2"])
      Issue.record("was read")
    } catch {
      #expect("\(error)".contains("a/range_*.csv > ranges.csv"), "\(error)")
      #expect("\(error)".contains("substr(n, 7, length(n) - 10)"), "\(error)")
    }
  }

  @Test func namesGroupsOfThousands() throws {
    let file = try LogText("time,A0 (mm),A1 (mm)\n0.0,\"7,136.6\",\"1,136.6\"\n").read()
    let reason = file.rejected.first?.reason ?? ""
    #expect(reason.contains("groups of thousands? remove their commas, as in sed"), "\(reason)")
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

  /// Names that nobody can paste are not repeated; found by libFuzzer.
  @Test(arguments: [String(repeating: "gap", count: 60), "gap \u{FFFD}\u{0}\u{FFFD}"])
  func asksForAnotherName(_ name: String) {
    let message = reason(LogText("time,tag,\(name)\n0.5,A,2.25\n0.75,B,3.5\n1.0,A,2.5\n"))
    #expect(message.hasSuffix("try a short name in plain text for column 3"), "\(message)")
    #expect(message.utf8.count < 500)
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
