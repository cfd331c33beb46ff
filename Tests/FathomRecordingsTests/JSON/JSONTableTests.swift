import Fathom
import Testing

@testable import FathomRecordings

/// Every table reads the same from JSON as from CSV.
@Suite struct JSONTableTests {
  private static let rangesText = """
    time_s,tag,anchor,distance_m,sigma_m,rssi_dbm,nlos
    1305031098.665900001,T1,A,3.25,0.1,-80.5,false
    1305031098.7659,T1,B,4.5,,,true
    1305031098.8,T2,A,1e0,0.2,-81,
    1305031098.9,T2,A,x,0.2,-81,
    1305031099,T2,C,-1,,,

    """

  @Test(arguments: 0..<6)
  func ranges(_ form: Int) throws {
    let expected = try readRanges(Self.rangesText)
    let read = try readRanges(jsonForms(jsonLines(Self.rangesText))[form])
    #expect(read.layout.format == .json && expected.layout.format == .csv)
    #expect(read.rowsRead == 5 && read.ranges.count == 3)
    #expect(read.tagNames == expected.tagNames && read.anchorNames == expected.anchorNames)
    #expect(read.ranges.time == expected.ranges.time)
    #expect(read.ranges.distance == expected.ranges.distance)
    for quantity in [RangeQuantity.sigma, .rssi, .nonLineOfSight] {
      let (left, right) = (read.ranges[quantity], expected.ranges[quantity])
      #expect(left?.map(\.bitPattern) == right?.map(\.bitPattern))
    }
    #expect(read.rejected.map(\.reason) == expected.rejected.map(\.reason))
    #expect(read.rejected.map(\.column) == expected.rejected.map(\.column))
  }

  /// The lines of the objects in each form.
  @Test(arguments: [
    (0, [1, 2, 3], [4, 5]), (1, [1, 3, 5], [7, 9]), (2, [1, 1, 1], [1, 1]),
    (3, [2, 3, 4], [5, 6]), (4, [1, 8, 15], [22, 29]), (5, [1, 2, 3], [4, 5]),
  ])
  func lines(_ form: Int, _ lines: [Int], _ rejected: [Int]) throws {
    let text = jsonForms(jsonLines(Self.rangesText))[form]
    for (blockSize, width) in [(16, 1), (1 << 17, 1), (64, 4)] {
      let read = try readRanges(text, blockSize: blockSize, width: width)
      #expect(read.ranges.line == lines)
      #expect(read.rejected.map(\.line) == rejected)
      #expect(read.rejected.reasons.map(\.firstLine) == rejected)
    }
  }

  @Test(arguments: 0..<6)
  func sensors(_ form: Int) throws {
    func json(_ name: String, _ csv: String) throws(RecordingError) -> ByteSource {
      try source(name, jsonForms(jsonLines(csv))[form])
    }
    let heights = "time_s,tag,height_cm,sigma_m\n1,T,120,0.1\n2,T,,\n3,U,x,\n4,U,130,0\n"
    let (rows, note) = try HeightsReader.read(try source("h", heights))
    let found = try HeightsReader.read(try json("h", heights))
    #expect(found.rows == rows)
    #expect(note.hasPrefix("h: 1 heights; 2 rows rejected, line 4: "))
    if form == 0 { #expect(found.note == note.replacing("line 4", with: "line 3")) }

    let odometry = "t,forward,turn_deg\n0,0,0\n1,0.5,10\n2,0.5,x\n3,0.25,-10\n4,1,0\n"
    #expect(
      try OdometryReader.read(try json("o", odometry)).rows
        == OdometryReader.read(try source("o", odometry)).rows)

    let inertial =
      "time_ms,ax,ay,az,gx,gy,gz\n0,0,0,9.81,0,0,0.1\n10,0.1,0,9.8,0,0,0.2\n20,0,0,9.79,0,0,0\n"
    let expected = try InertialReader.read(try source("i", inertial))
    let readings = try InertialReader.read(try json("i", inertial))
    #expect(readings.rows == expected.rows && readings.note == expected.note)

    let poses = "time_s,x,y,z,qw,qx,qy,qz\n0,1,2,3,1,0,0,0\n1,,,,0,1,0,0\n2,1,2,3,0,0,0,0\n"
    let attitudes = try PosesReader.read(try json("p", poses))
    let track = try PosesReader.read(try source("p", poses))
    #expect(attitudes.poses == track.poses && attitudes.track == track.track)
    #expect(attitudes.rejected.map(\.reason) == track.rejected.map(\.reason))
  }

