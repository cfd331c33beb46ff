/// A member of a JSON object or an element of a list.
struct JSONToken {
  /// What the value is.
  enum Kind: UInt8 {
    /// A number, `true`, `false`, or a word such as `NaN`, copied as it stands.
    case plain
    case text
    case null
    case object
    case list

    /// Whether the value has tokens of its own.
    var isNested: Bool { self == .object || self == .list }
  }

  /// The bytes of the key, without quotes; empty for an element of a list.
  var key: Range<Int>
  /// The bytes of the value: of a text without its quotes, of an object or list with its brackets.
  var value: Range<Int>
  var kind: Kind
  /// Whether the key or the text has escapes.
  var hasEscapedKey = false
  var hasEscapes = false
  /// Index after the tokens inside.
  var end = 0
}

/// A scanner of one JSON object (RFC 8259), without creating a `String`.
///
/// The tokens are in the order of the text; those of an object or list follow it. Beyond the RFC,
/// the words `NaN`, `Infinity` and `-Infinity` are values, because Python writes them, and a comma may
/// precede a closing bracket. Numbers are not checked here but by the reader of the table.
struct JSONObjectScanner {
  /// The result of a scan.
  enum Outcome {
    /// An object; its end is ``position``.
    case object
    /// The bytes end inside the object.
    case incomplete
    case fault(JSONFault)
  }

  /// Members of the last object.
  private(set) var tokens: [JSONToken] = []
  /// A hash of its keys and its nesting: equal objects in all but their values have the same.
  private(set) var shape: UInt64 = 0
  /// Offset after the object, or of the fault.
  private(set) var position = 0
  /// Line ends inside it.
  private(set) var lineEnds = 0

  private struct Stop: Error { var fault: JSONFault? }

  init() { tokens.reserveCapacity(64) }

  /// Scans the object whose opening brace is at `start` of `bytes`.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Outcome {
    tokens.removeAll(keepingCapacity: true)
    (shape, position, lineEnds) = (Self.hashBasis, start + 1, 0)
    do throws(Stop) {
      try scanMembers(bytes, isList: false, level: 1)
      return .object
    } catch {
      return error.fault.map { .fault($0) } ?? .incomplete
    }
  }

  // MARK: Values

  /// Scans up to the bracket that closes the object or list.
  private mutating func scanMembers(
    _ bytes: UnsafeBufferPointer<UInt8>, isList: Bool, level: Int
  ) throws(Stop) {
    let close = isList ? UInt8(ascii: "]") : UInt8(ascii: "}")
    while true {
      var byte = try next(bytes)
      if byte == close {
        position += 1
        return
      }
      var token = JSONToken(key: 0..<0, value: 0..<0, kind: .plain)
      if !isList {
        guard byte == Self.quote else { throw Stop(fault: .missingKey) }
        position += 1
        token.key = try scanText(bytes, &token.hasEscapedKey, isKey: true)
        guard try next(bytes) == UInt8(ascii: ":") else { throw Stop(fault: .missingColon) }
        position += 1
        byte = try next(bytes)
      }
      try scanValue(bytes, &token, byte, level: level)
      byte = try next(bytes)
      if byte == UInt8(ascii: ",") {
        position += 1
      } else if byte != close {
        throw Stop(fault: .missingComma)
      }
    }
  }

  private mutating func scanValue(
    _ bytes: UnsafeBufferPointer<UInt8>, _ token: inout JSONToken, _ first: UInt8, level: Int
  ) throws(Stop) {
    let begin = position
    switch first {
    case Self.quote:
      position += 1
      token.kind = .text
      token.value = try scanText(bytes, &token.hasEscapes, isKey: false)
      append(token)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard level < RecordingLimits.mostJSONLevels else { throw Stop(fault: .tooDeep) }
      let isList = first == UInt8(ascii: "[")
      token.kind = isList ? .list : .object
      position += 1
      let index = tokens.count
      append(token)
      try scanMembers(bytes, isList: isList, level: level + 1)
      tokens[index].value = begin..<position
      tokens[index].end = tokens.count
      mix(isList ? 3 : 4)
    default:
      while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
      if position == bytes.count { throw Stop(fault: nil) }
      guard position > begin else { throw Stop(fault: .missingValue) }
      token.value = begin..<position
      if first > UInt8(ascii: "9") || bytes[position - 1] > UInt8(ascii: "9") {
        let word = UnsafeBufferPointer(rebasing: bytes[begin..<position])
        guard let found = Self.words.first(where: { $0.text.elementsEqual(word) }) else {
          throw Stop(fault: .missingValue)
        }
        token.kind = found.kind
      }
      append(token)
    }
  }

  /// Scans a text up to its closing quote; returns its bytes.
  @inline(__always)
  private mutating func scanText(
    _ bytes: UnsafeBufferPointer<UInt8>, _ hasEscapes: inout Bool, isKey: Bool
  ) throws(Stop) -> Range<Int> {
    let begin = position
    var hash = shape
    while position < bytes.count {
      let byte = bytes[position]
      if byte == Self.quote {
        position += 1
        if isKey { shape = (hash ^ 1) &* Self.hashFactor }
        return begin..<(position - 1)
      }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
        guard position < bytes.count else { break }
        if bytes[position] < 0x20 { throw Stop(fault: .unclosedText) }
      } else if byte == Self.lineFeed || byte == Self.carriageReturn {
        throw Stop(fault: .unclosedText)
      }
      if isKey { hash = (hash ^ UInt64(byte)) &* Self.hashFactor }
      position += 1
    }
    throw Stop(fault: nil)
  }

  /// Skips white space; returns the byte after it.
  @inline(__always)
  private mutating func next(_ bytes: UnsafeBufferPointer<UInt8>) throws(Stop) -> UInt8 {
    while position < bytes.count {
      let byte = bytes[position]
      if byte > 0x20 { return byte }
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): break
      case Self.lineFeed: lineEnds += 1
      case Self.carriageReturn:
        guard position + 1 < bytes.count else { throw Stop(fault: nil) }
        if bytes[position + 1] != Self.lineFeed { lineEnds += 1 }
      default: return byte
      }
      position += 1
    }
    throw Stop(fault: nil)
  }

  @inline(__always)
  private mutating func append(_ token: JSONToken) {
    var token = token
    token.end = tokens.count + 1
    tokens.append(token)
    // A value of any kind can be absent in one object and present in the next.
    mix(token.kind.isNested ? 2 : 5)
  }

  @inline(__always)
  private mutating func mix(_ value: UInt64) { shape = (shape ^ value) &* Self.hashFactor }

  /// Whether `byte` can be part of a number or word.
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "+") || (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  private static let words: [(text: [UInt8], kind: JSONToken.Kind)] = [
    (Array("true".utf8), .plain), (Array("false".utf8), .plain), (Array("null".utf8), .null),
    (Array("NaN".utf8), .plain), (Array("Infinity".utf8), .plain),
    (Array("-Infinity".utf8), .plain),
  ]
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  /// Parameters of the hash FNV-1a.
  private static let hashBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let hashFactor: UInt64 = 0x100_0000_01b3
}
