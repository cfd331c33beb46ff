import Fathom
import FathomEvaluation
import Testing

@testable import FathomRecordings

@Suite struct RangesReaderTests {
  private func read(
    _ text: String, declared: [String] = [], _ change: (inout RecordingOptions) -> Void = { _ in }
  ) throws -> ParsedRanges {
    var options = RecordingOptions()
    change(&options)
    let source = StoredInput(path: "walk.csv", bytes: Array(text.utf8))
    let file = try RangesReader.read(source, options: options, declared: declared)
    #expect(file.rowsRead == file.ranges.count + file.events.count + file.rejected.count)
    return file
  }

  private func reason(
    _ text: String, declared: [String] = [], _ change: (inout RecordingOptions) -> Void = { _ in }
  ) -> String? {
    do {
      _ = try read(text, declared: declared, change)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: Columns

  @Test func readsRowsIntoColumns() throws {
    let file = try read(
      """
      time_s,tag,anchor,distance_m
      1698765432.123456789,T,A,2.5

      # a comment
      1698765432.2,T,"B, the 2nd",3.25
      1698765432.3,U,A,2.75
      """)
    let ranges = file.ranges
    #expect(
      ranges.time.map(\.nanoseconds) == [
        1_698_765_432_123_456_789, 1_698_765_432_200_000_000, 1_698_765_432_300_000_000,
      ])
    #expect(ranges.tag == [0, 0, 1])
    #expect(ranges.anchor == [0, 1, 0])
    #expect(ranges.distance == [2.5, 3.25, 2.75])
    #expect(ranges.line == [2, 5, 6])
    #expect(file.tagNames == ["T", "U"])
    #expect(file.anchorNames == ["A", "B, the 2nd"])
    #expect(ranges[.sigma] == nil && ranges[.directionX] == nil && ranges[.nonLineOfSight] == nil)
    #expect(file.commentLines == 1)
  }

  @Test(arguments: [
    "t,dist,peer", "Time,Range,Accessory", "TIMESTAMP,Distance_M,Anchor-ID",
    "time (s),dist[m],PEER ID",
    "timestamp [s],range_m,anchor",
  ])
  func acceptsAlternativeColumnNames(_ header: String) throws {
    let file = try read("\(header)\n1,2.5,A\n")
    #expect(file.ranges.time == [Timestamp(nanoseconds: 1_000_000_000)])
    #expect(file.ranges.distance == [2.5])
    #expect(file.anchorNames == ["A"])
    #expect(file.layout.notes.isEmpty)
  }

  @Test(
    arguments: [
      ("time_ms,distance_cm", 1_500_000, 0.025), ("Time [us],Distance [mm]", 1_500, 0.0025),
      ("t_ns,range(m)", 2, 2.5), ("timestamp[µs],dist_m", 1_500, 2.5),
    ] as [(String, Int64, Double)])
  func usesUnitsInColumnNames(_ header: String, _ nanoseconds: Int64, _ distance: Double) throws {
    let file = try read("\(header)\n1.5,2.5\n")
    #expect(file.ranges.time.map(\.nanoseconds) == [nanoseconds])
    #expect(file.ranges.distance == [distance])
  }

  @Test func callersUnitsTakePrecedence() throws {
    let text = "time_s,distance,sigma,azimuth_deg\n1500,231,5,90\n"
    let file = try read(text) {
      $0.timeUnit = .milliseconds
      $0.distanceUnit = .centimetres
      $0.angleUnit = .radiansTimes90
    }
    #expect(file.ranges.time.map(\.nanoseconds) == [1_500_000_000])
    #expect(file.ranges.distance == [2.31])
    // A sigma without a unit of its own has the unit of the distance.
    #expect(file.ranges[.sigma] == [0.05])
    #expect(file.ranges[.azimuth] == [1])
    #expect(
      file.layout.notes == [
        "column time_s is read in ms, as requested",
        "column azimuth_deg is read in rad90, as requested",
      ])
    #expect(try read(text).ranges[.azimuth] == [.pi / 2])
  }

