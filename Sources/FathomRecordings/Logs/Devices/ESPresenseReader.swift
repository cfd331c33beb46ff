import Fathom

/// A reader of the MQTT messages of ESPresense, with the topic before the payload:
/// `espresense/devices/TAG/ROOM {"id":"TAG","distance":1.52,"rssi":-60}`.
///
/// The room is the anchor: each has one base station.
struct ESPresenseReader: LogLineReader {
  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    var cursor = line.wholeCursor
    guard cursor.skip(past: "/devices/") else { return rows.skip() }
    let tag = cursor.consume { $0 == UInt8(ascii: "/") || $0 <= 0x20 }
    guard cursor.consume(UInt8(ascii: "/")) else { return rows.skip() }
    let room = LoggedName.content(
      of: cursor.bytes, cursor.consume { $0 <= 0x20 || $0 == UInt8(ascii: "{") })
    guard !tag.isEmpty, !room.isEmpty, cursor.offset(of: "{") != nil else {
      return rows.reject(line, "the message has no tag, room or payload")
    }
    guard let distance = Self.number(after: "\"distance\"", cursor), cursor.offset(of: "}") != nil
    else { return rows.reject(line, "the message has no distance") }
    var range = LogRange()
    (range.tag, range.anchor) = (cursor.bytes[tag], cursor.bytes[room])
    range.distance = distance
    range.rssi = Self.number(after: "\"rssi\"", cursor) ?? .nan
    rows.beginEpoch(.round, in: line)
    rows.append(range, line: line.number)
  }

  /// Returns the number of the member `key`; nil without one.
  private static func number(after key: StaticString, _ text: TokenCursor) -> Double? {
    var text = text
    guard text.skip(past: key) else { return nil }
    text.consumeBlanks()
    guard text.consume(UInt8(ascii: ":")) else { return nil }
    text.consumeBlanks()
    return text.number()
  }
}