  @Test(arguments: 0..<6)
  func anchorsTruthAndDifferences(_ form: Int) throws {
    func json(_ csv: String) throws(RecordingError) -> ByteSource {
      try source("f", jsonForms(jsonLines(csv))[form])
    }
    var comma = RecordingOptions()
    comma.decimalSeparator = .comma
    for anchors in [
      "id,x_mm,y_mm,z_mm,sigma_m\nA,1000,2000,500,0.1\nB,0,0,250,\n",
      "name,lat,lon,alt\nA,47.5,8.5,400\nB,47.5001,8.5002,401\n", "anchor,x,y\nA,1,2\nB,3,4\n",
    ] {
      // JSON has a point whatever the separator of the CSV files is.
      #expect(
        try AnchorsReader.read(try json(anchors), options: comma)
          == AnchorsReader.read(try source("f", anchors), options: RecordingOptions()))
    }
    let truth = "time_s,x,y,z,tag\n0,1,2,3,T\n1,1.5,2,3,T\n2,x,2,3,T\n"
    let expected = try TruthReader.read(try source("f", truth), info: RecordingInfo())
    let read = try TruthReader.read(try json(truth), info: RecordingInfo())
    #expect(read.tracks == expected.tracks && read.isPlanar == expected.isPlanar)
    #expect(read.rejected.map(\.reason) == expected.rejected.map(\.reason))

    let tdoa = "time_s,tag,anchor_a,anchor_b,difference_m\n0,T,A,B,0.5\n1,T,A,A,0.5\n2,T,B,C,-1\n"
    let options = RecordingOptions()
    let rows = try TimeDifferencesReader.read(
      try source("f", tdoa), declared: [], options: options)
    let differences = try TimeDifferencesReader.read(try json(tdoa), declared: [], options: options)
    #expect(differences.rows.map(\.difference) == rows.rows.map(\.difference))
    #expect(differences.rows.map(\.time) == rows.rows.map(\.time))
    #expect(differences.anchorNames == rows.anchorNames && differences.tagNames == rows.tagNames)
    if form == 0 { #expect(differences.rows.map(\.line) == [1, 3]) }
    #expect(differences.rejected.map(\.reason) == rows.rejected.map(\.reason))
  }

  /// An anchors file cannot do without a row.
  @Test func anchorWithoutPositionIsAnError() throws {
    let text = "{\"id\":\"A\",\"x\":1,\"y\":2}\n{\"id\":\"B\",\"x\":1}\n"
    let error = #expect(throws: RecordingError.self) {
      try AnchorsReader.read(try source("a.json", text), options: RecordingOptions())
    }
    #expect(error?.description == "a.json:2: y is missing")
  }

  /// Keys that are only in later objects are columns, too.
  @Test func keysOfLaterObjects() throws {
    var lines = (0..<200).map { #"{"time_s":\#($0),"anchor":"A","distance_m":1}"# }
    lines.append(#"{"sigma_m":0.5,"time_s":200,"anchor":"A","distance_m":1,"tag":"T"}"#)
    let read = try readRanges(lines.joined(separator: "\n"))
    #expect(read.layout.header.names == ["time_s", "anchor", "distance_m", "sigma_m", "tag"])
    // Without a name in most rows, only the last one has a tag.
    #expect(read.rowsRead == 201 && read.ranges.count == 1 && read.tagNames == ["T"])
    #expect(read.ranges[.sigma] == [0.5])
    #expect(read.rejected.reasons.map(\.reason) == ["tag is missing"])
  }

  /// Different names of a column in different objects are one column.
  @Test func namesOfOneColumnShareIt() throws {
    let read = try readRanges(
      """
      {"t":1,"anchor_id":"A","dist":2}
      {"peer":"B","t":2,"distance":3}
      {"t":3,"anchor":"A","range_m":4}
      """)
    #expect(read.ranges.distance == [2, 3, 4] && read.anchorNames == ["A", "B"])
  }
}
