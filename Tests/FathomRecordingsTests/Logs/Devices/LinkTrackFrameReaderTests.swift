import Fathom
import Testing

@testable import FathomRecordings

/// Binary frames of LinkTrack with all of their fields, from the file to the positions.
@Suite struct LinkTrackFrameReaderTests {
  private let walk: SimulatedWalk = {
    var walk = SimulatedWalk()
    walk.names = ["0", "1", "2", "3"]
    return walk
  }()

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns `frame` with its sum.
  private static func summed(_ frame: [UInt8]) -> [UInt8] {
    frame + [frame.reduce(0) { $0 &+ $1 }]
  }

  /// Returns a NodeFrame2 of tag 7: `ranges` beside position, velocity, inertial data and battery.
  private static func nodeFrame2(_ ranges: [SimulatedWalk.Range]) -> [UInt8] {
    let milliseconds = 60_000 + ranges[0].milliseconds
    var frame: [UInt8] = [0x55, 0x04] + bytes(120 + 13 * ranges.count, 2) + [2, 7]
    frame += bytes(milliseconds, 4) + [12, 12, 40]
    for coordinate in [1234, -567, 890, 5, -5, 1] { frame += bytes(coordinate, 3) }
    frame += [UInt8](repeating: 0xEE, count: 9)
    // Turn rates, accelerations, then reserved bytes, angles and the quaternion.
    for _ in 0..<6 { frame += bytes(Int(Float(9.81).bitPattern), 4) }
    frame += [UInt8](repeating: 0, count: 12) + bytes(-4500, 2) + bytes(0, 4)
    for part: Float in [1, 0, 0, 0] { frame += bytes(Int(part.bitPattern), 4) }
    frame += [0, 0, 0, 0] + bytes(milliseconds + 17, 4) + [UInt8](repeating: 0, count: 10)
    frame += bytes(4987, 2) + [UInt8(ranges.count)]
    for range in ranges {
      frame += [1, UInt8(range.anchor)] + bytes(range.millimetres, 3) + [161, 159]
      frame += bytes(milliseconds, 4) + [0, 0]
    }
    return summed(frame)
  }

  /// Returns a NodeFrame3 of tag 7.
  private static func nodeFrame3(_ ranges: [SimulatedWalk.Range]) -> [UInt8] {
    let milliseconds = 60_000 + ranges[0].milliseconds
    var frame: [UInt8] = [0x55, 0x05] + bytes(22 + 7 * ranges.count, 2) + [2, 7]
    frame += bytes(milliseconds + 17, 4) + bytes(milliseconds, 4) + [0, 0, 0, 0] + bytes(4987, 2)
    frame.append(UInt8(ranges.count))
    for range in ranges {
      frame += [1, UInt8(range.anchor)] + bytes(range.millimetres, 3) + [161, 159]
    }
    return summed(frame)
  }

  /// Returns a TagFrame0 of tag 7, whose distances have the number of the anchor as their place.
  private static func tagFrame0(_ ranges: [SimulatedWalk.Range]) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: 127)
    (frame[0], frame[1], frame[2], frame[3]) = (0x55, 0x01, 7, 2)
    for range in ranges {
      frame.replaceSubrange(
        22 + 3 * range.anchor..<25 + 3 * range.anchor, with: bytes(range.millimetres, 3))
    }
    frame.replaceSubrange(112..<116, with: bytes(60_000 + ranges[0].milliseconds, 4))
    return summed(frame)
  }

  /// Returns a NodeFrame0, with data of the user and no ranges.
  private static let userFrame = summed(
    [0x55, 0x02, 0x0F, 0, 2, 7, 0, 0, 0, 0, 1, 0x55, 0x04, 9])

  private static let kinds: [@Sendable ([SimulatedWalk.Range]) -> [UInt8]] = [
    { nodeFrame2($0) }, { nodeFrame3($0) }, { tagFrame0($0) },
  ]

  @Test(arguments: kinds.indices) func findsPositions(_ kind: Int) throws {
    var bytes: [UInt8] = []
    for round in 0..<walk.rounds {
      bytes += Self.kinds[kind](walk.round(round))
      if round % 10 == 0 { bytes += Self.userFrame }
    }
    let recording = try #require(
      try walk.expectPositions(bytes, file: "nlink.bin", .linkTrack))
    #expect(recording.tagNames == ["7"])
    #expect(recording.ranges.time.first?.seconds == 60)
    if kind < 2 {
      #expect(recording.ranges[.firstPathRSSI]?.allSatisfy { $0 == -80.5 } == true)
      #expect(recording.ranges[.rssi]?.allSatisfy { $0 == -79.5 } == true)
    }
  }

  /// A capture that begins in the middle of a frame and loses bytes: the other frames are read.
  @Test(arguments: kinds.indices) func readsAroundDamage(_ kind: Int) throws {
    var bytes: [UInt8] = []
    for round in 0..<walk.rounds {
      var frame = Self.kinds[kind](walk.round(round))
      if round == 30 { frame[60 % frame.count] ^= 1 }
      if round == 60 { frame.removeLast(11) }
      bytes += frame
    }
    let file = try RangesReader.read(
      StoredInput(path: "nlink.bin", bytes: bytes), options: RecordingOptions(), declared: [])
    #expect(file.ranges.count == 4 * (walk.rounds - 2) && file.rejected.total == 2)
    try expectDamageIsAccountedFor(Array(bytes.prefix(3000)), .linkTrack)
  }
}
