/// The pairs of a key and a value in a line: `t=12.3 anchor=A1 dist=4.56` or `Range: 4.56 m, ID: A1`.
///
/// Blanks, commas, semicolons and bars separate the pairs. What precedes the first key, such as the
/// time and the level of a logger, is no pair.
struct KeyValueLine {
  /// A pair.
  struct Pair {
    /// The key.
    var name: String
    /// The meaning of the key.
    var key: Key
    var value: ArraySlice<UInt8>
    /// The unit that follows the value, as in `dist=4 cm`; nil without one.
    var unit: String?
  }

  /// The meaning of a key.
  struct Key {
    /// Whether it is that of a column of any table.
    var isKnown = false
    /// Whether it is the time, the anchor or the distance of a range.
    var isTime = false
    var isAnchor = false
    var isDistance = false
    /// Whether it can be the name of an anchor, as in a list of anchors: `id` or `addr`.
    var isName = false
    var quantity = ColumnName.Quantity.none
    /// The unit that it states; nil without one.
    var unit: String?

    /// Finds the meaning of the key `name`.
    fileprivate init(_ name: String, renames: [String: String]) {
      func column(_ field: RangeField) -> Bool {
        TableKind.ranges.match(name, RangeField.columns[field.index], renames) != nil
      }
      (isTime, isAnchor, isDistance) = (column(.time), column(.anchor), column(.distance))
      isName = !isAnchor && RangeField.ofList(called: name) == .anchor
      for kind in TableKind.allCases where !isKnown {
        for column in kind.columns {
          guard let (_, unit) = kind.match(name, column, kind == .ranges ? renames : [:]) else {
            continue
          }
          (isKnown, quantity, self.unit) = (true, column.quantity, unit)
          break
        }
      }
    }
  }

  /// The keys of a log, each of which is looked up once.
  struct Keys {
    private var known: [String: Key] = [:]
    private let renames: [String: String]
    /// Whether `d` is a distance if a unit follows its value, and not the name of an anchor.
    fileprivate let hasShortDistances: Bool

    /// Keys that are remembered, more than any device prints.
    private static let most = 4096

    /// Creates the keys with the names that the caller states, and those of the declared anchors.
    init(renames: [String: String], declared: [String]) {
      self.renames = renames
      hasShortDistances = !declared.contains("d")
    }

    /// Returns the meaning of the key `name`.
    mutating func key(_ name: String) -> Key {
      if let key = known[name] { return key }
      let key = Key(name, renames: renames)
      if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
      known[name] = key
      return key
    }
  }

  /// Pairs of a line, more than any device prints.
  private static let mostPairs = 256
  /// Bytes of a value, so that the cost stays linear in the length of a line.
  private static let longestValue = 256

  /// Whether the line has more pairs than a line of a device.
  var isTooLong: Bool { pairs.count > Self.mostPairs }

  /// The pairs, in the order of the line.
  var pairs: [Pair] = []

  /// Parses the line in `range` of `bytes`.
  init(_ bytes: [UInt8], _ range: Range<Int>, keys: inout Keys) {
    var cursor = TokenCursor(bytes, range)
    // Where the next key can begin: behind the last value.
    var free = range.lowerBound
    while let byte = cursor.next, !isTooLong {
      guard Self.isSign(byte) else {
        cursor.position += 1
        continue
      }
      if let device = Self.device(bytes, free..<cursor.position),
        let found = Self.range(to: device, &cursor, &keys)
      {
        pairs += found
        free = cursor.position
        continue
      }
      guard let word = Self.word(bytes, free..<cursor.position) else {
        cursor.position += 1
        continue
      }
      cursor.position += 1
      guard let value = Self.value(&cursor) else { continue }
      var pair = Self.pair(bytes, free..<word.upperBound, word, &keys)
      if !pair.key.isKnown, Self.beginsPair(bytes, value, &keys) {
        // The word is the name of a module, as in `uwb: ts:5ms`.
        (cursor.position, free) = (value.lowerBound, value.lowerBound)
        continue
      }
      pair.value = bytes[value]
      var rest = cursor
      if !pair.key.isKnown, pair.name == "d", keys.hasShortDistances,
        Self.unit(after: value, &rest, .length).unit != nil
      {
        (pair.name, pair.key) = ("dist", keys.key("dist"))
      }
      if pair.key.isKnown {
        let found = Self.unit(after: value, &cursor, pair.key.quantity)
        pair.value = Self.withPoint(bytes[found.number], pair.key.quantity)
        pair.unit = found.unit
      } else {
        // The key can be the name of an anchor.
        let found = Self.unit(after: value, &cursor, .length)
        if found.unit != nil { (pair.value, pair.unit) = (bytes[found.number], found.unit) }
      }
      free = cursor.position
      pairs.append(pair)
    }
    addWords(bytes, range, keys: &keys)
  }

