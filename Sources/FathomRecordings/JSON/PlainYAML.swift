/// A parser of plain YAML, of which JSON is a part.
///
/// Maps and lists are by indentation or in brackets. Anchors, tags, escapes and texts of several lines
/// are not read.
struct PlainYAML {
  enum Node {
    case scalar(String)
    case list([Node])
    case map([Member])
  }

  /// A member of a map.
  struct Member {
    var key: String
    var value: Node
  }

  private let bytes: [UInt8]
  private var place = 0
  /// Depth of nodes, which is limited so that damaged text does not exhaust the stack.
  private var depth = 0
  private static let greatestDepth = 16

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the whole text as a node; nil if it is not plain YAML.
  mutating func document() -> Node? {
    skipBlankLines()
    if matches("---") {
      skipLine()
      skipBlankLines()
    }
    let node = block(indent: column)
    skipBlankLines()
    return place == bytes.count ? node : nil
  }

  // MARK: Blocks

  /// Returns the node that begins here, whose lines are indented by `indent`.
  private mutating func block(indent: Int) -> Node? {
    guard depth < Self.greatestDepth else { return nil }
    depth += 1
    defer { depth -= 1 }
    if isDash { return list(indent: indent) }
    if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") { return flow() }
    return map(indent: indent)
  }

  private mutating func list(indent: Int) -> Node? {
    var nodes: [Node] = []
    while place < bytes.count, column == indent, isDash {
      place += 1
      skipBlanks()
      guard let node = isLineEnd ? below(indent) : startsMap ? map(indent: column) : value() else {
        return nil
      }
      nodes.append(node)
      skipBlankLines()
    }
    return .list(nodes)
  }

  private mutating func map(indent: Int) -> Node? {
    var pairs: [Member] = []
    while place < bytes.count, column == indent, !isDash {
      guard let key = scalar(endsAtColon: true), consume(UInt8(ascii: ":")) else { return nil }
      skipBlanks()
      guard let node = isLineEnd ? below(indent) : value() else { return nil }
      pairs.append(Member(key: key, value: node))
      skipBlankLines()
    }
    return pairs.isEmpty ? nil : .map(pairs)
  }

  /// Returns the node on the next lines, which are indented more; a list may be indented equally.
  private mutating func below(_ indent: Int) -> Node? {
    skipBlankLines()
    guard place < bytes.count, column > indent || (column == indent && isDash) else {
      return .scalar("")
    }
    return block(indent: column)
  }

  /// Returns the node on the rest of the line.
  private mutating func value() -> Node? {
    if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") { return flow() }
    return scalar(endsAtColon: false).map { .scalar($0) }
  }

  /// Whether the line goes on with a key.
  private var startsMap: Bool {
    guard let first = next, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else {
      return false
    }
    var probe = self
    return probe.scalar(endsAtColon: true) != nil && probe.consume(UInt8(ascii: ":"))
  }

  // MARK: Brackets

  private mutating func flow() -> Node? {
    guard depth < Self.greatestDepth, let opening = next else { return nil }
    depth += 1
    defer { depth -= 1 }
    let isMap = opening == UInt8(ascii: "{")
    guard isMap || opening == UInt8(ascii: "[") else {
      return scalar(endsAtColon: false, inBrackets: true).map { .scalar($0) }
    }
    place += 1
    var pairs: [Member] = []
    while true {
      skipBlankLines()
      if consume(isMap ? UInt8(ascii: "}") : UInt8(ascii: "]")) { break }
      var key = ""
      if isMap {
        guard let text = scalar(endsAtColon: true, inBrackets: true) else { return nil }
        key = text
        skipBlankLines()
        guard consume(UInt8(ascii: ":")) else { return nil }
        skipBlankLines()
      }
      guard let node = flow() else { return nil }
      pairs.append(Member(key: key, value: node))
      skipBlankLines()
      guard consume(UInt8(ascii: ",")) || next == UInt8(ascii: "}") || next == UInt8(ascii: "]")
      else { return nil }
    }
    return isMap ? .map(pairs) : .list(pairs.map(\.value))
  }

  // MARK: Scalars

  /// Takes a scalar: in quotes, or up to the end of its line, a colon or a bracket; nil without one.
  private mutating func scalar(endsAtColon: Bool, inBrackets: Bool = false) -> String? {
    if let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let start = place + 1
      guard let end = bytes[start...].firstIndex(of: quote) else { return nil }
      place = end + 1
      let text = String(decoding: bytes[start..<end], as: UTF8.self)
      skipBlanks()
      return text.contains("\\") ? nil : text
    }
    let start = place
    while let byte = next, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
      let after = place + 1 < bytes.count ? bytes[place + 1] : UInt8(ascii: "\n")
      if byte == UInt8(ascii: ":"), endsAtColon, inBrackets || after <= UInt8(ascii: " ") { break }
      if byte == UInt8(ascii: "#"), place > start, bytes[place - 1] <= UInt8(ascii: " ") { break }
      if inBrackets,
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
      {
        break
      }
      place += 1
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
      .trimmingPrefix { $0 == " " || $0 == "\t" }
    let end = text.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { String(text[...$0]) }
  }

  // MARK: Bytes

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// Bytes since the beginning of the line.
  private var column: Int {
    var start = place
    while start > 0, bytes[start - 1] != UInt8(ascii: "\n"), place - start < 1000 { start -= 1 }
    return place - start
  }

  private var isDash: Bool {
    next == UInt8(ascii: "-") && (place + 1 == bytes.count || bytes[place + 1] <= UInt8(ascii: " "))
  }

  private var isLineEnd: Bool {
    next == nil || next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
      || next == UInt8(ascii: "#")
  }

  private func matches(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

  private mutating func consume(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { place += 1 }
  }

  private mutating func skipLine() {
    while let byte = next, byte != UInt8(ascii: "\n") { place += 1 }
  }

  /// Skips blanks, line ends and comments.
  private mutating func skipBlankLines() {
    while let byte = next {
      if byte == UInt8(ascii: "#") { skipLine() }
      guard let byte = next, byte <= UInt8(ascii: " ") else { return }
      place += 1
    }
  }
}