  @Test func usesGivenColumnNames() throws {
    let text = "Timestamp,When,Dist[cm],Value\n1,2,300,4\n"
    let file = try read(text) { $0.columns = ["time": "when", "distance": "Dist[cm]"] }
    #expect(file.ranges.time.map(\.nanoseconds) == [2_000_000_000])
    #expect(file.ranges.distance == [3])
    #expect(file.layout.header.ignored == ["Timestamp", "Value"])
    #expect(
      reason(text) { $0.columns = ["distance": "Dist"] }?.contains("no column is called \"Dist\"")
        == true)
    #expect(
      reason(text) { $0.columns = ["speed": "Value"] }?.contains("unknown column \"speed\"")
        == true)
  }

  @Test func ignoresUnnamedColumns() throws {
    let file = try read(",time,distance,\n0,1,2,\n1,2,3,4\n")
    #expect(file.ranges.distance == [2, 3])
    #expect(file.layout.notes == ["ignored columns: \"\", \"\""])
  }

  @Test func rejectsColumnAssignedTwice() {
    let text = "When,Value\n1,2\n"
    for columns in [["time": "When", "t": "Value"], ["time": "When", "distance": "When"]] {
      #expect(reason(text) { $0.columns = columns }?.contains("is assigned twice") == true)
    }
  }

  @Test func ownNameTakesPrecedence() throws {
    let file = try read("range,t,time,distance_m\n1,2,3,4\n")
    #expect(file.ranges.distance == [4])
    #expect(file.ranges.time.map(\.nanoseconds) == [3_000_000_000])
    #expect(file.layout.notes == ["ignored columns: \"range\", \"t\""])
  }

  @Test(arguments: [
    ("", "the file is empty"), ("\n \r\n", "the file has no header"),
    ("# only a comment\n", "the file has no header"),
    ("timestamp,anchor\n1,A\n", "walk.csv:1: the header lacks distance_m"),
    ("1.0,A,2.5\n2.0,A,2.5\n", "walk.csv:1: the first row is not a header"),
    ("time,distanse\n", "is \"distanse\" the distance?"),
    ("\n\ntime,distance,Time\n", "walk.csv:3: two columns are called \"Time\": 1 and 3"),
    ("time,\"distance\n1,2\n", "walk.csv:1: the header's quotes do not match"),
    ("time,distance_ft\n", "lacks distance_m"),
  ])
  func unusableHeaderThrows(_ text: String, _ expected: String) throws {
    let message = try #require(reason(text))
    #expect(message.contains(expected), "\(message)")
  }

  @Test func tagAndAnchorColumnsAreOptional() throws {
    let file = try read("time,distance\n1,2\n")
    #expect(file.tagNames == ["0"])
    #expect(file.anchorNames == ["0"])
    let one = try read("time,distance\n1,2\n", declared: ["hall"])
    #expect(one.anchorNames == ["hall"])
    #expect(one.ranges.anchor == [0])
    #expect(
      reason("time,distance\n1,2\n", declared: ["A", "B"])?.contains("2 anchors are declared")
        == true)
  }

  @Test func declaredAnchorsComeFirst() throws {
    let file = try read("time,anchor,distance\n1,B,2\n2,A,2\n", declared: ["A", "B", "C"])
    #expect(file.anchorNames == ["A", "B", "C"])
    #expect(file.ranges.anchor == [1, 0])
    let text = "time,anchor,distance\n2,X,oops\n3,X,2\n4,Y,2\n"
    #expect(
      reason(text, declared: ["A"])
        == "walk.csv:3: no range is left: 2 rows name anchors that are not declared: \"X\", \"Y\";"
        + " declared: \"A\"")
    let rest = try read(text + "5,A,2\n", declared: ["A"])
    #expect(rest.ranges.count == 1 && rest.rejected.total == 3 && rest.anchorNames == ["A"])
    #expect(rest.undeclared?.hasPrefix("2 rows name anchors") == true)
  }

  @Test func ambiguousDecimalCommaRequiresOption() throws {
    // 2,310 could be a group of thousands.
    let text = "time;distance\n1;2,310\n"
    let file = try read(text) { $0.decimalSeparator = .comma }
    #expect(file.ranges.distance == [2.31])
    #expect(
      try read(text).rejected.map(\.reason) == [
        "distance is not a number: \"2,310\" (decimal comma? try --decimal ,)"
      ])
    // The comma of the times is that of the distances.
    #expect(try read("time;distance\n1,5;2,310\n").ranges.distance == [2.31])
    #expect(
      try read("time;distance\n1;2.31\n") { $0.decimalSeparator = .comma }.rejected.map(\.reason)
        == [
          "distance is not a number: \"2.31\" (decimal point? try --decimal .)"
        ])
  }

  // MARK: Rejected rows

  @Test(arguments: [
    (
      "1,T,A,\"2,31\"", "distance_m",
      "distance_m is not a number: \"2,31\" (decimal comma? try --decimal ,)"
    ),
    ("1,T,A,-0.3", "distance_m", "distance_m is negative: -0.3"),
    (
      "1,T,A,0", "distance_m",
      "distance_m is zero: 0 (most devices write zero for a failed measurement)"
    ),
    ("1,T,A,nan", "distance_m", "distance_m is not a finite number: \"nan\""),
    ("1,T,A,-Infinity", "distance_m", "distance_m is not a finite number: \"-Infinity\""),
    ("1,T,A,NA", "distance_m", "distance_m is missing: \"NA\""),
    ("1,T,A,", "distance_m", "distance_m is missing"),
    ("1,T,A,1e400", "distance_m", "distance_m is out of range: 1e400"),
    (
      "1,T,A,3.4028235e38", "distance_m",
      "distance_m is a sentinel for a failed measurement: 3.4028235e38"
    ),
    ("1,T,A,2.5m", "distance_m", "distance_m is not a number: \"2.5m\""),
    (",T,A,2", "time_s", "time_s is missing"),
    ("1e12,T,A,2", "time_s", "time_s is out of range: 1e12 (in ms? try --time-unit ms)"),
    (
      "1698765432123456,T,A,2", "time_s",
      "time_s is out of range: 1698765432123456 (in us? try --time-unit us)"
    ),
    ("1e99,T,A,2", "time_s", "time_s is out of range: 1e99"),
    (
      "12:30,T,A,2", "time_s",
      "time_s is not a number: \"12:30\" (a time of day has seconds: 12:30:00)"
    ),
    ("1,,A,2", "tag", "tag is missing"),
    ("1,T,\"\",2", "anchor", "anchor is missing"),
    ("1,T,A\u{0}B,2", "anchor", "anchor contains a NUL byte: \"A\\u{0}B\""),
    ("1,T,2", "", "row has 3 fields, the header has 4"),
    ("1", "", "row has 1 field, the header has 4"),
    ("1,T,A,2,", "", "row has 5 fields, the header has 4"),
    ("1,T,\"A\"B,2", "", "text follows a closing quote"),
    (
      "1,T,\"A,2", "",
      "a quote is not closed: the row ends with its line, and line 3 is parsed separately"
    ),
  ])
  func rejectsInvalidRowsWithReason(_ row: String, _ column: String, _ reason: String) throws {
    let file = try read("time_s,tag,anchor,distance_m\n\(row)\n2,U,B,3\n")
    let shown = row.replacing("\u{0}", with: "\\u{0}")
    #expect(file.rejected == [RejectedRow(line: 2, column: column, reason: reason, text: shown)])
    // The row adds no names, and the next one is read.
    #expect(file.tagNames == ["U"])
    #expect(file.anchorNames == ["B"])
    #expect(file.ranges.line == [3])
  }

  @Test func rejectsInvalidUTF8() throws {
    let bytes = Array("time,anchor,distance\n1,Caf".utf8) + [0xE9] + Array(",2\n2,Café,2\n".utf8)
    let source = StoredInput(path: "walk.csv", bytes: bytes)
    let file = try RangesReader.read(source, options: RecordingOptions(), declared: [])
    #expect(file.rejected.map(\.reason) == ["anchor is not valid UTF-8: \"Caf\\xE9\""])
    #expect(file.rejected.map(\.text) == ["1,Caf\\xE9,2"])
    #expect(file.anchorNames == ["Café"])
  }

  @Test func shortensLongText() throws {
    let long = String(repeating: "é", count: 1000)
    let file = try read("time,anchor,distance\n1,\(long),2\n2,A,\(long)\n")
    #expect(file.rejected.map(\.reason).first == "anchor is longer than 255 bytes")
    for row in file.rejected {
      #expect(row.text.utf8.count <= 210)
      #expect(row.text.hasSuffix("é…"))
      #expect(row.reason.utf8.count < 100)
    }
  }

  @Test func zeroIsDistanceOnRequest() throws {
    let file = try read("time,distance\n1,0\n2,0.0\n3,-0.1\n") { $0.zeroIsDistance = true }
    #expect(file.ranges.distance == [0, 0])
    #expect(file.rejected.map(\.line) == [4])
  }

  /// The greatest `Float` in centimetres is a sentinel too, although it is smaller in metres.
  @Test func comparesSentinelsInUnitOfFile() throws {
    let file = try read("time,distance_cm\n1,3.4028235e38\n2,340\n")
    #expect(file.rejected.map(\.line) == [2])
    #expect(file.ranges.distance == [3.4])
  }

  /// Bytes of a valid file are changed, removed and inserted: every row is counted, and every range
  /// is valid.
  @Test(arguments: [UInt64(1), 2, 3])
  func damageAffectsOnlySingleRows(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let header = Array("time,tag,anchor,distance,sigma,event\n".utf8)
    let row = Array("1.25,T,\"A, \"\"x\"\"\",2.5,0.1,\n".utf8)
    let alphabet = Array("0-,.e\"\n\r#; ".utf8) + [0, 0xC3, 0xFF]
    for _ in 0..<300 {
      var body = Array([row, row, row, row].joined())
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 0..<body.count, using: &generator)
        let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: body[place] = byte
        case 1: body.insert(byte, at: place)
        default: body.remove(at: place)
        }
      }
      let source = StoredInput(path: "walk.csv", bytes: header + body)
      let file = try RangesReader.read(source, options: RecordingOptions(), declared: [])
      let ranges = file.ranges
      #expect(file.rowsRead == ranges.count + file.events.count + file.rejected.count)
      #expect(ranges.distance.allSatisfy { MeasuredDistance.absence(of: $0) == nil })
      #expect(ranges[.sigma]?.count == ranges.count)
      let lines = ranges.line + file.rejected.map(\.line)
      #expect(Set(lines).count == lines.count)
      #expect(lines.allSatisfy { $0 > 1 })
    }
  }

  // MARK: Optional columns

  @Test func readsOptionalCells() throws {
    let file = try read(
      """
      time,distance,sigma,azimuth,elevation_deg,horizontal_angle,rssi,first_path_rssi,nlos
      1,2,0.1,-0.5,180,0.25,-80,-85.5,1
      2,2,,nan,NA,null,inf,3.5e38,255
      3,2,0,0,0,0,0,0,false
      4,2,x,0,0,0,0,0,0
      5,2,-1,0,0,0,0,0,0
      6,2,1,0,0,0,0,0,2
      """)
    let ranges = file.ranges
    func same(_ column: [Double]?, _ expected: [Double]) -> Bool {
      guard let column, column.count == expected.count else { return false }
      return zip(column, expected).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
    }
    #expect(same(ranges[.sigma], [0.1, .nan, .nan]))
    #expect(same(ranges[.azimuth], [-0.5, .nan, 0]))
    #expect(same(ranges[.elevation], [.pi, .nan, 0]))
    #expect(same(ranges[.horizontalAngle], [0.25, .nan, 0]))
    #expect(same(ranges[.rssi], [-80, .nan, 0]))
    #expect(same(ranges[.firstPathRSSI], [-85.5, .nan, 0]))
    #expect(same(ranges[.nonLineOfSight], [1, .nan, 0]))
    #expect(
      file.rejected.map(\.reason) == [
        "sigma is not a number: \"x\"", "sigma is negative: -1", "nlos must be from 0 to 1: 2",
      ])
  }

  @Test func directionsAreCompleteOrMissing() throws {
    let file = try read(
      """
      time,distance,direction_x,direction_y,direction_z
      1,2,0.6,0,-0.8
      2,2,,,
      3,2,0,0,0
      4,2,0.6,,-0.8
      5,2,1,1,1
      6,2,0.55,0,-0.8
      """)
    func direction(_ index: Int) -> [Double] {
      [RangeQuantity.directionX, .directionY, .directionZ].map { file.ranges[$0]?[index] ?? 0 }
    }
    #expect(file.ranges.line == [2, 3, 4, 7])
    #expect(direction(0) == [0.6, 0, -0.8])
    for index in [1, 2] { #expect(direction(index).allSatisfy { $0.isNaN }) }
    #expect(
      file.rejected.map(\.reason) == [
        "direction_y is missing although other components are present",
        // The square root of 3.
        "the direction is not a unit vector: its length is 1.732",
      ])
    let partial = try read("time,distance,direction_x,direction_z\n1,2,1,5\n")
    #expect(partial.ranges[.directionX] == nil)
    #expect(partial.ranges.count == 1)
    #expect(partial.layout.notes == ["the direction columns are ignored: missing direction_y"])
  }

  @Test func readsVerticalEstimatesAsNumbersOrNames() throws {
    let file = try read(
      "time,distance,vertical_estimate\n1,2,0\n1,2,3\n1,2,above\n1,2,aboveOrBelow\n1,2,\n1,2,5\n")
    let found = try #require(file.ranges[.verticalEstimate])
    #expect(found.prefix(4) == [0, 3, 2, 4] && found.count == 5 && found[4].isNaN)
    #expect(file.rejected.map(\.line) == [7])
  }

  // MARK: Events

  @Test func readsEventsFromSeparateRows() throws {
    let file = try read(
      """
      time,tag,anchor,distance,event
      1,T,A,2,
      2,T,A,,Suspended
      3,T,,0,resumed
      4,T,A,2,removed
      5,T,A,,paused
      6,,A,,started
      7,T,A,x,stopped
      """)
    #expect(
      file.events == [
        RecordedEvent(
          time: Timestamp(nanoseconds: 2_000_000_000), tag: 0, anchor: 0, event: .suspended, line: 3
        ),
        RecordedEvent(
          time: Timestamp(nanoseconds: 3_000_000_000), tag: 0, anchor: nil, event: .resumed, line: 4
        ),
      ])
    #expect(file.ranges.line == [2])
    #expect(
      file.rejected.map(\.reason) == [
        "row has both an event and a distance; write them on separate rows",
        "event is unknown: \"paused\" "
          + "(started, stopped, suspended, resumed, removed, invalidated)",
        "tag is missing", "distance is not a number: \"x\"",
      ])
  }
}