  // MARK: Keys

  /// Whether the byte can stand between a key and its value.
  private static func isSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":")
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  static func isSeparator(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
      || byte == UInt8(ascii: "|")
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 &- UInt8(ascii: "a") < 26 || byte >= 0x80
  }

  private static func isOfKey(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || "_.%/-[]()\"'".utf8.contains(byte)
  }

  /// Returns the word at the end of `range`, without quotes and opening brackets; nil if none begins
  /// with a letter.
  private static func word(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    var end = range.upperBound
    while end > range.lowerBound, isBlank(bytes[end - 1]) || bytes[end - 1] == UInt8(ascii: "\"") {
      end -= 1
    }
    var start = end
    while start > range.lowerBound, isOfKey(bytes[start - 1]),
      end - start < RecordingLimits.longestName
    {
      start -= 1
    }
    while start < end, !isLetter(bytes[start]), bytes[start] != UInt8(ascii: "_") { start += 1 }
    return start < end ? start..<end : nil
  }

  /// Returns a pair with the key that ends with `word`: up to two words before it belong to it if that
  /// makes it known, as in `RX power`.
  private static func pair(
    _ bytes: [UInt8], _ range: Range<Int>, _ word: Range<Int>, _ keys: inout Keys
  ) -> Pair {
    var starts = [word.lowerBound]
    while starts.count < 3, let start = starts.first, start > range.lowerBound + 1,
      bytes[start - 1] == UInt8(ascii: " "),
      let before = self.word(bytes, range.lowerBound..<(start - 1)), before.upperBound == start - 1
    {
      starts.insert(before.lowerBound, at: 0)
    }
    for start in starts {
      let name = String(decoding: bytes[start..<word.upperBound], as: UTF8.self)
      let key = keys.key(name)
      if key.isKnown || start == word.lowerBound { return Pair(name: name, key: key, value: []) }
    }
    let name = String(decoding: bytes[word], as: UTF8.self)
    return Pair(name: name, key: keys.key(name), value: [])
  }

  /// Whether `value` begins with a known key and a colon.
  private static func beginsPair(_ bytes: [UInt8], _ value: Range<Int>, _ keys: inout Keys) -> Bool
  {
    guard let colon = bytes[value].firstIndex(of: UInt8(ascii: ":")),
      let word = word(bytes, value.lowerBound..<colon), word.lowerBound == value.lowerBound
    else { return false }
    return keys.key(String(decoding: bytes[word], as: UTF8.self)).isKnown
  }

  // MARK: Values

  /// Takes the value at `cursor`; returns nil, at the place where a key can begin, if another key is
  /// there.
  static func value(_ cursor: inout TokenCursor) -> Range<Int>? {
    let start = cursor.position
    cursor.consumeBlanks()
    guard let first = cursor.next, !isSeparator(first), !isSign(first) else { return nil }
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      cursor.position += 1
      let text = cursor.consume { $0 == first }
      if cursor.consume(first) { return text }
      cursor.position = text.lowerBound
    }
    if let clock = ClockText(cursor.bytes, from: cursor.position, upTo: cursor.end),
      // The bytes of an address can look like a time of day.
      clock.end == cursor.end || isSeparator(cursor.bytes[clock.end])
        || opening(of: cursor.bytes[clock.end]) != nil
    {
      defer { cursor.position = clock.end }
      return cursor.position..<clock.end
    }
    let begin = cursor.position
    while let byte = cursor.next {
      if isSeparator(byte), !isDecimalComma(cursor) { break }
      if byte == UInt8(ascii: "=") || cursor.position - begin > longestValue {
        cursor.position = start
        return nil
      }
      cursor.position += 1
    }
    let value = begin..<cursor.position
    // The next key, behind a word such as the name of a module.
    var rest = cursor
    rest.consumeBlanks()
    let isKey =
      rest.next == UInt8(ascii: "=")
      || rest.position > cursor.position && rest.next == UInt8(ascii: ":")
    if isKey || value.last.map({ cursor.bytes[$0] == UInt8(ascii: ":") }) == true {
      cursor.position = start
      return nil
    }
    return unclosed(cursor.bytes, value)
  }

  /// Whether the cursor is at a comma between two digits.
  private static func isDecimalComma(_ cursor: TokenCursor) -> Bool {
    guard cursor.next == UInt8(ascii: ","), cursor.position > 0, let after = cursor.peek(1) else {
      return false
    }
    return cursor.bytes[cursor.position - 1] &- UInt8(ascii: "0") < 10
      && after &- UInt8(ascii: "0") < 10
  }

  /// Returns `value` without the brackets at its end that open before it: `{t=1, dist=2.5}`.
  private static func unclosed(_ bytes: [UInt8], _ value: Range<Int>) -> Range<Int> {
    var value = value
    while let last = value.last, let opening = opening(of: bytes[last]) {
      if bytes[value].contains(opening) { break }
      value = value.dropLast()
    }
    return value
  }

  /// Returns the bracket that `byte` closes; nil for other bytes.
  private static func opening(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "]"): UInt8(ascii: "[")
    case UInt8(ascii: ")"): UInt8(ascii: "(")
    case UInt8(ascii: "}"): UInt8(ascii: "{")
    case UInt8(ascii: ">"): UInt8(ascii: "<")
    default: nil
    }
  }

  /// Takes the unit behind or after `value`; returns the value without it.
  static func unit(
    after value: Range<Int>, _ cursor: inout TokenCursor, _ quantity: ColumnName.Quantity
  ) -> (number: Range<Int>, unit: String?) {
    let bytes = cursor.bytes
    var digits = TokenCursor(bytes, value)
    let number = digits.consume {
      !($0 &- UInt8(ascii: "0") < 10 || "+-.,".utf8.contains($0))
    }
    guard !number.isEmpty, bytes[number].contains(where: { $0 &- UInt8(ascii: "0") < 10 }) else {
      return (value, nil)
    }
    func unit(_ range: Range<Int>) -> String? {
      var text = String(decoding: bytes[range], as: UTF8.self).lowercased()
      if text.hasPrefix("("), text.hasSuffix(")") { text = String(text.dropFirst().dropLast()) }
      return quantity.unit(text)
    }
    if number.count < value.count {
      // `4.56m` or `231(cm)`.
      let found = unit(number.upperBound..<value.upperBound)
      return found == nil ? (value, nil) : (number, found)
    }
    var rest = cursor
    rest.consumeBlanks()
    let word = rest.consume { isSeparator($0) || isSign($0) }
    let inner = unclosed(bytes, word)
    guard !inner.isEmpty, let found = unit(inner) else { return (value, nil) }
    var next = rest
    next.consumeBlanks()
    if let byte = next.next, isSign(byte) { return (value, nil) }
    cursor = rest
    return (value, found)
  }

  /// Returns the number `value` with a point for a decimal comma; other values as they are.
  static func withPoint(
    _ value: ArraySlice<UInt8>, _ quantity: ColumnName.Quantity
  ) -> ArraySlice<UInt8> {
    if case .none = quantity { return value }
    guard value.count(where: { $0 == UInt8(ascii: ",") }) == 1,
      value.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 || "+-,".utf8.contains($0) })
    else { return value }
    return Array(value.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 })[...]
  }
}
