import Fathom
import Testing

@testable import FathomRecordings

/// Tables besides the ranges: separators, names and headers as people write them.
@Suite struct NumericTableTests {
  private func anchors(
    _ text: String, columns: [String: String] = [:], _ separator: DecimalSeparator = .point
  ) throws(RecordingError) -> DeclaredAnchors {
    var options = RecordingOptions()
    (options.columns, options.decimalSeparator) = (columns, separator)
    return try AnchorsReader.read(
      ByteSource(path: "anchors.csv", stored: Array(text.utf8)), options: options)
  }

  @Test(arguments: [
    "id;x;y;z\nA;0,5;1,25;2,4\nB;3,0;4,0;2,4\n", "sep=;\nid;x;y;z\nA;0,5;1,25;2,4\nB;3,0;4,0;2,4\n",
    "id\tx\ty\tz\nA\t0,5\t1,25\t2,4\nB\t3,0\t4,0\t2,4\n",
    "id,x,y,z\nA,\"0,5\",\"1,25\",\"2,4\"\nB,\"3,0\",\"4,0\",\"2,4\"\n",
  ])
  func findsDecimalCommas(_ text: String) throws {
    for separator in [DecimalSeparator.point, .comma] {
      let found = try anchors(text, separator)
      #expect(found.anchors.map { $0.position.array } == [[0.5, 1.25, 2.4], [3, 4, 2.4]])
    }
    #expect(try anchors(text).notes.first?.contains("decimal comma") == true)
  }

  /// `--decimal ,` is for a recording whose other tables may have points.
  @Test func pointsHoldBesideAStatedComma() throws {
    let found = try anchors("id,x,y\nA,0.5,1.25\n", .comma)
    #expect(found.anchors[0].position.array == [0.5, 1.25, 0])
    let file = try LogText("time,anchor,distance\n0.5,A,2.25\n") { $0.decimalSeparator = .comma }
      .read()
    #expect(file.ranges.distance == [2.25])
  }

  @Test(arguments: [
    "point_id,X_LOCAL,Y_LOCAL,Z_LOCAL\nA,1,2,3\n", "name,pos_x,pos_y,pos_z\nA,1,2,3\n",
    "beacon_id,posX,posY,posZ\nA,1,2,3\n", "Anchor,X [cm],Y [cm],Z [cm]\nA,100,200,300\n",
    "MAC Address,easting,northing,up\nA,1,2,3\n", "A,1,2,3\n", "A 1 2 3\n", "A;1,0;2,0;3,0\n",
  ])
  func readsUsualNamesAndNone(_ text: String) throws {
    let found = try anchors(text)
    #expect(found.names == ["A"] && found.anchors[0].position.array == [1, 2, 3])
  }

