import Fathom
import FathomEvaluation
import Testing

@testable import FathomRecordings

/// Comments before the first row, of which one can name the columns.
@Suite struct CSVLeadInTests {
  private func header(_ text: String, _ delimiter: Delimiter = .comma) -> String? {
    let bytes = Array(text.utf8)
    guard
      let found = CSVLeadIn(bytes, delimiter: delimiter.byte, upTo: bytes.count, isLast: true),
      found.headerLine >= 0
    else { return nil }
    return String(decoding: bytes[found.header...].prefix { $0 >= 0x20 || $0 == 9 }, as: UTF8.self)
  }

  @Test(arguments: [
    ("# time,bssid,distance_mm\n0.1,90:ca:fa,123\n", "time,bssid,distance_mm"),
    (
      "# Pixel 6, log\n# fields: timestampNanos,mac,distanceMm\n\n0,a,1\n",
      "timestampNanos,mac,distanceMm"
    ),
    (
      "// note\n// elapsedRealtimeNanos, BSSID, distanceMm\n1, b, 2\n",
      "elapsedRealtimeNanos, BSSID, distanceMm"
    ),
    ("% time,anchor,range\r\n0.1,b,2\r\n", "time,anchor,range"),
    ("## id,x,y,z\nA,0,0,2\n", "id,x,y,z"),
    ("# date,anchor,range\n2024-05-01T10:00:00,A,2\n", "date,anchor,range"),
    // The first row is cut.
    ("# time,b,d\n0.1,aa\n0.2,bb,3\n", "time,b,d"),
  ])
  func findsTheHeader(_ text: String, _ expected: String) {
    #expect(header(text) == expected)
  }

  @Test(arguments: [
    // A header below, ROS, other comments, another number of cells, words, no rows.
    "// logger v1\ntime,bssid,distance\n1,b,2\n", "%time,field.range\n1,2\n",
    "# room, time, who\ntime,1,2\n0.1,3,4\n", "# Node, x position, y position\nA,0,0\n",
    "# time, anchor\n1,A,2\n", "# a time\n1,2\n", "# time,anchor\nsoon,A\n", "# time,range\n", "",
    "#", "//",
    "time,range\n1,2\n",
  ])
  func leavesOtherText(_ text: String) { #expect(header(text) == nil) }

  @Test func findsTheHeaderWithOtherDelimiters() {
    #expect(header("sep=;\n# time;b;d\n0,1;aa;2,5\n", .semicolon) == "time;b;d")
    #expect(header("# time bssid distance\n0.1   aa 2.5\n", .blank) == "time bssid distance")
    #expect(header("# time\tb\trange\n1\taa\t2.5\n", .tab) == "time\tb\trange")
  }

  // MARK: Titles

  @Test(arguments: [
    "Hall 3,,\nOperator: J. Doe,,\n,,\ntime,anchor,range\n0.1,A,2.5\n",
    "\"Hall 3\"\n\n\"time\";\"A0 [m]\";\"A1 [m]\"\n0,1;2,5;3,5\n",
    "rst:0x1 (POWERON_RESET),boot:0x13\nready\nmillis,anchor,dist_cm\n12,A,250\n",
    "Capture,2026-06-11 10:00:00,Units,mm\ntime,x,y,z\n[s],[mm],[mm],[mm]\n0.1,1,2,3\n",
    "Walk of Anna\nTime\tAnchor\tRange\r\n10:00:01\tA\t2.5\r\n",
  ])
  func findsTheHeaderBelowTitles(_ text: String) {
    var scanner = CSVScanner(Array(text.utf8), delimiter: .comma)
    let line = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
      $0.lowercased().contains("anchor") || $0.contains("x,y,z") || $0.contains("A0")
    }
    #expect(scanner.next() && scanner.line == (line ?? 0) + 1 && scanner.hasTitle)
  }

  @Test(arguments: [
    // The header below this title is a comment.
    "Log of Monday\n# t,anchor,range\n0.1,A,2.5\n",
    // A header without a known name, another table, no rows, pairs, no numbers below the names.
    "Zone,Who\n1,A\n2,time\n", "name;px;py\nA;0;0\nB;4;0\ntime;anchor;range\n1;A;2\n",
    "Hall 3\ntime,anchor,range\n", "Log\ntime: 1, anchor: A, range: 2\n",
    "Log\ntime,anchor,range\nsoon,A,far\n", "time,anchor,range\n1,A,2\ntime,anchor,range\n2,A,3\n",
    "0.1,A,2.5\ntime,anchor,range\n0.2,A,2.5\n",
  ])
  func leavesOtherTextWithoutTitle(_ text: String) {
    var scanner = CSVScanner(Array(text.utf8), delimiter: .comma)
    #expect(scanner.next() && scanner.line == 1 && !scanner.hasTitle)
  }

