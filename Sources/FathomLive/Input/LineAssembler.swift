/// Cuts a stream of bytes into parts that end with a line, so that lines can be dropped whole.
///
/// Bytes that are no text pass through: binary frames find their own beginnings.
struct LineAssembler {
  private var rest: [UInt8] = []
  private var isBinary: Bool?

  /// Bytes without an end of a line that are passed on all the same.
  private static let longest = 1 << 16

  /// Returns the whole lines so far, and keeps what follows them.
  mutating func add(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    if bytes.isEmpty { return [] }
    // NLink frames begin with 0x55 and a number; control characters are not part of text.
    let isBinary = self.isBinary ?? bytes.contains { $0 < 0x08 }
    self.isBinary = isBinary
    if isBinary { return Array(bytes) }
    let end = bytes.lastIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    guard let end else {
      rest.append(contentsOf: bytes)
      guard rest.count > Self.longest else { return [] }
      defer { rest = [] }
      return rest
    }
    var lines = rest
    lines.append(contentsOf: bytes[...end])
    rest = Array(bytes[(end + 1)...])
    return lines
  }

  /// Discards an incomplete line, and decides again whether the bytes are text; returns whether
  /// there was a line.
  mutating func cut() -> Bool {
    defer { (rest, isBinary) = ([], nil) }
    return !rest.isEmpty
  }

  /// Returns the last line, which has no end.
  mutating func finish() -> [UInt8] {
    defer { rest = [] }
    return rest
  }
}
