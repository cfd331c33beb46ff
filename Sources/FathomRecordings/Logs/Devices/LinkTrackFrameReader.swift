import Fathom

/// A reader of LinkTrack's binary frames: NodeFrame2, NodeFrame3, TagFrame0 and AoA NodeFrame0 of the
/// NLink protocol.
///
/// All numbers are little-endian; a frame ends with the sum of its bytes. Frames of other kinds are
/// skipped. The line of a range is the number of its frame.
struct LinkTrackFrameReader: LogFrameReader {
  /// Layout of a kind of frame; offsets in bytes.
  private struct Kind {
    var mark: UInt8
    /// Length of the part before the nodes.
    var fixed: Int
    /// Length of a node; 0 for a frame of fixed length.
    var node: Int
    var id: Int
    var role: Int
    var time: Int
    /// Offsets in a node of the angle and of the levels.
    var angle: Int?
    var levels: Int?
  }

  private static let kinds = [
    Kind(mark: 0x01, fixed: 127, node: 0, id: 2, role: 3, time: 112),
    Kind(mark: 0x04, fixed: 119, node: 13, id: 5, role: 4, time: 6, levels: 5),
    Kind(mark: 0x05, fixed: 21, node: 7, id: 5, role: 4, time: 10, levels: 5),
    Kind(mark: 0x07, fixed: 21, node: 11, id: 5, role: 4, time: 10, angle: 5, levels: 7),
  ]
  private static let longestFrame = 8192

  static let damage = "no frame, or one with a wrong length or sum"

  var count = LogFrameCount()

  init() {}

  /// Whether `head` begins with a frame of a known kind.
  static func begins(_ head: [UInt8]) -> Bool {
    head.count >= 6 && head[0] == 0x55 && kinds.contains { $0.mark == head[1] }
  }

  static func frame(_ block: [UInt8], at position: Int, isLast: Bool) -> FoundFrame {
    guard block[position] == 0x55 else { return .nothing }
    guard position + 4 <= block.count else { return isLast ? .nothing : .incomplete }
    let mark = block[position + 1]
    let kind = kinds.first { $0.mark == mark }
    let length: Int
    switch mark {
    case 0x00: length = 896
    case 0x01: length = 128
    case 0x02...0x07: length = Int(block[position + 2]) | Int(block[position + 3]) << 8
    default: return .nothing
    }
    guard length > 4, length <= longestFrame, length > kind?.fixed ?? 0 else { return .nothing }
    guard position + length <= block.count else { return isLast ? .nothing : .incomplete }
    var sum: UInt8 = 0
    for index in position..<(position + length - 1) { sum &+= block[index] }
    guard sum == block[position + length - 1] else { return .nothing }
    if let kind, kind.node > 0 {
      let count = Int(block[position + kind.fixed - 1])
      guard length == kind.fixed + count * kind.node + 1 else { return .nothing }
    }
    return .frame(length)
  }

  mutating func read(_ block: [UInt8], _ frame: Range<Int>, into rows: inout LogRows) {
    let position = frame.lowerBound
    // Frames of other kinds are skipped.
    guard let kind = Self.kinds.first(where: { $0.mark == block[position + 1] }) else {
      return rows.skip()
    }
    let number = count.number
    func byte(_ offset: Int) -> UInt8 { block[position + offset] }
    let milliseconds = (0..<4).reduce(Int64(0)) { $0 | Int64(byte(kind.time + $1)) << (8 * $1) }
    rows.beginEpoch(.sinceStart(1_000_000 * milliseconds), host: nil)
    let reporter = Array("\(byte(kind.id))".utf8)[...]
    func append(_ name: String, at offset: Int, isReversed: Bool, _ fill: (inout LogRange) -> Void)
    {
      let distance = millimetres(block, position + offset)
      if distance == 0 { return }
      var range = LogRange()
      let name = Array(name.utf8)[...]
      (range.tag, range.anchor) = isReversed ? (name, reporter) : (reporter, name)
      range.distance = Double(distance) / 1000
      fill(&range)
      rows.append(range, line: number)
    }
    if kind.node == 0 {
      for index in 0..<8 {
        append("\(index)", at: 22 + 3 * index, isReversed: false) { _ in }
      }
      return
    }
    for index in 0..<Int(byte(kind.fixed - 1)) {
      let node = kind.fixed + index * kind.node
      // An anchor reports its distances to tags.
      let isReversed = byte(kind.role) == 1 && byte(node) == 2
      append("\(byte(node + 1))", at: node + 2, isReversed: isReversed) { range in
        if let levels = kind.levels {
          range.firstPathRSSI = Double(byte(node + levels)) / -2
          range.rssi = Double(byte(node + levels + 1)) / -2
        }
        if let angle = kind.angle {
          let bits = UInt16(byte(node + angle)) | UInt16(byte(node + angle + 1)) << 8
          range.azimuth = (Double(Int16(bitPattern: bits)) / 100).degreesInRadians
        }
      }
    }
  }

  /// Returns the signed number of 24 bits at `offset`.
  private func millimetres(_ block: [UInt8], _ offset: Int) -> Int32 {
    let bits =
      UInt32(block[offset]) << 8 | UInt32(block[offset + 1]) << 16
      | UInt32(block[offset + 2]) << 24
    return Int32(bitPattern: bits) >> 8
  }
}
