/// Joins datagrams to a stream of bytes, in which the lines of one do not continue those of another.
///
/// Binary frames can be divided among datagrams, so nothing is inserted between them. A text that
/// follows other bytes begins a line of its own.
struct DatagramJoiner {
  /// Whether the last datagram was binary and did not end with a line feed.
  private var isOpen = false

  /// Creates the joiner of a stream without datagrams so far.
  init() {}

  /// Appends a datagram; an empty one adds nothing.
  mutating func append(_ datagram: UnsafeRawBufferPointer, to lines: inout [UInt8]) {
    guard let last = datagram.last else { return }
    // Control characters are not part of text.
    let isText = !datagram.contains { $0 < 0x08 }
    if isText, isOpen { lines.append(UInt8(ascii: "\n")) }
    lines.append(contentsOf: datagram)
    isOpen = last != UInt8(ascii: "\n")
    guard isText, isOpen else { return }
    lines.append(UInt8(ascii: "\n"))
    isOpen = false
  }
}