  @Test func saysThatThereIsNoHeader() throws {
    #expect(
      try anchors("1,0,0\n2,5,0\n").notes == [
        "anchors.csv: no header; its columns are read as id,x,y"
      ])
    // Three coordinates or a name and two.
    #expect(throws: RecordingError.self) { try anchors("0.5,0,2\n2.5,5,2\n") }
  }

  // MARK: Stated columns

  @Test func namesColumnsOfOneTable() throws {
    let text = "Punkt,Ost,Nord\nA,1,2\n"
    let columns = ["anchors.id": "Punkt", "anchors.x": "Ost", "anchors.y": "Nord"]
    #expect(try anchors(text, columns: columns).anchors[0].position.array == [1, 2, 0])
    // Those of no other table need no name of the table.
    #expect(
      try anchors(text, columns: ["id": "Punkt", "x": "Ost", "y": "Nord", "time": "Zeit"]).names
        == ["A"])
    #expect(
      try anchors(
        "1;2;A\n", columns: ["anchors.1": "x", "anchors.2": "y", "anchors.3": "id"]
      ).anchors[0].position.array == [1, 2, 0])
    // Ranges have no column x.
    let file = try LogText("Zeit,anchor,distance\n0.5,A,2\n") {
      $0.columns = ["time": "Zeit", "x": "Ost", "truth.time": "Uhr"]
    }.read()
    #expect(file.seconds == [0.5])
    #expect(throws: RecordingError.self) { try anchors(text, columns: ["anchors.x": "West"]) }
  }

  @Test func refusalNamesColumnsThatWork() throws {
    let text = "Punkt;Koord x;Koord y\nA;1.5;2\nB;3;4\n"
    let error = #expect(throws: RecordingError.self) { try anchors(text) }
    let message = "\(error.map { "\($0)" } ?? "")"
    let option = "--columns 'anchors.id=Punkt,anchors.x=Koord x,anchors.y=Koord y'"
    #expect(message.contains("try \(option)"), "\(message)")
    let columns = ["anchors.id": "Punkt", "anchors.x": "Koord x", "anchors.y": "Koord y"]
    #expect(try anchors(text, columns: columns).names == ["A", "B"])
  }

  @Test func readsTruthWithCommasAndMilliseconds() throws {
    let text = "timestamp;pos_x;pos_y;pos_z\n1700000000500;1,5;2,5;0,25\n"
    let truth = try TruthReader.read(
      ByteSource(path: "truth.csv", stored: Array(text.utf8)), info: RecordingInfo())
    let track = try #require(truth.tracks[""])
    #expect(track.times == [Timestamp(nanoseconds: 1_700_000_000_500_000_000)])
    let position = try #require(track.positions.first)
    #expect(position.array == [1.5, 2.5, 0.25])
    #expect(truth.notes.count == 2)
  }
}

/// Anchors in YAML, and in JSON that is no list of objects.
@Suite struct AnchorsTextTests {
  @Test(arguments: [
    "A: [0, 0, 2.5]\nB: [5, 0, 2.5]\n", "A:\n  x: 0\n  y: 0\n  z: 2.5\nB: {x: 5, y: 0, z: 2.5}\n",
    "---\n# site\nanchors:\n  - id: A\n    x: 0\n    y: 0\n    z: 2.5\n  - id: B\n    x: 5\n    y: 0\n    z: 2.5\n",
    "- {id: A, x: 0, y: 0, z: 2.5}\n- {id: B, x: 5, y: 0, z: 2.5}\n",
    "anchors:\n- name: 'A'\n  position: [0, 0, 2.5]\n- name: \"B\"\n  position: [5, 0, 2.5]\n",
    "{\"anchors\": {\"A\": [0, 0, 2.5], \"B\": [5, 0, 2.5]}}",
    "{\"A\": {\"x\": 0, \"y\": 0, \"z\": 2.5},\n \"B\": {\"x\": 5, \"y\": 0, \"z\": 2.5}}",
    "[[\"A\", 0, 0, 2.5], [\"B\", 5, 0, 2.5]]",
    "[{\"id\": \"A\", \"x\": 0, \"y\": 0, \"z\": 2.5}, {\"id\": \"B\", \"x\": 5, \"y\": 0, \"z\": 2.5}]",
    "frame: local\nanchors: {A: [0, 0, 2.5], B: [5, 0, 2.5]}\n",
  ])
  func readsAnchors(_ text: String) throws {
    let found = try AnchorsReader.read(
      ByteSource(path: "anchors.yaml", stored: Array(text.utf8)), options: RecordingOptions())
    #expect(found.names == ["A", "B"])
    #expect(found.anchors.map { $0.position.array } == [[0, 0, 2.5], [5, 0, 2.5]])
  }

  @Test(arguments: [
    "A: [0, 0\n", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]",
    "- - - - - - - - - - - - - - - - - - - - A\n",
    "A: {x: \n", "\"", "---", "- ", "{", ":", "A:\n B:\n  C:\n D\n",
  ])
  func refusesDamagedText(_ text: String) {
    #expect(throws: RecordingError.self) {
      try AnchorsReader.read(
        ByteSource(path: "anchors.yaml", stored: Array(text.utf8)), options: RecordingOptions())
    }
  }
}
