/// A name or number with the punctuation that programs leave on it when they print a value.
///
/// `1A,`, `"1A":`, `[1A]`, `UwbAddress{0x0600}` and `Optional(1.2)` have the content `1A`, `0x0600` and
/// `1.2`.
enum LoggedName {
  /// Returns the part of `range` without the punctuation; `range` itself without one.
  static func content(of bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    var range = range
    while let inner = inner(bytes, range), !inner.isEmpty { range = inner }
    return range
  }

  /// Returns the name `text` without the punctuation.
  static func content(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let bytes = Array(text)
    return bytes[content(of: bytes, bytes.indices)]
  }

  /// Returns `range` without one layer of punctuation; nil without punctuation.
  private static func inner(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    guard range.count > 1 else { return nil }
    let last = bytes[range.upperBound - 1]
    if trailing.contains(last) { return range.dropLast() }
    guard let (opening, _) = pairs.first(where: { $0.closing == last }) else { return nil }
    guard let start = range.first(where: { bytes[$0] == opening }), start < range.upperBound - 1
    else {
      return nil
    }
    // What precedes the bracket is the name of a type.
    guard bytes[range.lowerBound..<start].allSatisfy({ isLetter($0) }) else { return nil }
    return start + 1..<range.upperBound - 1
  }

  private static let trailing: [UInt8] = [
    UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "."),
  ]
  private static let pairs: [(opening: UInt8, closing: UInt8)] = [
    (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "("), UInt8(ascii: ")")),
    (UInt8(ascii: "["), UInt8(ascii: "]")), (UInt8(ascii: "<"), UInt8(ascii: ">")),
    (UInt8(ascii: "\""), UInt8(ascii: "\"")), (UInt8(ascii: "'"), UInt8(ascii: "'")),
  ]

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }
}
