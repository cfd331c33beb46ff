import Fathom

/// A reader of what the TREK1000 prints: `mc 0f 00000663 000005a3 00000512 000004cb 095f c1 00024c24
/// a0:0`.
///
/// The fields are a mask of valid ranges, the ranges to the anchors 0 to 3 in hexadecimal
/// millimetres, counters, the time of the device in milliseconds, and tag and anchor. `mr` has raw
/// ranges and no time; it is skipped if the log has `mc`, with corrected ranges, too. `ma` has
/// ranges between anchors and is skipped.
struct TREK1000Reader: LogLineReader {
  private var hasCorrected = false

  init() {}

  func restarted() -> TREK1000Reader { self }

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    let kinds: [StaticString] = ["mc ", "mr ", "ma "]
    guard let kind = kinds.firstIndex(where: { cursor.consume($0) }) else { return rows.skip() }
    guard let fields = cursor.blankFields(atMost: 16), fields.count >= 9,
      let mask = cursor.hexadecimal(in: fields[0])
    else { return rows.reject(line, "the line is damaged") }
    let last = fields.count - 1
    let ranges = fields[1...(last - 4)]
    guard ranges.allSatisfy({ $0.count == 8 }), fields[last - 1].count == 8,
      let stamp = cursor.hexadecimal(in: fields[last - 1])
    else { return rows.reject(line, "the line is damaged") }
    var millimetres: [UInt32] = []
    for field in ranges {
      guard let value = cursor.hexadecimal(in: field) else {
        return rows.reject(line, "the line is damaged")
      }
      millimetres.append(value)
    }
    var names = cursor.part(fields[last])
    guard names.consume(UInt8(ascii: "a")) || names.consume(UInt8(ascii: "t")) else {
      return rows.reject(line, "the line is damaged")
    }
    let tag = names.consume { $0 == UInt8(ascii: ":") }
    guard !tag.isEmpty, names.consume(UInt8(ascii: ":")), !names.isAtEnd else {
      return rows.reject(line, "the line is damaged")
    }
    if kind == 0 { hasCorrected = true }
    if kind == 2 || (kind == 1 && hasCorrected) { return rows.skip() }
    rows.beginEpoch(kind == 0 ? .sinceStart(1_000_000 * Int64(stamp)) : .none, in: line)
    for (index, value) in millimetres.enumerated() where mask >> UInt32(index) & 1 == 1 {
      var range = LogRange()
      range.tag = cursor.bytes[tag]
      range.anchor = Array("\(index)".utf8)[...]
      range.distance = Double(value) / 1000
      rows.append(range, line: line.number)
    }
  }
}

/// A reader of tables of the TREK1000: `145206932 0 1153 20049 28578 20387`.
///
/// The fields are the time of day as HHMMSSmmm, the tag, and the distances to the anchors 0, 1, ...
/// in millimetres; 0 or less stands for no distance.
struct TREKTableReader: LogLineReader {
  private var days = DayCounter()

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    guard let fields = cursor.blankFields(atMost: 34), fields.count >= 3,
      let time = ClockText(digits: cursor.bytes, fields[0]),
      let tag = cursor.integer(in: fields[1]),
      (0..<65_536).contains(tag)
    else { return rows.reject(line, "the row is not time, tag and distances") }
    var millimetres: [Int64] = []
    for field in fields[2...] {
      guard let value = cursor.integer(in: field), value < 10_000_000 else {
        return rows.reject(line, "a distance is not in millimetres")
      }
      millimetres.append(value)
    }
    rows.beginEpoch(.instant(days.unfold(time.nanoseconds)), in: line)
    for (index, value) in millimetres.enumerated() where value > 0 {
      var range = LogRange()
      range.tag = cursor.bytes[fields[1]]
      range.anchor = Array("\(index)".utf8)[...]
      range.distance = Double(value) / 1000
      rows.append(range, line: line.number)
    }
  }
}
