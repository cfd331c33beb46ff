import Fathom

/// A reader of what the shell of the DWM1001 prints for `lec` and `les`: per line the distances to
/// some anchors, with the anchors' positions, in metres.
///
/// A line is used as a whole or not at all: at a high rate lines lose parts and run into each other.
struct DWM1001Reader: LogLineReader {
  /// The last anchor at each place of a line of `lec`, which mostly stays the same.
  private struct Place {
    var text: ArraySlice<UInt8>
    var name: ArraySlice<UInt8>
    var position: Vector<3>
  }
  private var places: [Place] = []

  init() {}

  mutating func read(_ line: LogLine, into rows: inout LogRows) {
    // An anchor's name in front of a les line can look like the digits of a time stamp.
    var cursor = line.cursor
    let mark = rows.mark
    if cursor.skip(past: "DIST,") {
      rows.beginEpoch(.none, in: line)
      if !readDistances(&cursor, line, into: &rows) {
        rows.cut(to: mark)
        rows.reject(line, "the line is damaged")
      }
      return
    }
    guard let begin = Self.firstAnchor(cursor) else { return rows.skip() }
    cursor.position = begin
    rows.beginEpoch(.none, in: line)
    if !readPairs(&cursor, line, into: &rows) {
      rows.cut(to: mark)
      rows.reject(line, "the line is damaged")
    }
  }

  /// Reads `4,AN0,022E,7.94,8.03,0.00,3.44,AN1,...,POS,6.95,5.37,-1.97,52`.
  private mutating func readDistances(
    _ cursor: inout TokenCursor, _ line: LogLine, into rows: inout LogRows
  ) -> Bool {
    guard let count = Self.field(&cursor), let announced = cursor.integer(in: count),
      (0...64).contains(announced)
    else { return false }
    for index in 0..<announced {
      guard let label = Self.field(&cursor), label.count >= 3,
        cursor.matches("AN", at: label.lowerBound),
        cursor.integer(in: label.dropFirst(2)) == index,
        consumePlace(Int(index), &cursor), let distance = Self.number(&cursor)
      else { return false }
      append(
        places[Int(index)].name, places[Int(index)].position, distance, line, into: &rows)
    }
    guard !cursor.isAtEnd else { return true }
    guard let label = Self.field(&cursor) else { return false }
    if label.isEmpty { return cursor.isAtEnd }
    guard cursor.isText(label, "POS") else { return false }
    for _ in 0..<4 where Self.number(&cursor) == nil { return false }
    return cursor.isAtEnd
  }

  /// Reads `022E[7.94,8.03,0.00]=3.38 ... le_us=3082 est[6.97,5.17,-1.77,53]`.
  private func readPairs(
    _ cursor: inout TokenCursor, _ line: LogLine, into rows: inout LogRows
  ) -> Bool {
    while true {
      cursor.consumeBlanks()
      if cursor.isAtEnd { return true }
      let token = cursor.consume { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      var part = cursor.part(token)
      if part.consume("le_us=") {
        guard part.number() != nil, part.isAtEnd else { return false }
        continue
      }
      let isEstimate = part.matches("est[", at: part.position)
      let name = part.consume { $0 == UInt8(ascii: "[") }
      guard part.consume(UInt8(ascii: "[")), let x = part.number(), part.consume(UInt8(ascii: ",")),
        let y = part.number(), part.consume(UInt8(ascii: ",")), let z = part.number()
      else { return false }
      if isEstimate {
        guard part.consume(UInt8(ascii: ",")), part.number() != nil,
          part.consume(UInt8(ascii: "]")),
          part.isAtEnd
        else { return false }
        continue
      }
      guard Self.isName(name, part), part.consume(UInt8(ascii: "]")),
        part.consume(UInt8(ascii: "=")),
        let distance = part.number(), part.isAtEnd
      else { return false }
      append(part.bytes[name], Vector([x, y, z]), distance, line, into: &rows)
    }
  }

  /// Takes `022E,7.94,8.03,0.00,`, the anchor at place `index` of a line, into ``places``, which has
  /// all places before it; returns false if the text is damaged.
  private mutating func consumePlace(_ index: Int, _ cursor: inout TokenCursor) -> Bool {
    if index < places.count, cursor.consume(places[index].text) { return true }
    let start = cursor.position
    guard let name = Self.field(&cursor), Self.isName(name, cursor), let x = Self.number(&cursor),
      let y = Self.number(&cursor), let z = Self.number(&cursor), !cursor.isAtEnd
    else { return false }
    // Copies, because the bytes of a block are not kept.
    let place = Place(
      text: Array(cursor.bytes[start..<cursor.position])[...], name: Array(cursor.bytes[name])[...],
      position: Vector([x, y, z]))
    if index < places.count {
      places[index] = place
    } else {
      places.append(place)
    }
    return true
  }

  private func append(
    _ name: ArraySlice<UInt8>, _ position: Vector<3>, _ distance: Double, _ line: LogLine,
    into rows: inout LogRows
  ) {
    var range = LogRange()
    range.anchor = name
    range.distance = distance
    rows.append(range, line: line.number)
    rows.appendAnchor(range.anchor, at: position, line: line.number)
  }

  /// Returns the offset of the first token of the form `022E[`; nil without one.
  private static func firstAnchor(_ cursor: TokenCursor) -> Int? {
    var cursor = cursor
    while !cursor.isAtEnd {
      cursor.consumeBlanks()
      let start = cursor.position
      let token = cursor.consume {
        $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "[")
      }
      if cursor.next == UInt8(ascii: "["), isName(token, cursor) { return start }
      if cursor.next == UInt8(ascii: "[") { cursor.position += 1 }
    }
    return nil
  }

  /// Whether `range` is an address of four hexadecimal digits.
  private static func isName(_ range: Range<Int>, _ cursor: TokenCursor) -> Bool {
    range.count == 4 && cursor.hexadecimal(in: range) != nil
  }

  /// Takes a field and the comma after it.
  @inline(__always)
  private static func field(_ cursor: inout TokenCursor) -> Range<Int>? {
    let field = cursor.consume { $0 == UInt8(ascii: ",") }
    if field.isEmpty, cursor.isAtEnd { return nil }
    _ = cursor.consume(UInt8(ascii: ","))
    return field
  }

  @inline(__always)
  private static func number(_ cursor: inout TokenCursor) -> Double? {
    field(&cursor).flatMap { cursor.number(in: $0) }
  }
}
