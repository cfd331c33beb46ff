/// The objects in the text of a JSON file, one after the other, with their lines.
///
/// The text is JSON Lines, an array of objects, or objects in any white space. Commas and square
/// brackets between objects are skipped, and so are blank lines, lines that begin with `#`, and text
/// without braces and quotes before an object, such as the topic of an MQTT message.
///
/// A fault costs one row: scanning continues with the line after the beginning of the faulty object,
/// or with the next object of an array on the same line.
struct JSONObjects {
  /// What was found.
  enum Item {
    /// An object, whose tokens are those of ``scanner``.
    case object
    /// A line, or an object, that is rejected; its first bytes are in ``range``.
    case fault(JSONFault)
  }

  private(set) var scanner = JSONObjectScanner()
  /// Offset of the first byte that has not been processed.
  var position = 0
  /// Line of that byte, from 1.
  private var line = 1
  /// Line on which the item begins.
  private(set) var itemLine = 1
  /// Bytes of the item, of a fault at most up to the end of the line.
  private(set) var range = 0..<0
  /// Whether the lines that follow can belong to an object with a fault.
  private var isAfterFault = false
  /// Whether the objects are elements of an array.
  private var isArray = false

  /// Moves to the next item of `bytes`, the text of the file from the last ``position`` on.
  ///
  /// Nil when more text is needed or the text ends.
  mutating func next(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Item? {
    while true {
      guard skipSeparators(bytes, isLast: isLast) else { return nil }
      if bytes[position] == UInt8(ascii: "{") { break }
      let end = Self.lineEnd(bytes, from: position)
      if end == bytes.count, !isLast, end - position < RecordingLimits.longestRow { return nil }
      let rest = bytes[position..<end]
      if bytes[position] == UInt8(ascii: "#") {
        position = end
        continue
      }
      if let brace = Self.firstMark(rest), bytes[brace] == UInt8(ascii: "{") {
        position = brace
        break
      }
      let isInside = isAfterFault && Self.isInsideObject(bytes[position])
      (itemLine, range) = (line, position..<end)
      position = end
      if !isInside { return .fault(.noObject) }
    }
    return scanObject(bytes, isLast: isLast)
  }

  private mutating func scanObject(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool
  ) -> Item? {
    let start = position
    itemLine = line
    var fault: JSONFault
    switch scanner.scan(bytes, from: start) {
    case .object:
      let end = scanner.position
      var after = end
      while after < bytes.count, bytes[after] == 0x20 || bytes[after] == 0x09 { after += 1 }
      if after == bytes.count, !isLast { return nil }
      if after == bytes.count || Self.canFollow(bytes[after]) {
        guard end - start <= RecordingLimits.longestRow else {
          fault = .tooLong
          break
        }
        range = start..<end
        position = end
        line += scanner.lineEnds
        isAfterFault = false
        return .object
      }
      fault = .textAfterObject
    case .incomplete:
      fault = bytes.count - start > RecordingLimits.longestRow ? .tooLong : .unclosedObject
      if fault == .unclosedObject, !isLast { return nil }
    case .fault(let found): fault = found
    }
    let end = Self.lineEnd(bytes, from: start)
    // The rest of the line belongs to the fault.
    if end == bytes.count, !isLast, end - start < RecordingLimits.longestRow { return nil }
    range = start..<end
    isAfterFault = true
    let isLong = fault == .tooLong || fault == .unclosedObject
    let begin = isLong ? start + 1 : max(start + 1, scanner.position)
    position = (isArray && begin < end ? Self.nextElement(bytes, begin..<end) : nil) ?? end
    return .fault(fault)
  }

  /// Skips what can stand between objects; returns false when the bytes end.
  private mutating func skipSeparators(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool
  ) -> Bool {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: "\r"):
        if position + 1 == bytes.count, !isLast { return false }
        if position + 1 == bytes.count || bytes[position + 1] != UInt8(ascii: "\n") { line += 1 }
      case UInt8(ascii: "["): isArray = true
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";"),
        UInt8(ascii: "]"):
        break
      case UInt8(ascii: "}") where isAfterFault: break
      default: return true
      }
      position += 1
    }
    return false
  }

  // MARK: Recognition

  /// Whether `bytes`, the beginning of a file, are objects in JSON.
  ///
  /// The first character that is not blank is `{` before a key, or `[` before such an object. Text
  /// without braces and quotes may precede an object on the first line.
  static func begins(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while true {
      rest = rest.drop { $0 <= 0x20 }
      guard rest.first == UInt8(ascii: "#") else { break }
      rest = rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }
    if rest.first == UInt8(ascii: "[") { rest = rest.dropFirst().drop { $0 <= 0x20 } }
    if rest.first != UInt8(ascii: "{") {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      guard line.last(where: { $0 > 0x20 }) == UInt8(ascii: "}"),
        let brace = firstMark(line)
      else { return false }
      rest = rest[brace...]
    }
    guard rest.first == UInt8(ascii: "{") else { return false }
    let key = rest.dropFirst().drop { $0 <= 0x20 }
    // Python prints dictionaries with single quotes.
    guard let quote = key.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return key.first == UInt8(ascii: "}")
    }
    return key.dropFirst().prefix(RecordingLimits.longestName + 1).contains(quote)
  }

  // MARK: Bytes

  /// Returns the index of the first brace or quote.
  private static func firstMark<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.Index? {
    bytes.firstIndex {
      $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "\"")
    }
  }

  /// Whether a line inside an object can begin with `byte`.
  private static func isInsideObject(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10
  }

  /// Whether `byte` can follow an object on its line.
  private static func canFollow(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "]"), UInt8(ascii: "{"):
      true
    default: false
    }
  }

  /// Returns the offset of the line end at or after `start`, or of the end of the bytes.
  private static func lineEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      ?? bytes.count
  }

  /// Returns the offset of the first object in `range` that follows the end of another; nil without
  /// one.
  private static func nextElement(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> Int? {
    var last: UInt8 = 0
    var beforeLast: UInt8 = 0
    for index in range where bytes[index] > 0x20 {
      if bytes[index] == UInt8(ascii: "{"), last == UInt8(ascii: ","),
        beforeLast == UInt8(ascii: "}")
      {
        return index
      }
      (beforeLast, last) = (last, bytes[index])
    }
    return nil
  }
}
