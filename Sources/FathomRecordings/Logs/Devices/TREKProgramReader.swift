import Fathom

/// A reader of the log of DecaRangeRTLS, the PC program of the TREK1000:
/// `T:090531088:RR:0:1:4550:4550:229:3301`.
///
/// Behind the time of day as HHMMSSmmm, `RR` has tag, anchor, the range and the corrected range in
/// millimetres, the sequence number and the number of the range. `AP:0:0:0:3` has the position of an
/// anchor in metres, as configured in the program. Positions (`LE`, `NL`), statistics (`TS`) and ranges
/// between anchors (`RA`) are skipped.
struct TREKProgramReader: LogLineReader {
  private var days = DayCounter()
  /// Tag, time and sequence number of the current epoch.
  private var epoch: [ArraySlice<UInt8>] = []

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    guard cursor.consume("T:") else { return rows.skip() }
    let fields = Self.fields(&cursor)
    guard fields.count >= 2 else { return rows.reject(line, "the line is damaged") }
    let bytes = cursor.bytes
    if bytes[fields[1]].elementsEqual("AP".utf8) { return readAnchor(line, fields, &rows) }
    guard bytes[fields[1]].elementsEqual("RR".utf8) else { return rows.skip() }
    guard fields.count == 8, let time = ClockText(digits: bytes, fields[0]),
      !fields[2].isEmpty, !fields[3].isEmpty, let corrected = cursor.integer(in: fields[5]),
      cursor.integer(in: fields[4]) != nil, (-100_000..<10_000_000).contains(corrected)
    else { return rows.reject(line, "the line is damaged") }
    let key = [bytes[fields[2]], bytes[fields[0]], bytes[fields[6]]]
    if key != epoch {
      epoch = key
      rows.beginEpoch(.instant(days.unfold(time.nanoseconds)), in: line)
    }
    var range = LogRange()
    range.tag = bytes[fields[2]]
    range.anchor = bytes[fields[3]]
    range.distance = Double(corrected) / 1000
    rows.append(range, line: line.number)
  }

  private func readAnchor(_ line: LogLine, _ fields: [Range<Int>], _ rows: inout LogRows) {
    let bytes = line.cursor.bytes
    rows.skip()
    guard fields.count == 6, !fields[2].isEmpty else { return }
    var position = Vector<3>.zero
    for axis in 0..<3 {
      guard let number = DecimalNumber(bytes, fields[3 + axis], decimalSeparator: UInt8(ascii: "."))
      else { return }
      position[axis] = number.value(in: bytes)
    }
    rows.appendAnchor(bytes[fields[2]], at: position, line: line.number)
  }

  /// Takes the fields between colons, at most nine.
  private static func fields(_ cursor: inout TokenCursor) -> [Range<Int>] {
    var fields: [Range<Int>] = []
    while fields.count < 9 {
      fields.append(cursor.consume { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\r") })
      guard cursor.consume(UInt8(ascii: ":")) else { break }
    }
    return fields
  }
}
