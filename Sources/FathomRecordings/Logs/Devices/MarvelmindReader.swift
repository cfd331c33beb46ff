import Fathom

/// A reader of the log of Marvelmind's dashboard: time since 1970, since the last row and since the
/// start, all in milliseconds; the address and the position of the mobile beacon; then pairs of a
/// stationary beacon and its raw distance in metres.
struct MarvelmindReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    guard let fields = cursor.fields(separatedBy: UInt8(ascii: ","), atMost: 7 + 2 * 64 + 1)
    else { return rows.reject(line, "the row has too many fields") }
    // A comma may end the row.
    let count = fields.last?.isEmpty == true ? fields.count - 1 : fields.count
    guard count >= 7, count % 2 == 1, let since1970 = cursor.integer(in: fields[0]),
      // Up to the year 2255: nanoseconds since 1970 have 64 bits.
      (100_000_000_000..<9_000_000_000_000).contains(since1970),
      cursor.integer(in: fields[3]) != nil,
      (1..<7).allSatisfy({ cursor.number(in: fields[$0]) != nil })
    else { return rows.reject(line, "the row is not times, address, position and distances") }
    let mark = rows.mark
    rows.beginEpoch(.instant(1_000_000 * since1970), in: line)
    for place in stride(from: 7, to: count, by: 2) {
      guard let beacon = cursor.integer(in: fields[place]),
        let distance = cursor.number(in: fields[place + 1])
      else {
        rows.cut(to: mark)
        return rows.reject(line, "a beacon or its distance is not a number")
      }
      // Beacon 0 or distance 0 fill unused pairs.
      if beacon == 0 || distance == 0 { continue }
      var range = LogRange()
      range.tag = cursor.bytes[fields[3]]
      range.anchor = cursor.bytes[fields[place]]
      range.distance = distance
      rows.append(range, line: line.number)
    }
  }
}
