import Fathom
import FathomEvaluation
import Testing

@testable import FathomRecordings

/// Lines of pairs of a key and a value, as firmware and apps print them.
@Suite struct KeyValueLogTests {
  private let walk = SimulatedWalk()

  /// Returns the seconds of a range with the leading zeros of a time of day.
  private func clock(_ seconds: Double) -> String {
    let milliseconds = Int((1000 * seconds).rounded())
    let (whole, rest) = (milliseconds / 1000, milliseconds % 1000)
    return "12:00:\(whole < 10 ? "0" : "")\(whole).\(String(1000 + rest).dropFirst())"
  }

  @Test func findsPositions() throws {
    let walk = walk
    let texts = [
      walk.lines { "t=\($0.seconds) anchor=\($0.name) dist=\($0.distance) rssi=-80" },
      walk.lines { "time: \($0.seconds), id: \($0.name), range: \($0.distance) m" },
      walk.lines {
        "Time = \($0.seconds); Anchor ID = \"\($0.name)\"; Distance = \($0.centimetres) cm"
      },
      walk.lines {
        "[INFO] uwb: ts:\($0.milliseconds)ms|peer:UwbAddress{\($0.name)}|range:\($0.distance)"
      },
      walk.lines {
        "{seq=\($0.round), t=\($0.seconds), peer=\($0.name), distance_mm=\($0.millimetres)}"
      },
      walk.lines {
        "I (\($0.milliseconds)) uwb: t=\($0.milliseconds) ms anchor=\($0.name) dist=\($0.distance)"
      },
      walk.lines {
        "t=\($0.seconds);anchor=\($0.name);dist=\($0.distance)".replacing(".", with: ",")
      },
      // The time of a logger in front.
      walk.lines { "\(clock($0.seconds)) -> id=\($0.name) range=\($0.distance)" },
      walk.lines {
        "2026-05-01 \(clock($0.seconds)) D/Uwb: anchor=\($0.name) range=\($0.distance)"
      },
      walk.lines { "[\($0.seconds + 1000)] anchor: \($0.name) range: \($0.distance)" },
      // All anchors in a line.
      walk.roundLines { round in
        "t=\(round[0].seconds) "
          + round.map { "anchor=\($0.name) dist=\($0.distance)" }.joined(separator: "; ")
      },
      walk.roundLines { round in
        "t=\(round[0].seconds) " + round.map { "\($0.name)=\($0.distance)" }.joined(separator: " ")
      },
    ]
    for text in texts {
      try walk.expectPositions("boot 1.2\n\n# a comment\n" + text, .keyValue)
    }
  }

  @Test func readsOptionalColumnsAndAnchors() throws {
    let log = LogText(
      """
      ready
      anchor=A1 x=0 y=0 z=2.5
      t=1.5 tag=T1 anchor=A1 dist=2.5 rssi=-80 dBm
      heap=1234
      t=1.6 tag=T1 anchor=A1 dist=2.6 rssi=-81 dBm

      """)
    #expect(log.format == .keyValue)
    let file = try log.read()
    #expect(file.layout.format == .keyValue)
    #expect(file.tags == ["T1", "T1"] && file.anchors == ["A1", "A1"])
    #expect(file.ranges.distance == [2.5, 2.6] && file.seconds == [1.5, 1.6])
    #expect(file.ranges[.rssi] == [-80, -81])
    #expect(file.ranges.line == [3, 5] && file.rejected.total == 0)
    let tables = try JSONTables(
      pairsOf: StoredInput(path: "log.txt", bytes: Array(log.text.utf8)),
      head: Array(log.text.utf8),
      options: log.options, declared: [])
    #expect(tables.count(of: .anchors) == 1)
    #expect(tables.note == "2 lines without a measurement")
  }

  @Test func rejectsDamagedLines() throws {
    let file = try LogText(
      """
      t=1.5 anchor=A1 dist=2.5
      t=1.6 anchor=A1 dist=x
      t=1.7 anchor=A1 dis
      t= anchor=A1 dist=2.5
      t=1.9 anchor=A2 dist=-1

      """
    ).read()
    #expect(file.ranges.line == [1] && file.rejected.map(\.line) == [2, 3, 4, 5])
    #expect(file.rejected.first?.reason.contains("is not a number") == true)
  }

  /// Each value has its own unit.
  @Test func unitsMayDifferBetweenValues() throws {
    let texts = [
      walk.lines {
        "t=\($0.seconds) anchor=\($0.name) "
          + ($0.round % 3 == 0
            ? "d=\($0.centimetres)cm"
            : $0.round % 3 == 1 ? "d=\($0.distance)m" : "d=\($0.millimetres) mm")
      },
      walk.lines {
        ($0.round % 2 == 0 ? "t=\($0.milliseconds)ms" : "t=\($0.seconds) s")
          + " anchor=\($0.name) range: \($0.anchor % 2 == 0 ? "\($0.distance) m" : "\($0.centimetres) cm")"
      },
      // The unit of the value precedes that of the key; most have none.
      walk.lines {
        "t=\($0.seconds) anchor=\($0.name) dist_mm="
          + ($0.round % 20 == 7 ? "\($0.centimetres) cm" : "\($0.millimetres)")
      },
      walk.lines {
        "t=\($0.seconds) anchor=\($0.name) dist="
          + ($0.round % 20 == 7 ? "\($0.centimetres) cm" : "\($0.distance)")
      },
    ]
    for text in texts { try walk.expectPositions(text, .keyValue) }
  }

