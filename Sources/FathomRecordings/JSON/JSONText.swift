/// Conversion of texts in JSON to UTF-8 and to fields of CSV.
enum JSONText {
  /// Appends the text `raw`, with its escapes replaced by what they stand for.
  ///
  /// A surrogate without its other half becomes U+FFFD, and an unknown escape stands for its character.
  static func append(_ raw: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
    var index = 0
    while index < raw.count {
      let byte = raw[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < raw.count else {
        text.append(byte)
        continue
      }
      let escape = raw[index]
      index += 1
      switch escape {
      case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "u"):
        guard let unit = unit(raw, at: index) else {
          text.append(escape)
          continue
        }
        index += 4
        var scalar = Unicode.Scalar(unit)
        if unit & 0xFC00 == 0xD800, index + 1 < raw.count, raw[index] == UInt8(ascii: "\\"),
          raw[index + 1] == UInt8(ascii: "u"), let low = Self.unit(raw, at: index + 2),
          low & 0xFC00 == 0xDC00
        {
          scalar = Unicode.Scalar(
            0x1_0000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
          index += 6
        }
        text += Array(String(scalar ?? "\u{FFFD}").utf8)
      default: text.append(escape)
      }
    }
  }

  /// Appends the text `raw` as a field of CSV, in quotes where needed; returns the line ends inside
  /// it.
  static func appendField(
    _ raw: UnsafeBufferPointer<UInt8>, hasEscapes: Bool, to csv: inout [UInt8]
  ) -> Int {
    if !hasEscapes, isPlain(raw) {
      csv.append(contentsOf: raw)
      return 0
    }
    var text: [UInt8] = []
    append(raw, to: &text)
    return appendField(text, to: &csv)
  }

  /// Appends the text `text` as a field of CSV, in quotes where needed; returns the line ends
  /// inside it.
  @discardableResult
  static func appendField(_ text: [UInt8], to csv: inout [UInt8]) -> Int {
    if text.withUnsafeBufferPointer({ isPlain($0) }) {
      csv += text
      return 0
    }
    var lineEnds = 0
    csv.append(quote)
    for (index, byte) in text.enumerated() {
      if byte == quote { csv.append(quote) }
      csv.append(byte)
      // CRLF counts once, at its line feed.
      if byte == lineFeed
        || (byte == carriageReturn && !(index + 1 < text.count && text[index + 1] == lineFeed))
      {
        lineEnds += 1
      }
    }
    csv.append(quote)
    return lineEnds
  }

  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Whether a field with `text` reads the same without quotes.
  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first, let last = text.last else { return true }
    if first <= 0x20 || last <= 0x20 || first == UInt8(ascii: "#") { return false }
    for byte in text where byte == quote || byte == UInt8(ascii: ",") || byte < 0x20 {
      return false
    }
    return true
  }

  /// Returns the four hexadecimal digits at `index`; nil if they are none.
  private static func unit(_ raw: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16? {
    guard index + 4 <= raw.count else { return nil }
    var unit: UInt16 = 0
    for byte in raw[index..<(index + 4)] {
      guard let digit = TokenCursor.hexadecimalDigit(byte) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}

extension JSONText {
  /// Appends an object with text values, on one line.
  static func appendObject(
    _ members: [(String, ArraySlice<UInt8>)], to text: inout [UInt8]
  ) {
    text.append(UInt8(ascii: "{"))
    for (index, (name, value)) in members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendString(name.utf8, to: &text)
      text.append(UInt8(ascii: ":"))
      appendString(value, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Appends a text with its quotes.
  static func appendString(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in bytes {
      // Line ends would move the objects that follow to other lines.
      let isControl = byte < 0x20
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        text.append(UInt8(ascii: "\\"))
      }
      text.append(isControl ? UInt8(ascii: " ") : byte)
    }
    text.append(UInt8(ascii: "\""))
  }
}
