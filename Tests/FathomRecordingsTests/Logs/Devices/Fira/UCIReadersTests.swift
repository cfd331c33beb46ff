import Fathom
import Testing

@testable import FathomRecordings

/// Packets of UCI, in hexadecimal and in binary, from the file to the positions.
@Suite struct UCIReadersTests {
  private let walk: SimulatedWalk = {
    var walk = SimulatedWalk()
    walk.names = ["0x0001", "0xA1B2", "0x0003", "0x0004"]
    return walk
  }()
  private static let addresses = [0x0001, 0xA1B2, 0x0003, 0x0004]

  /// Returns `value` in `count` bytes, the low one first.
  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns the content of the notification of `ranges`, which are of one round.
  private static func content(
    _ ranges: [SimulatedWalk.Range], isShort: Bool = true, type: UInt8 = 1,
    statuses: [Int: UInt8] = [:]
  ) -> [UInt8] {
    var text = bytes(ranges[0].round, 4) + bytes(42, 4) + [0] + bytes(100, 4) + [type, 0]
    text += [isShort ? 0 : 1] + bytes(0, 8) + [UInt8(ranges.count)]
    for range in ranges {
      let address = addresses[range.anchor]
      text += isShort ? bytes(address, 2) : bytes(address, 8)
      // Line of sight; 12.5° with 92 %, -3.25° without merit.
      text += [statuses[range.anchor] ?? 0, 0] + bytes(range.centimetres, 2)
      text += bytes(1600, 2) + [92] + bytes(-416, 2) + [0] + bytes(0, 6)
      // Slot, level of -70.5 dBm.
      text += [1, 141] + [UInt8](repeating: 0, count: isShort ? 11 : 5)
    }
    return text
  }

  private static func packet(_ content: [UInt8], first: UInt8 = 0x62) -> [UInt8] {
    [first, 0, 0, UInt8(content.count)] + content
  }

  private static func hexadecimal(_ bytes: [UInt8], _ separator: String) -> String {
    bytes.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined(separator: separator)
  }

  /// A notification that the state of a session has changed.
  private static let status: [UInt8] = [0x61, 0x02, 0, 6, 42, 0, 0, 0, 2, 0]

  // MARK: Hexadecimal