  /// Among values with units, one without is cut.
  @Test func rejectsAValueWithoutItsUnit() throws {
    let file = try LogText(
      "t=1 anchor=A dist=123cm\nt=2 anchor=A dist=1.5m\nt=3 anchor=A dist=12\nt=4 anchor=A dist=7 mm\n"
    ).read()
    #expect(file.ranges.distance == [1.23, 1.5, 0.007] && file.rejected.map(\.line) == [3])
    #expect(file.rejected.first?.reason.contains("\"12 without a unit\"") == true)
  }

  @Test(arguments: [
    ("123", -2, "1.23"), ("7", -3, "0.007"), ("-4.5", -2, "-0.045"), ("+1.5", 2, "+150"),
    ("1.2345", 2, "123.45"), ("0", -9, "0.000000000"), (".5", -2, "0.005"), ("5.", 3, "5000"),
    ("1.2.3", -2, "1.2.3"), ("x", -2, "x"), ("--1", -2, "--1"),
    ("1700000000123", -3, "1700000000.123"),
  ])
  func shiftsDecimals(_ text: String, _ exponent: Int, _ expected: String) {
    let found = ValueUnits.shifted(Array(text.utf8)[...], by: exponent)
    #expect(String(decoding: found, as: UTF8.self) == expected)
  }

  @Test func usesTheNamesOfTheCaller() throws {
    let text = "zeit=1.5 anker=A1 abstand=2.5\nzeit=1.75 anker=A2 abstand=3.5\n"
    #expect(LogText(text).format == .csv)
    let log = LogText(text) {
      $0.columns = ["time": "zeit", "anchor": "anker", "distance": "abstand"]
    }
    let file = try log.read()
    #expect(file.anchors == ["A1", "A2"] && file.seconds == [1.5, 1.75])
  }

  @Test(arguments: [
    "Ranging at t=1.5 took 3 ms", "a=1 b=2", "range: unknown", "time,anchor,distance\n1,A=1,2",
    "from: 1782 Range: 2.35 m RX power: -78.20 dBm", "dist=1.5 az=3 el=1",
  ])
  func leavesOtherText(_ text: String) {
    #expect(LogText(text + "\n").format != .keyValue, "\(text)")
  }

  /// One line has what a sketch for the DW1000 prints; the others are pairs.
  @Test func aLineOfADeviceDoesNotDecideTheFormat() throws {
    let text = walk.lines { "t=\($0.seconds) anchor=\($0.name) range: \($0.distance) m" }
    let log = LogText("Range: 2.35 m\n" + text)
    #expect(log.format == .keyValue)
    #expect(try log.read().ranges.count == walk.ranges.count)
  }

  @Test func streamsGiveTheSameRows() throws {
    let text = walk.lines { "I uwb: t=\($0.seconds) anchor=\($0.name) dist=\($0.distance)" }
    let whole = try LogText(text).read()
    try LogText(text).expectPartsToGive(whole.ranges.distance, .keyValue)
  }

  /// Every line of a damaged log is a row that is used or rejected, or none.
  @Test func accountsForDamagedLines() throws {
    var generator = SeededGenerator(seed: 17)
    let lines = walk.ranges.prefix(40).map {
      Array("t=\($0.seconds) anchor=\($0.name) dist=\($0.distance) m rssi=-80".utf8)
    }
    for _ in 0..<300 {
      var text: [UInt8] = []
      for var line in lines {
        if Bool.random(using: &generator) {
          let place = Int.random(in: line.indices, using: &generator)
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: line[place] = .random(in: 0...255, using: &generator)
          case 1: line.remove(at: place)
          case 2:
            line.insert(contentsOf: Array("=:, \"".utf8).shuffled(using: &generator), at: place)
          default: line.removeSubrange(place...)
          }
        }
        text += line + [UInt8(ascii: "\n")]
      }
      var options = RecordingOptions()
      options.format = .keyValue
      let file = try RangesReader.read(
        StoredInput(path: "log.txt", bytes: text), options: options, declared: [])
      #expect(file.rowsRead == file.ranges.count + file.events.count + file.rejected.total)
      for row in file.rejected { #expect(!row.reason.isEmpty && row.line <= 2 * lines.count) }
    }
  }

  // MARK: Anchors by words

