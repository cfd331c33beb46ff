import Testing

@testable import FathomRecordings

/// Names of columns as people and programs write them.
@Suite struct EverydayColumnsTests {
  @Test(arguments: [
    "time,anchor_id,uwb_range", "ts,responder,dist", "t,beacon,rtt_distance_m",
    "Time,AnchorID,Range",
    "timestamp,bssid,distanceM", "%time,field.anchor_id,field.range", "time,msg/peer,msg/distance",
    "stamp,anchorName,range_raw", "elapsed,AP MAC,Distance (meters)",
  ])
  func findsColumnsByUsualNames(_ header: String) throws {
    let file = try LogText("\(header)\n0.5,A,2.5\n0.75,B,3.5\n").read()
    #expect(file.anchors == ["A", "B"])
    #expect(file.ranges.distance == [2.5, 3.5] && file.seconds == [0.5, 0.75])
  }

  @Test(arguments: [
    ("distance_cm", 100.0), ("rtt_distance_mm", 1000), ("distanceMm", 1000),
    ("range [cm]", 100), ("dist_millimeters", 1000),
  ])
  func findsUnitsInUsualNames(_ name: String, _ perMetre: Double) throws {
    let file = try LogText("time,anchor,\(name)\n0,A,\(2.5 * perMetre)\n").read()
    #expect(file.ranges.distance == [2.5])
  }

  /// A name by its own words precedes the last word of a path.
  @Test func prefersPlainNamesToPaths() throws {
    let file = try LogText("field.header.stamp,time,debug.range,range,anchor\n9,0.5,7,2.5,A\n")
      .read()
    #expect(file.seconds == [0.5] && file.ranges.distance == [2.5])
  }

