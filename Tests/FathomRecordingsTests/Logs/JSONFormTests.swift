import Testing

@testable import FathomRecordings

/// Objects that become those of a file in JSON before they are read.
@Suite struct JSONFormTests {
  private let walk = SimulatedWalk()

  /// Returns the time of a range as a time stamp of a logger.
  private func stamp(_ range: SimulatedWalk.Range) -> String {
    "2026-06-11T10:00:\(range.clockSeconds)"
  }

  /// Expects the ranges of the text from a stream, in pieces of any size.
  private func expectSameLive(_ text: String, declared: [String]) throws {
    let bytes = Array(text.utf8)
    let whole = try RangesReader.read(
      StoredInput(path: "f.jsonl", bytes: bytes), options: RecordingOptions(),
      declared: declared)
    for size in [7, 61, 1000, 1 << 20] {
      var lines = LiveLines(
        name: "stream", declared: declared, options: RecordingOptions(), startsMidLine: false)
      var found: ParsedRanges?
      for begin in stride(from: 0, to: bytes.count, by: size) {
        let end = min(begin + size, bytes.count)
        let part = try lines.parse(Array(bytes[begin..<end]), isLast: end == bytes.count)
        guard let part else { continue }
        if found == nil { found = part.ranges } else { found?.append([part.ranges], width: 1) }
      }
      // Not compared inside of the macro, which would print all values.
      let same = [
        found?.ranges.distance == whole.ranges.distance, found?.ranges.time == whole.ranges.time,
        found?.anchorNames == whole.anchorNames,
      ]
      #expect(same == [true, true, true], "pieces of \(size) of \(text.prefix(80))")
      #expect(found?.rejected.total == 0 && whole.ranges.count > 100)
      #expect(lines.objectNotes.count == 1)
    }
  }

  @Test func findsPositionsInOtherForms() throws {
    let walk = walk
    let texts = [
      // The time of a subscriber in front of a message without one.
      walk.lines { "\(stamp($0))+0000 uwb/t1 {\"anchor\":\"\($0.name)\",\"dist\":\($0.distance)}" },
      walk.roundLines { round in
        "[\(round[0].milliseconds + 51_234)][<log>]: {"
          + round.map { "'ranging.distance\($0.anchor)': \($0.distance)" }.joined(separator: ", ")
          + "}"
      },
      // Python.
      walk.lines {
        "{'time': \($0.seconds), 'anchor': \"\($0.name)\", 'ok': True, 'dist': \($0.distance)}"
      },
      walk.lines {
        "{'t': np.float64(\($0.seconds)), 'id': '\($0.name)', 'x': None, 'p': (1, 'a\\'\"b'),"
          + " 'range': \($0.distance)}"
      },
    ]
    for (place, text) in texts.enumerated() {
      var walk = walk
      // The columns are called by numbers.
      if place == 1 { walk.names = walk.names.indices.map { "\($0)" } }
      try walk.expectPositions(text)
      try expectSameLive(text, declared: walk.names)
    }
  }

  /// As `print` writes a list: many blocks without the end of a line.
  @Test func readsAListOnOneLine() throws {
    let ranges = (0..<60).flatMap { _ in walk.ranges }
    let text = ranges.map { "{'t': \($0.seconds), 'anchor': '\($0.name)', 'dist': \($0.distance)}" }
      .joined(separator: ", ")
    let read = try readRanges("[\(text)]\n", blockSize: 1000)
    let isSame = read.ranges.distance == ranges.map(\.distance)
    #expect(isSame && read.rejected.total == 0 && text.utf8.count > JSONTables.blockSize)
  }

  @Test func findsPositionsInTablesOfOneObject() throws {
    let ranges = walk.ranges
    func list(_ cell: (SimulatedWalk.Range) -> String) -> String {
      ranges.map(cell).joined(separator: ",")
    }
    let time = list { "\($0.seconds)" }
    let names = list { "\"\($0.name)\"" }
    let distances = list { "\($0.distance)" }
    let rows = list { "[\($0.seconds),\"\($0.name)\",\($0.distance)]" }
    try walk.expectPositions(
      "{\"time\":[\(time)],\"anchor\":[\(names)],\"distance\":[\(distances)],\"n\":3}",
      file: "walk.json")
    try walk.expectPositions(
      "{\"columns\":[\"time\",\"anchor\",\"range\"],\"index\":[0],\"data\":[\(rows)]}\n",
      file: "walk.json")
  }

