import Fathom

/// A reader of what Makerfabs' ESP32 boards print: `AT+RANGE=` with up to eight distances in
/// centimetres, the JSON of the vendor's example with the same numbers, and the JSON of the older
/// boards with distances in metres.
///
/// A distance of 0 means that the anchor did not answer. The index is the anchor, unless `ancid`
/// names it.
struct MakerfabsReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.cursor
    let mark = rows.mark
    let isWhole: Bool
    if cursor.skip(past: "AT+RANGE=") {
      isWhole = readCommand(&cursor, line, into: &rows)
    } else if let begin = cursor.offset(of: "{\"id\"") ?? cursor.offset(of: "{\"links\"")
      ?? cursor.offset(of: "{\"range\"")
    {
      cursor.position = begin
      isWhole = readObject(&cursor, line, into: &rows)
    } else {
      return rows.skip()
    }
    if !isWhole {
      rows.cut(to: mark)
      rows.reject(line, "the line is damaged")
    }
  }

  /// Reads `tid:1,mask:04,seq:63,range:(0,0,30),rssi:(0.00,0.00,-77.93),ancid:(-1,-1,2)`.
  private func readCommand(
    _ cursor: inout TokenCursor, _ line: LogLine, into rows: inout LogRows
  ) -> Bool {
    var tag = 0..<0
    var (ranges, levels, anchors): ([Double]?, [Double]?, [Double]?) = (nil, nil, nil)
    repeat {
      cursor.consumeBlanks()
      let key = cursor.consume { $0 == UInt8(ascii: ":") }
      guard cursor.consume(UInt8(ascii: ":")) else { return false }
      if cursor.next == UInt8(ascii: "(") {
        guard let values = Self.list(&cursor) else { return false }
        if cursor.isText(key, "range") { ranges = values }
        if cursor.isText(key, "rssi") { levels = values }
        if cursor.isText(key, "ancid") { anchors = values }
      } else {
        let value = cursor.trimmed(cursor.consume { $0 == UInt8(ascii: ",") })
        if cursor.isText(key, "tid") {
          guard cursor.integer(in: value) != nil else { return false }
          tag = value
        } else {
          guard cursor.hexadecimal(in: value) != nil else { return false }
        }
      }
    } while cursor.consume(UInt8(ascii: ","))
    cursor.consumeBlanks()
    guard cursor.isAtEnd, let ranges, !tag.isEmpty,
      levels.map({ $0.count == ranges.count }) ?? true,
      anchors.map({ $0.count == ranges.count }) ?? true
    else { return false }
    rows.beginEpoch(.none, in: line)
    for (index, centimetres) in ranges.enumerated() where centimetres != 0 {
      var range = LogRange()
      range.tag = cursor.bytes[tag]
      if let anchors, anchors[index] >= 0, anchors[index] < 65_536 {
        range.anchor = Array("\(Int(anchors[index]))".utf8)[...]
      } else {
        range.anchor = Array("\(index)".utf8)[...]
      }
      range.distance = centimetres / 100
      if let level = levels?[index], level != 0 { range.rssi = level }
      rows.append(range, line: line.number)
    }
    return true
  }

  /// Reads `{"id":1,"range":[0,0,30]}` or `{"links":[{"A":"1782","R":"1.2"}]}`.
  private func readObject(
    _ cursor: inout TokenCursor, _ line: LogLine, into rows: inout LogRows
  ) -> Bool {
    var tag = 0..<0
    var ranges: [Double] = []
    var links: [LogRange] = []
    let isWhole = cursor.object { key, cursor in
      if cursor.isText(key, "id") {
        tag = cursor.scalar() ?? 0..<0
        return !tag.isEmpty
      }
      if cursor.isText(key, "range") {
        return cursor.array { cursor in
          guard let value = cursor.scalar(), let number = cursor.number(in: value) else {
            return false
          }
          ranges.append(number)
          return true
        }
      }
      if cursor.isText(key, "links") {
        return cursor.array { cursor in
          guard let link = Self.link(&cursor) else { return false }
          links.append(link)
          return true
        }
      }
      return cursor.skipValue()
    }
    guard isWhole else { return false }
    rows.beginEpoch(.none, in: line)
    for (index, centimetres) in ranges.enumerated() where centimetres != 0 {
      var range = LogRange()
      range.anchor = Array("\(index)".utf8)[...]
      range.distance = centimetres / 100
      links.append(range)
    }
    for var link in links {
      link.tag = cursor.bytes[tag]
      rows.append(link, line: line.number)
    }
    return true
  }

  private static func link(_ cursor: inout TokenCursor) -> LogRange? {
    var link = LogRange()
    let isWhole = cursor.object { key, cursor in
      guard let value = cursor.scalar() else { return false }
      if cursor.isText(key, "A") { link.anchor = cursor.bytes[value] }
      if cursor.isText(key, "R") { link.distance = cursor.number(in: value) ?? .nan }
      return true
    }
    return isWhole && !link.anchor.isEmpty && !link.distance.isNaN ? link : nil
  }

  /// Takes numbers in parentheses.
  private static func list(_ cursor: inout TokenCursor) -> [Double]? {
    guard cursor.consume(UInt8(ascii: "(")) else { return nil }
    var values: [Double] = []
    repeat {
      cursor.consumeBlanks()
      guard let value = cursor.number() else { return nil }
      values.append(value)
      cursor.consumeBlanks()
    } while cursor.consume(UInt8(ascii: ","))
    return cursor.consume(UInt8(ascii: ")")) ? values : nil
  }
}
