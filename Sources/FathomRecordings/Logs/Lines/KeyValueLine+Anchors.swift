/// Anchors that a line names by a word before their names: `Distance to anchor 3: 2.31 m`.
extension KeyValueLine {
  /// Words before the name of an anchor, as in `Distance to anchor 3: 2.31 m`.
  private static let devices: Set<String> = ["anchor", "anch", "beacon", "responder", "node"]

  /// Returns the name of an anchor at the end of `range`: a word with a digit behind the word for an anchor; nil
  /// without one.
  static func device(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    func isOfName(_ byte: UInt8) -> Bool {
      isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
    }
    var end = range.upperBound
    while end > range.lowerBound, isBlank(bytes[end - 1]) { end -= 1 }
    var start = end
    while start > range.lowerBound, isOfName(bytes[start - 1]), end - start < 32 { start -= 1 }
    guard bytes[start..<end].contains(where: { $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    var before = start
    while before > range.lowerBound, start - before < 4, " #".utf8.contains(bytes[before - 1]) {
      before -= 1
    }
    var word = before
    while word > range.lowerBound, isLetter(bytes[word - 1]), before - word < 16 { word -= 1 }
    guard before < start,
      devices.contains(String(decoding: bytes[word..<before], as: UTF8.self).lowercased())
    else { return nil }
    return start..<end
  }

  /// Takes the sign at `cursor` and a number; returns the pairs of the anchor `device` and this distance, and nil
  /// with the cursor unmoved if something else follows.
  static func range(
    to device: Range<Int>, _ cursor: inout TokenCursor, _ keys: inout Keys
  ) -> [Pair]? {
    var rest = cursor
    rest.position += 1
    guard let value = value(&rest) else { return nil }
    let found = unit(after: value, &rest, .length)
    let bytes = cursor.bytes
    guard found.unit != nil || Double(String(decoding: bytes[value], as: UTF8.self)) != nil else {
      return nil
    }
    cursor = rest
    return [
      Pair(name: "anchor", key: keys.key("anchor"), value: bytes[device]),
      Pair(
        name: "distance", key: keys.key("distance"),
        value: withPoint(bytes[found.number], .length), unit: found.unit),
    ]
  }

  /// Adds the anchor and the distance of a line that names them by words, `anchor 0x1782 dist 2.35 m`, if no pair
  /// is a distance.
  mutating func addWords(_ bytes: [UInt8], _ range: Range<Int>, keys: inout Keys) {
    if pairs.contains(where: { $0.key.isDistance || $0.key.isAnchor }) { return }
    var cursor = TokenCursor(bytes, range)
    var found: [Pair] = []
    while !cursor.isAtEnd, found.count < 2 {
      cursor.consumeBlanks()
      let word = cursor.consume { Self.isSeparator($0) }
      if word.isEmpty {
        cursor.position += 1
        continue
      }
      let name = String(decoding: bytes[word], as: UTF8.self).lowercased()
      var rest = cursor
      rest.consumeBlanks()
      let value = rest.consume { Self.isSeparator($0) }
      if Self.devices.contains(name), found.isEmpty,
        bytes[value].contains(where: { $0 &- UInt8(ascii: "0") < 10 })
      {
        found.append(Pair(name: "anchor", key: keys.key("anchor"), value: bytes[value]))
      } else if !found.isEmpty, Self.distances.contains(name) {
        let (number, unit) = Self.unit(after: value, &rest, .length)
        guard Double(String(decoding: bytes[number], as: UTF8.self)) != nil else { continue }
        found.append(
          Pair(name: "distance", key: keys.key("distance"), value: bytes[number], unit: unit))
      }
    }
    if found.count == 2 { pairs += found }
  }

  private static let distances: Set<String> = ["dist", "distance", "range"]
}