  @Test func findsPositionsInMessagesOfROS() throws {
    let walk = walk
    func header(_ range: SimulatedWalk.Range, _ frame: String, _ unit: String) -> String {
      let rest = range.milliseconds % 1000 * 1_000_000
      return
        "header: \n  seq: 1\n  stamp: \n    secs: \(1_700_000_000 + range.milliseconds / 1000)\n"
        + "    \(unit): \(rest)\n  frame_id: \"\(frame)\"\n"
    }
    let single = walk.lines {
      header($0, $0.name, "nsecs") + "radiation_type: 0\nmin_range: 0.1\nrange: \($0.distance)\n---"
    }
    let lists = walk.roundLines { round in
      header(round[0], "tag", "nsecs").replacing("secs:", with: "sec:").replacing(
        "nsec:", with: "nanosec:")
        + "anchor_ids:\n" + round.map { "- \($0.name)\n" }.joined()
        + "distances:\n" + round.map { "- \($0.distance)\n" }.joined() + "---"
    }
    for text in [single, lists] {
      let recording = try walk.expectPositions(text, .json)
      try expectSameLive(text, declared: walk.names)
      #expect(recording?.ranges.time.first?.seconds == 1_700_000_000)
      #expect(recording?.notes.contains("documents are messages in YAML") == true)
    }
  }

  @Test func rejectsDamagedMessagesAlone() throws {
    let good = "stamp: 1.5\nanchor: A\nrange: 2.5\n---\n"
    let file = try LogText(good + "stamp 2\nanchor: A\n  - range\n---\n" + good + "stamp: 3\n")
      .read()
    #expect(file.ranges.distance == [2.5, 2.5] && file.ranges.line == [1, 9])
    #expect(file.rejected.total == 2)
  }

  /// Other text between lines `---` is no sequence of messages.
  @Test func leavesOtherTextBetweenLines() {
    #expect(!JSONForm.beginsDocuments(Array("a: 1\n---\nb: 2\n".utf8), declared: []))
    #expect(!JSONForm.beginsDocuments(Array("time,anchor\n---\n1,2\n".utf8), declared: []))
    #expect(!JSONForm.beginsDocuments(Array("range: 2\n----\nrange: 3\n".utf8), declared: []))
  }

  // MARK: Objects in JSON

  @Test func findsPositionsInNestedLists() throws {
    let walk = walk
    func elements(_ round: [SimulatedWalk.Range], _ keys: (String, String)) -> String {
      round.map { "{\"\(keys.0)\":\"\($0.name)\",\"\(keys.1)\":\($0.distance)}" }
        .joined(separator: ",")
    }
    let texts = [
      walk.roundLines {
        "{\"type\":\"meas\",\"t\":\($0[0].seconds),\"tag\":\"t\",\"meas\":[\(elements($0, ("a", "d")))]}"
      },
      walk.roundLines {
        "{\"topic\":\"uwb\",\"payload\":{\"tag\":\"7\",\"ranges\":[\(elements($0, ("anchorId", "distance")))]},"
          + "\"timestamp\":\($0[0].seconds)}"
      },
      // Distances in the order of the anchors.
      walk.roundLines { round in
        "{\"t\":\(round[0].seconds),\"d\":[\(round.map { "\($0.distance)" }.joined(separator: ","))]}"
      },
      // A position that the device computed is no truth.
      walk.roundLines { round in
        "{\"t\":\(round[0].seconds),\"x\":1,\"y\":2,"
          + round.map { "\"range_\($0.name)\":\($0.distance)" }.joined(separator: ",") + "}"
      },
      walk.roundLines { round in
        "{\"time_ms\":\(round[0].milliseconds),\"unit\":\"cm\",\"distances\":{"
          + round.map { "\"\($0.name)\":\(100 * $0.distance)" }.joined(separator: ",") + "}}"
      },
    ]
    for (place, text) in texts.enumerated() {
      var walk = walk
      // The elements of a list are counted from 0.
      if place == 2 { walk.names = walk.names.indices.map { "A\($0)" } }
      try walk.expectPositions(text)
    }
  }

  /// A column of units counts only if all of its cells agree.
  @Test func unitsInCells() throws {
    let header = "time,anchor,distance,unit\n"
    #expect(try LogText(header + "0,A,250,cm\n1,A,250,cm\n").read().ranges.distance == [2.5, 2.5])
    #expect(try LogText(header + "0,A,250,cm\n1,A,2.5,m\n").read().ranges.distance == [250, 2.5])
    #expect(
      try LogText("time,anchor,distance_m,unit\n0,A,2.5,cm\n").read().ranges.distance == [2.5])
  }
}
