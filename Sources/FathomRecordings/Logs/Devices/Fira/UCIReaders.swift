import Fathom

/// A reader of packets of FiRa's UWB command interface (UCI) in hexadecimal, in lines of any log:
/// `UCI RX: 62 00 00 38 05 00 ...`, `6200003805...` or `RANGE_DATA_NTF: 05 00 ...` without header.
struct UCIHexReader: LogLineReader {
  private var packets = UCIPackets()

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    let text = cursor.bytes[line.whole]
    let named =
      cursor.offset(of: "RANGE_DATA_NTF") ?? cursor.offset(of: "SESSION_INFO_NTF")
    while let run = Self.run(&cursor) {
      // The number of a round can look like the header of a packet.
      if let named, cursor.position > named, UCINotification(run[...])?.isExact == true {
        return read(run[...], line, text, into: &rows)
      }
      if let place = (0..<run.count).first(where: { UCIPackets.isRanges(run, at: $0) }) {
        let begin = place + UCIPackets.headerCount
        guard begin <= run.count else { break }
        let count = Int(run[begin - 1])
        guard begin + count <= run.count else {
          return rows.reject(line, "the packet is cut")
        }
        let continues = run[place] == 0x72
        guard let whole = packets.add(run[begin..<begin + count], continues: continues) else {
          return rows.skip()
        }
        return read(whole[...], line, text, into: &rows)
      }
      if let named, cursor.position > named, UCINotification(run[...]) != nil {
        return read(run[...], line, text, into: &rows)
      }
    }
    rows.skip()
  }

  private func read(
    _ content: ArraySlice<UInt8>, _ line: LogLine, _ text: ArraySlice<UInt8>,
    into rows: inout LogRows
  ) {
    guard let notification = UCINotification(content) else {
      return rows.reject(line, "the notification has no two-way ranges")
    }
    notification.append(to: &rows, line: line.number, host: line.host, text)
  }

  /// Takes the next bytes in hexadecimal, two digits each; nil at the end of the line.
  ///
  /// Blanks, commas, colons and hyphens may separate them, and `0x` may precede each.
  private static func run(_ cursor: inout TokenCursor) -> [UInt8]? {
    while !cursor.isAtEnd {
      var run: [UInt8] = []
      while true {
        var next = cursor
        _ = next.consume { !" \t,:-".utf8.contains($0) }
        if next.next == UInt8(ascii: "0"), next.peek(1).map({ $0 | 0x20 }) == UInt8(ascii: "x") {
          next.position += 2
        }
        guard let high = next.next.flatMap(TokenCursor.hexadecimalDigit),
          let low = next.peek(1).flatMap(TokenCursor.hexadecimalDigit)
        else { break }
        run.append(high << 4 | low)
        next.position += 2
        cursor = next
      }
      if !run.isEmpty { return run }
      cursor.position += 1
    }
    return nil
  }
}

/// A reader of the packets of FiRa's UWB command interface (UCI) as they come from the device.
///
/// The line of a range is the number of its packet. Packets without ranges are skipped.
struct UCIFrameReader: LogFrameReader {
  private var packets = UCIPackets()
  static let damage = "no packet, or a damaged one"

  var count = LogFrameCount()

  init() {}

  /// Whether `head` begins with packets, of which one has ranges.
  static func begins(_ head: [UInt8]) -> Bool {
    var position = 0
    while position < head.count {
      guard case .frame(let count) = frame(head, at: position, isLast: false) else { return false }
      if UCIPackets.isRanges(head, at: position) { return true }
      position += count
    }
    return false
  }

  mutating func read(_ block: [UInt8], _ packet: Range<Int>, into rows: inout LogRows) {
    guard UCIPackets.isRanges(block, at: packet.lowerBound) else { return rows.skip() }
    let content = block[packet.dropFirst(UCIPackets.headerCount)]
    guard let whole = packets.add(content, continues: block[packet.lowerBound] == 0x72) else {
      return
    }
    if let notification = UCINotification(whole[...]) {
      notification.append(to: &rows, line: count.number, host: nil, [])
    } else {
      rows.reject(line: count.number, "the notification has no two-way ranges", [])
    }
  }

  /// Returns the length of the packet at `position`.
  ///
  /// A packet has no checksum. Ranges must have the length that their number states; behind another packet
  /// there is the header of the next one, or the end.
  static func frame(_ block: [UInt8], at position: Int, isLast: Bool) -> FoundFrame {
    guard isHeader(block, position) else { return .nothing }
    guard position + UCIPackets.headerCount <= block.count else {
      return isLast ? .nothing : .incomplete
    }
    let count = UCIPackets.headerCount + Int(block[position + 3])
    let end = position + count
    guard end <= block.count else { return isLast ? .nothing : .incomplete }
    if block[position] == 0x62, UCIPackets.isRanges(block, at: position),
      let whole = UCINotification(block[position + UCIPackets.headerCount..<end]), whole.isComplete
    {
      return .frame(count)
    }
    if end + UCIPackets.headerCount > block.count, !isLast { return .incomplete }
    return end == block.count || isHeader(block, end) ? .frame(count) : .nothing
  }

  /// Whether the bytes at `position`, as many as there are, can begin a packet: a command, a response or a
  /// notification, with bits that are always zero.
  private static func isHeader(_ block: [UInt8], _ position: Int) -> Bool {
    let header = block[position...].prefix(3)
    guard let first = header.first, (1...3).contains(first >> 5) else { return false }
    let rest = Array(header.dropFirst())
    return (rest.first ?? 0) < 0x40 && (rest.count < 2 || rest[1] == 0)
  }
}