  @Test func readsRangesBelowTitles() throws {
    let file = try LogText("Hall 3,,\n,,\ntime,anchor,range\n0.5,A,2.5\n0.75,B,3.5\n").read()
    #expect(file.ranges.distance == [2.5, 3.5] && file.ranges.line == [4, 5])
    #expect(
      file.layout.notes.first == "the header is in line 3: the lines before it are not read")
  }

  @Test func countsLinesAndComments() {
    var scanner = CSVScanner(
      Array("// a\n# time,range\n// b\n\n1,2\n# c\n3,4\n".utf8), delimiter: .comma)
    var rows: [(line: Int, text: String)] = []
    while scanner.next() {
      rows.append((scanner.line, String(decoding: scanner.bytes[scanner.row], as: UTF8.self)))
    }
    #expect(rows.map(\.line) == [2, 5, 7])
    #expect(rows.map(\.text) == ["time,range", "1,2", "3,4"])
    #expect(scanner.commentLines == 3)
  }

  // MARK: Recordings

  private let walk: SimulatedWalk = {
    var walk = SimulatedWalk()
    walk.names = [
      "90:ca:fa:8b:13:b4", "24:e5:0f:2c:ff:15", "24:e5:0f:2d:13:79", "90:ca:fa:8b:26:29",
    ]
    return walk
  }()

  /// Tables of Wi-Fi RTT as apps for Android write them, to positions.
  @Test func findsPositions() throws {
    let names = walk.names
    func nanoseconds(_ range: SimulatedWalk.Range) -> Int {
      100_000_000_000_000 + 1_000_000 * range.milliseconds
    }
    let texts = [
      "# time,bssid,distance_mm,std_dev_mm,rssi\n"
        + walk.lines { "\($0.seconds),\(names[$0.anchor]),\($0.millimetres),55,-60" },
      "# Wi-Fi RTT, Pixel 6\n# fields: timestampNanos,macAddress,distanceMm,distanceStdDevMm,rssi\n"
        + walk.lines { "\(nanoseconds($0)),\(names[$0.anchor]),\($0.millimetres),55,-60" },
      "// app 1.2\n// elapsedRealtimeNanos,BSSID,distanceMm,rssi\n"
        + walk.lines { "\(nanoseconds($0)),\(names[$0.anchor]),\($0.millimetres),-60" },
      "% app 1.2\n% time; anchor; distance\n"
        + walk.lines { "\($0.seconds); \(names[$0.anchor]); \($0.distance)" }
        .replacing(".", with: ","),
      "// app 1.2\n\nrangingTimestampMillis,BSSID,distanceMm\n"
        + walk.lines { "\(5_000_000 + $0.milliseconds),\(names[$0.anchor]),\($0.millimetres)" },
    ]
    for text in texts {
      let recording = try #require(
        try walk.expectPositions(text, file: "rtt.csv", .csv), "\(text.prefix(60))")
      #expect(recording.anchorNames == names)
    }
  }

  /// Columns that the caller gives by number hold for all rows; the comment stays one.
  @Test func columnsByNumberPrecede() throws {
    let names = walk.names
    var options = RecordingOptions()
    options.columns = ["1": "time", "2": "anchor", "3": "distance"]
    try walk.expectPositions(
      "# time,range,anchor\n" + walk.lines { "\($0.seconds),\(names[$0.anchor]),\($0.distance)" },
      file: "rtt.csv", options: options)
  }

  @Test func anchorsMayHaveTheirHeaderInAComment() throws {
    let text = "# surveyed 2024\n# name, x [cm], y [cm], z [cm]\nA,0,0,250\nB,800,0,220\n"
    let declared = try AnchorsReader.read(
      ByteSource(path: "anchors.csv", stored: Array(text.utf8)), options: RecordingOptions())
    #expect(declared.names == ["A", "B"])
    #expect(declared.anchors.last?.position == Vector([8, 0, 2.2]))
  }

  /// Blocks of any size and a stream give the same rows.
  @Test func blocksGiveTheSameRows() throws {
    let names = walk.names
    let text =
      "// app\n# time,bssid,distance\n"
      + walk.lines { "\($0.seconds),\(names[$0.anchor]),\($0.distance)" }
    let whole = try LogText(text).read()
    #expect(whole.ranges.count == 4 * walk.rounds && whole.ranges.line.first == 3)
    try LogText(text).expectPartsToGive(whole.ranges.distance, .csv)
    let bytes = Array(text.utf8)
    try expectDamageIsAccountedFor(Array(bytes.prefix(2000)), .csv)
  }
}