  @Test func notesGuesses() throws {
    let file = try LogText("t,range_raw,UWB_ID1,UWB_ID2\n0.5,2.5,0,1\n0.75,3.5,0,2\n").read()
    #expect(file.tags == ["0", "0"] && file.anchors == ["1", "2"])
    #expect(
      file.layout.notes.prefix(2) == [
        "column UWB_ID1 is read as the tag (--columns states another)",
        "column UWB_ID2 is read as the anchor (--columns states another)",
      ])
  }

  @Test(arguments: [
    "ranging.distance0,ranging.distance1,stateEstimate.x", "uwb_range_0,uwb_range_1,battery",
    "raw_dist_0,raw_dist_1,q",
  ])
  func findsColumnsOfAnchorsBehindWords(_ names: String) throws {
    let file = try LogText("time,\(names)\n0.5,2.5,3.5,1\n0.75,2.6,3.6,1\n").read()
    #expect(file.anchors == ["0", "1", "0", "1"] && file.ranges.distance == [2.5, 3.5, 2.6, 3.6])
  }

  // MARK: Times

  @Test func readsDaysOfSpreadsheets() throws {
    // 46 184 days after the end of 1899 is 2026-06-11, 20 615 days after 1970.
    let rows = (0..<20).map { "\(46_184 + Double(36_000 + $0) / 86_400),A,2.5\n" }.joined()
    let file = try LogText("time,anchor,distance\n" + rows).read()
    #expect(file.ranges.count == 20)
    #expect(abs((file.seconds.first ?? 0) - 1_781_172_000) < 1e-3)
    #expect(abs((file.seconds.last ?? 0) - 1_781_172_019) < 1e-3)
    #expect(
      file.layout.notes.first == "column time is read as the days since 1900 of a spreadsheet")
    // Seconds since the start of a device.
    let seconds = (0..<20).map { "\(46_184.25 + 0.01 * Double($0)),A,2.5\n" }.joined()
    #expect(try LogText("time,anchor,distance\n" + seconds).read().seconds.first == 46_184.25)
  }

  @Test func readsTicksByTheirValues() throws {
    func file(_ name: String, _ first: Int) throws -> ParsedRanges {
      // 0.1 s are 6 389 760 000 ticks.
      let rows = (0..<40).map { "\((first + 6_389_760_000 * $0) % (1 << 40)),A,2.5\n" }
      return try LogText("\(name),anchor,distance\n" + rows.joined()).read()
    }
    for (name, first) in [
      ("rx_timestamp", 200_000_000_000), ("timestamp", (1 << 40) - 50_000_000_000),
    ] {
      let file = try file(name, first)
      let seconds = file.seconds
      #expect(abs((seconds.last ?? 0) - (seconds.first ?? 0) - 3.9) < 1e-6, "\(name)")
    }
    // Nanoseconds or ticks.
    let open = try file("timestamp", 200_000_000_000)
    #expect(open.layout.times == .none)
    #expect(
      open.layout.notes.contains { $0.contains("try --time-unit ns or --time-unit ticks") })
  }

  // MARK: Anchors by content

  @Test func findsTheColumnOfDeclaredAnchors() throws {
    var log = LogText("time,Transmitter,Channel,distance\n0.5,aa:01,5,2.5\n0.75,aa:02,5,3.5\n")
    log.declared = ["aa:01", "aa:02"]
    let file = try log.read()
    #expect(file.anchors == ["aa:01", "aa:02"])
    #expect(
      file.layout.notes.first?.hasPrefix("column Transmitter is the anchor: its values") == true)
  }

  @Test func exchangesGuessesThatContradictTheAnchors() throws {
    var log = LogText("time,id1,id2,distance\n0.5,A,7,2.5\n0.75,B,7,3.5\n")
    log.declared = ["A", "B"]
    let file = try log.read()
    #expect(file.anchors == ["A", "B"] && file.tags == ["7", "7"])
  }

  @Test func keepsStatedAndAmbiguousColumns() throws {
    var log = LogText("time,first,second,distance\n0.5,A,B,2.5\n0.75,B,A,3.5\n")
    log.declared = ["A", "B"]
    #expect(throws: RecordingError.self) { try log.read() }
    log.options.columns = ["anchor": "second"]
    #expect(try log.read().anchors == ["B", "A"])
  }

  // MARK: One row per epoch

  @Test(arguments: [
    "anchor1_distance,anchor2_distance", "uwb1,uwb2", "A1[m],A2[m]",
    "anchor1Distance,anchor2Distance",
    "dist_to_A1,dist_to_A2", "range[1],range[2]", "field.ranges1,field.ranges2", "d1,d2",
    "distanceA1,distanceA2", "A1_range_m,A2_range_m",
  ])
  func findsColumnsOfAnchors(_ columns: String) throws {
    var log = LogText("time,\(columns)\n0.5,2.5,3.5\n0.75,2.75,3.75\n")
    #expect(try log.read().ranges.distance == [2.5, 3.5, 2.75, 3.75])
    log.declared = ["1", "2"]
    #expect(try log.read().anchors == ["1", "2", "1", "2"])
  }

  @Test func numbersColumnsAsDeclared() throws {
    var log = LogText("time,uwb1,uwb2\n0.5,2.5,3.5\n")
    log.declared = ["North2", "South1"]
    let file = try log.read()
    #expect(file.anchors == ["South1", "North2"])
    #expect(
      file.layout.notes.contains("columns are anchors by their numbers: \"uwb1\" is \"South1\""))
  }

  // MARK: Separators and punctuation

  @Test func spreadsheetsStateTheSeparator() throws {
    for end in ["\n", "\r\n"] {
      let text = ["sep=;", "time;anchor;distance", "0,5;A;2,25", "0,75;B;3,5"].joined(
        separator: end)
      let file = try LogText(text + end).read()
      #expect(file.anchors == ["A", "B"] && file.ranges.distance == [2.25, 3.5])
      #expect(file.ranges.line == [3, 4] && file.commentLines == 1)
    }
    #expect(try LogText("sep=\t\ntime\tanchor\tdistance\n0\tA,1\t2.5\n").read().anchors == ["A,1"])
  }

  @Test func readsNamesWithThePunctuationOfLogs() throws {
    var log = LogText(
      "time;anchor;distance\n0;UwbAddress{0x0600};2.5\n1;0x0601,;Optional(3.5)\n2;[0x0602];1\n")
    log.declared = ["0x0600", "0x0601"]
    let file = try log.read()
    #expect(file.anchors == ["0x0600", "0x0601"] && file.ranges.distance == [2.5, 3.5])
    #expect(file.logNotes.first?.hasSuffix("\"0x0601,\" is \"0x0601\"") == true)
    #expect(file.rejected.map(\.line) == [4])
  }

  @Test(arguments: [
    ("1A,", "1A"), ("UwbAddress{0x0600}", "0x0600"), ("Optional(1.2)", "1.2"), ("\"A\":", "A"),
    ("<A>", "A"), ("A", "A"), (",", ","), ("1(2)", "1(2)"), ("()", "()"),
  ])
  func removesPunctuation(_ text: String, _ content: String) {
    #expect(
      String(decoding: LoggedName.content(of: Array(text.utf8)[...]), as: UTF8.self) == content)
  }
}
