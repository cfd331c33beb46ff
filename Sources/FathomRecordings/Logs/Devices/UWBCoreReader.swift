import Fathom

/// A reader of the JSON of uwb-core (Mynewt, RIOT):
/// `{"utime": 5214098,"c": 274,"uid": 4867,"ouid": 4660,"raz": [0.778875],"los": [1.000000]}`.
///
/// Times are microseconds since the start of the device; `raz` is the range in metres and
/// optionally azimuth and zenith in radians; `los` is 1 for line of sight.
struct UWBCoreReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    guard cursor.offset(of: "\"utime\"") != nil, cursor.offset(of: "\"raz\"") != nil,
      let begin = cursor.offset(of: "{")
    else { return rows.skip() }
    cursor.position = begin
    var time: Int64?
    var range = LogRange()
    var (polar, sight): ([Double], [Double]) = ([], [])
    let isWhole = cursor.object { key, cursor in
      if cursor.isText(key, "raz") || cursor.isText(key, "los") {
        var numbers: [Double] = []
        let isWhole = cursor.array { cursor in
          guard let value = cursor.scalar() else { return false }
          numbers.append(cursor.number(in: value) ?? .nan)
          return true
        }
        if cursor.isText(key, "raz") { polar = numbers } else { sight = numbers }
        return isWhole
      }
      if cursor.isText(key, "utime") {
        time = cursor.scalar().flatMap { cursor.nanoseconds(in: $0, .microseconds) }
        return time != nil
      }
      if cursor.isText(key, "uid") || cursor.isText(key, "ouid") {
        guard let value = cursor.scalar(), cursor.integer(in: value) != nil else { return false }
        if cursor.isText(key, "uid") {
          range.tag = cursor.bytes[value]
        } else {
          range.anchor = cursor.bytes[value]
        }
        return true
      }
      return cursor.skipValue()
    }
    guard isWhole, let time, let distance = polar.first, !range.anchor.isEmpty else {
      return rows.reject(line, "the line is damaged")
    }
    range.distance = distance
    if polar.count > 1 { range.azimuth = polar[1] }
    if polar.count > 2 { range.elevation = .pi / 2 - polar[2] }
    if let share = sight.first, (0...1).contains(share) { range.nonLineOfSight = 1 - share }
    rows.beginEpoch(.sinceStart(time), in: line)
    rows.append(range, line: line.number)
  }
}