  @Test func findsPositionsOfNamesBeforeDistances() throws {
    var walk = walk
    walk.names = ["A0", "A1", "A2", "A3"]
    func name(_ range: SimulatedWalk.Range) -> String { "A\(range.anchor)" }
    for text in [
      walk.lines { "[\($0.seconds)] [\(name($0))] \($0.distance) m" },
      walk.lines { "I (\($0.milliseconds)) UWB: \(name($0)) \($0.distance)" },
      walk.lines { "\(clock($0.seconds)) to \(name($0)): \($0.centimetres) cm\r" },
    ] {
      try walk.expectPositions(text, .keyValue)
    }
    // Any number of a row can be the distance.
    for text in [
      walk.lines { "\($0.seconds) \(name($0)) \($0.distance)" },
      walk.lines { "[\($0.seconds)] 81 \(name($0)) \($0.distance)" },
      walk.lines { "[\($0.seconds)] \(name($0)) \($0.distance) -81" },
    ] {
      #expect(throws: RecordingError.self) { try walk.expectPositions(text) }
    }
  }

  @Test func findsPositionsOfAnchorsByWords() throws {
    let walk = walk
    // Positions need the times of rounds.
    let timed = [
      walk.lines {
        "\(clock($0.seconds)) -> Distance to anchor \($0.anchor): \($0.centimetres) cm"
      },
      walk.lines {
        "I (\($0.milliseconds)) UWB: anchor 0x\($0.anchor) dist \($0.distance) m rssi -78"
      },
      walk.lines {
        "2026-06-11 \(clock($0.seconds))456+0200 App[12:34] [A\($0.anchor)] distance: Optional(\($0.distance)) direction: nil"
      },
      walk.lines { "\(clock($0.seconds)) Distance to A\($0.anchor) = \($0.millimetres) mm" },
      walk.lines {
        "Jun 11 \(clock($0.seconds)) pi uwb[812]: anchor=\($0.anchor) range=\($0.distance)"
      },
      walk.lines {
        "[00:\(clock($0.seconds).dropFirst(3)),000] <inf> uwb: anchor=\($0.anchor) distance=\($0.distance)"
      },
      // The time on a line of its own.
      walk.roundLines { round in
        "Time: \(round[0].milliseconds) ms\n"
          + round.map { "Anchor \($0.anchor): \($0.distance)m\n" }.joined() + "-----"
      },
      walk.roundLines { round in
        "\(clock(round[0].seconds)) -> "
          + round.map { "A\($0.anchor): \($0.centimetres) cm" }.joined(separator: "  ")
      },
      walk.roundLines { round in
        "\(clock(round[0].seconds)): BCN {Health : 1, "
          + round.map { "D\($0.anchor) : \($0.distance)" }.joined(separator: ", ")
          + ", PosX : 0.0, PosY : 0.0}"
      },
      // Line protocol, and the plotter of Arduino.
      walk.lines {
        "uwb,tag=T1,anchor=A\($0.anchor) distance=\($0.distance) \(1_700_000_000_000 + $0.milliseconds)000000"
      },
      walk.roundLines { round in
        "\(clock(round[0].seconds)) -> "
          + round.map { "A\($0.anchor):\($0.distance)" }.joined(separator: " ")
      },
    ]
    let names = ["", "0x", "A", "A", "", "", "", "A", "D", "A", "A"]
    for (text, prefix) in zip(timed, names) {
      var walk = walk
      walk.names = walk.names.indices.map { "\(prefix)\($0)" }
      try walk.expectPositions(text, .keyValue)
    }
  }

  /// A line that begins a log with its time states no times of ranges.
  @Test func aTimeAtTheBeginningIsNotCarried() throws {
    let lines = (0..<200).map { "Anchor \($0 % 3): 2.\($0 % 10) m\n" }.joined()
    let file = try LogText("Start time: 10:00:00\n" + lines).read()
    #expect(file.ranges.count == 200 && Set(file.seconds).count > 60)
  }

  @Test func namesInLinesAreWholeWordsAndUnique() throws {
    var log = LogText(
      "12:00:01 A10: distance=2.5\n12:00:02 to A1, distance=3.5\n12:00:03 A1 A2 distance=4.5\n")
    log.declared = ["A1", "A2"]
    let file = try log.read()
    #expect(file.anchors == ["A1"] && file.ranges.distance == [3.5])
    #expect(file.rejected.total == 2)
  }

  /// The cost is linear in the length of a line.
  @Test func boundsLongLines() throws {
    for part in ["x:", "x:y ", "k=1 ", "a \"=", "a:'b ", "anchor 1:", "anchor 1 "] {
      let text = "t=1 anchor=A dist=2\n" + String(repeating: part, count: 200_000) + "\n"
      let file = try LogText(text).readOnce()
      #expect(file.ranges.count == 1)
    }
  }
}

extension LogText {
  /// Reads the log in blocks of the usual size only.
  func readOnce() throws(RecordingError) -> ParsedRanges {
    try RangesReader.read(
      StoredInput(path: "log.txt", bytes: Array(text.utf8)), options: options, declared: declared)
  }
}
