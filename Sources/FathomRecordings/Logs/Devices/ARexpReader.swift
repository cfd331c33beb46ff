import Fathom

/// A reader of rows of several sensors, `12345.67,"uwb",1.23,az,el`, as some iOS apps write them.
///
/// Only the rows of ultra-wideband are used. Their angles are radians times 90, a defect of these
/// apps, which took 90 for 180/π.
struct ARexpReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    var fields: [Range<Int>] = []
    while fields.count < 16 {
      fields.append(cursor.trimmed(cursor.consume { $0 == UInt8(ascii: ",") }))
      guard cursor.consume(UInt8(ascii: ",")) else { break }
    }
    guard fields.count >= 2,
      cursor.isText(fields[1], "\"uwb\"") || cursor.isText(fields[1], "uwb")
    else { return rows.skip() }
    guard fields.count == 5, let time = cursor.number(in: fields[0]),
      let unit = TimeUnit.ofInstant(time), let instant = cursor.nanoseconds(in: fields[0], unit),
      let distance = cursor.number(in: fields[2])
    else { return rows.reject(line, "the row does not have five fields") }
    var range = LogRange()
    range.distance = distance
    range.azimuth = (cursor.number(in: fields[3]) ?? .nan) / 90
    range.elevation = (cursor.number(in: fields[4]) ?? .nan) / 90
    rows.beginEpoch(.instant(instant), in: line)
    rows.append(range, line: line.number)
  }
}
