import Fathom

/// A reader of what sketches with the Arduino libraries for the DW1000 print:
/// `from: 1782 Range: 2.35 m RX power: -78.20 dBm`, with the address in hexadecimal.
struct DW1000PrintReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    var range = LogRange()
    if cursor.skip(past: "from: ") || cursor.skip(past: "from:") {
      cursor.consumeBlanks()
      // Sketches put a comma or semicolon behind it.
      let name = LoggedName.content(
        of: cursor.bytes,
        cursor.consume { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
      guard !name.isEmpty, cursor.bytes[name].allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        return rows.reject(line, "the line is damaged")
      }
      range.anchor = cursor.bytes[name]
    }
    let front = cursor.position
    guard cursor.skip(past: "Range:"),
      !range.anchor.isEmpty || !Self.hasPair(cursor.bytes[front..<cursor.position - 6])
    else {
      if range.anchor.isEmpty {
        rows.skip()
      } else {
        rows.reject(line, "the line is damaged")
      }
      return
    }
    cursor.consumeBlanks()
    guard let distance = cursor.number() else { return rows.reject(line, "the line is damaged") }
    cursor.consumeBlanks()
    guard cursor.consume(UInt8(ascii: "m")) else { return rows.reject(line, "the line is damaged") }
    range.distance = distance
    if cursor.skip(past: "RX power:") {
      cursor.consumeBlanks()
      guard let level = cursor.number() else { return rows.reject(line, "the line is damaged") }
      cursor.consumeBlanks()
      guard cursor.consume("dBm") else { return rows.reject(line, "the line is damaged") }
      range.rssi = level
    }
    rows.beginEpoch(.round, in: line)
    rows.append(range, line: line.number)
  }

  /// Whether a pair of a key and a value stands in `front` of a range without an address.
  ///
  /// It names the anchor or the time, which a log of keys and values has.
  private static func hasPair(_ front: ArraySlice<UInt8>) -> Bool {
    front.contains { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }
  }
}