  @Test func findsPositionsInHexadecimal() throws {
    let texts = [
      walk.roundLines { "UCI RX: \(Self.hexadecimal(Self.packet(Self.content($0)), " "))" },
      walk.roundLines { Self.hexadecimal(Self.packet(Self.content($0)), "") },
      walk.roundLines {
        "12:00:01.500 uwb: UciHalRx 0x\(Self.hexadecimal(Self.packet(Self.content($0)), ", 0x"))"
      },
      walk.roundLines { "RANGE_DATA_NTF: \(Self.hexadecimal(Self.content($0), ":"))" },
    ]
    for text in texts {
      let recording = try #require(
        try walk.expectPositions(
          "boot\nUCI RX: \(Self.hexadecimal(Self.status, " "))\n" + text, .uci))
      #expect(recording.ranges[.azimuth]?.allSatisfy { $0 == radians(12.5) } == true)
      #expect(recording.ranges[.elevation]?.allSatisfy(\.isNaN) != false)
      #expect(recording.ranges[.rssi]?.allSatisfy { $0 == -70.5 } == true)
      #expect(recording.ranges[.nonLineOfSight]?.allSatisfy { $0 == 0 } == true)
    }
  }

  /// The head and the record by hand.
  @Test func readsValues() throws {
    let log = LogText(
      "62 00 00 38 05 00 00 00 2A 00 00 00 00 C8 00 00 00 01 00 00 00 00 00 00 00 00 00 00 01"
        + " 34 12 00 01 D2 00 80 FA 64 40 01 5A 00 00 00 00 00 00 02 A0 00 00 00 00 00 00 00 00 00 00 00\n"
    )
    #expect(log.format == .uci)
    let file = try log.read()
    #expect(file.anchors == ["0x1234"] && file.ranges.distance == [2.1] && file.seconds == [1])
    #expect(file.ranges[.azimuth] == [radians(-11)] && file.ranges[.elevation] == [radians(2.5)])
    #expect(file.ranges[.rssi] == [-80] && file.ranges[.nonLineOfSight] == [1])
  }

  @Test func rejectsWhatFailed() throws {
    let round = walk.round(7)
    let failed = Self.packet(Self.content(round, statuses: [1: 0x21, 2: 0x24]))
    var far = Self.content([round[0]])
    (far[29], far[30]) = (0xFF, 0xFF)
    let file = try LogText(
      [
        failed, Self.packet(far), Array(failed.prefix(60)),
        Self.packet(Self.content(round, type: 3)),
      ]
      .map { Self.hexadecimal($0, " ") + "\n" }.joined()
    ).read()
    #expect(file.ranges.count == 2 && file.anchors == ["0x0001", "0x0004"])
    #expect(
      file.rejected.map(\.reason) == [
        "the measurement failed, status 0x21", "the measurement failed, status 0x24",
        "the measurement has no distance", "the packet is cut",
        "the notification has no two-way ranges",
      ])
    #expect(file.rejected.map(\.line) == [1, 1, 2, 3, 4])
  }

  /// A notification of many peers comes in several packets.
  @Test func joinsPackets() throws {
    let content = Self.content(walk.round(0) + walk.round(0) + walk.round(0))
    #expect(content.count > 255)
    let packets = [
      Self.packet(Array(content.prefix(200)), first: 0x72),
      Self.packet(Array(content.dropFirst(200))),
    ]
    let file = try LogText(packets.map { Self.hexadecimal($0, " ") + "\n" }.joined()).read()
    #expect(file.ranges.count == 12 && file.rejected.total == 0)
    let binary = try RangesReader.read(
      StoredInput(path: "uci.bin", bytes: packets.flatMap { $0 }), options: RecordingOptions(),
      declared: [])
    #expect(binary.ranges.distance == file.ranges.distance)
  }

  // MARK: Binary

  @Test func findsPositionsInBinary() throws {
    var names = walk
    names.names = Self.addresses.map {
      "0x" + Self.hexadecimal(Self.bytes($0, 8).reversed(), "").uppercased()
    }
    for (walk, isShort) in [(walk, true), (names, false)] {
      var bytes = Self.status
      for round in 0..<walk.rounds {
        bytes += Self.packet(Self.content(walk.round(round), isShort: isShort))
        if round % 20 == 0 { bytes += Self.status }
      }
      try walk.expectPositions(bytes, file: "uci.bin", .uciFrames)
    }
  }

  /// Bytes that are lost cost the packet that they belong to.
  @Test func findsTheNextPacket() throws {
    var bytes: [UInt8] = []
    for round in 0..<10 {
      let packet = Self.packet(Self.content(walk.round(round)))
      bytes += round == 4 ? packet.dropLast(9) : packet[...]
    }
    let input = StoredInput(path: "uci.bin", bytes: bytes)
    for size in [16, 100, 1 << 17] {
      let file = try RangesReader.read(
        input, options: RecordingOptions(), declared: [], blockSize: size)
      #expect(file.layout.format == .uciFrames)
      #expect(file.rejected.total >= 1 && file.ranges.count >= 32, "\(file.ranges.count)")
      #expect(file.rowsRead == file.ranges.count + file.rejected.total)
    }
  }

  @Test func accountsForDamage() throws {
    let rounds = (0..<12).map { Self.packet(Self.content(walk.round($0))) }
    try expectDamageIsAccountedFor(rounds.flatMap { $0 }, .uciFrames)
    try expectDamageIsAccountedFor(
      Array(rounds.map { Self.hexadecimal($0, " ") + "\n" }.joined().utf8), .uci)
  }

  @Test func leavesOtherBytes() {
    for text in ["abc", "a1\0", "time_s,tag,anchor,distance_m\n"] {
      #expect(!UCIFrameReader.begins(Array(text.utf8)))
    }
    #expect(!UCIFrameReader.begins(Self.status))
    #expect(UCIFrameReader.begins(Self.status + Self.packet(Self.content(walk.round(0)))))
  }
}
