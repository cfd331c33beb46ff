import Fathom

/// Documents in YAML between lines `---`, as `rostopic echo` and `ros2 topic echo` print messages.
extension JSONForm {
  /// The line between two documents.
  private static let separator = Array("---".utf8)

  /// Documents of a stream from which its columns are recognised.
  private static let fewestDocuments = 4

  /// Whether a file begins with a document of which measurements are made, before a line `---`.
  static func beginsDocuments(_ head: [UInt8], declared: [String]) -> Bool {
    // A key stands on the first line; the search for the second document costs more.
    guard let first = head.first(where: { $0 > 0x20 }),
      first | 0x20 &- UInt8(ascii: "a") < 26 || first == UInt8(ascii: "-"),
      head.prefix(while: { $0 != UInt8(ascii: "\n") }).contains(UInt8(ascii: ":"))
        || head.starts(with: separator),
      TokenCursor(head, 0..<head.count).offset(of: "\n---") != nil
    else { return false }
    for document in documents(of: head, upTo: head.count) where !document.isEmpty {
      guard let object = object(of: head[document]) else { return false }
      return object.withUnsafeBufferPointer { bytes in
        var scanner = JSONObjectScanner()
        guard case .object = scanner.scan(bytes, from: 0) else { return false }
        return !JSONPlan(scanner.tokens, bytes, JSONPlan.Rules(declared: declared)).rows.isEmpty
      }
    }
    return false
  }

  /// Whether a text of few lines begins with a document, a key of which has its value on lines below, and has not
  /// enough of them to find out which word names an anchor.
  static func mayBeginDocuments(_ head: [UInt8]) -> Bool {
    guard let feed = head.firstIndex(of: UInt8(ascii: "\n")),
      head[..<feed].last(where: { $0 > 0x20 }) == UInt8(ascii: ":"),
      head.count > feed + 1, head[feed + 1] == UInt8(ascii: " ")
    else { return false }
    let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.count < mostLines && lines.count(where: isSeparator) < fewestDocuments
  }

  /// Returns the complete documents of a block as objects, each on the line on which its document begins, and the
  /// number of their bytes.
  static func objects(ofDocuments block: [UInt8], isLast: Bool) -> (text: [UInt8], end: Int) {
    let end = isLast ? block.count : endOfDocuments(block)
    var result: [UInt8] = []
    for document in documents(of: block, upTo: end) {
      let lines = block[document].count { $0 == UInt8(ascii: "\n") }
      if block[document].contains(where: { $0 > 0x20 }) {
        result += object(of: block[document]) ?? Array("{}".utf8)
      }
      // The line `---` is one more.
      result += Array(repeating: UInt8(ascii: "\n"), count: lines + 1)
    }
    return (result, end)
  }

  /// Returns the documents in `text` up to `end`, without the lines `---`.
  private static func documents(of text: [UInt8], upTo end: Int) -> [Range<Int>] {
    var documents: [Range<Int>] = []
    var (begin, line) = (0, 0)
    while line < end {
      let lineEnd = text[line..<end].firstIndex(of: UInt8(ascii: "\n")) ?? end
      let next = min(lineEnd + 1, end)
      if isSeparator(text[line..<lineEnd]) {
        if line > 0 { documents.append(begin..<line) }
        begin = next
      }
      line = next
    }
    if begin < end { documents.append(begin..<end) }
    return documents
  }

  /// Returns the offset after the last line `---` of `text`; 0 without one.
  private static func endOfDocuments(_ text: [UInt8]) -> Int {
    var end = text.count
    while let feed = text[..<end].lastIndex(of: UInt8(ascii: "\n")) {
      let begin = text[..<feed].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      if isSeparator(text[begin..<feed]) { return feed + 1 }
      end = feed
    }
    return 0
  }

  private static func isSeparator(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.count < 8 else { return false }
    return line.starts(with: separator)
      && line.dropFirst(separator.count).allSatisfy { $0 <= UInt8(ascii: " ") }
  }

  /// Returns a document as an object; nil if it is no mapping.
  private static func object(of document: ArraySlice<UInt8>) -> [UInt8]? {
    var parser = PlainYAML(Array(document))
    guard let node = parser.document(), case .map = node else { return nil }
    var text: [UInt8] = []
    append(node, to: &text)
    return text
  }

  private static func append(_ node: PlainYAML.Node, to text: inout [UInt8]) {
    switch node {
    case .scalar(let scalar): JSONText.appendString(scalar.utf8, to: &text)
    case .list(let nodes):
      text.append(UInt8(ascii: "["))
      for (place, node) in nodes.enumerated() {
        if place > 0 { text.append(UInt8(ascii: ",")) }
        append(node, to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .map(let members):
      if let instant = instant(members) {
        return JSONText.appendString(instant.utf8, to: &text)
      }
      text.append(UInt8(ascii: "{"))
      for (place, member) in members.enumerated() {
        if place > 0 { text.append(UInt8(ascii: ",")) }
        JSONText.appendString(member.key.utf8, to: &text)
        text.append(UInt8(ascii: ":"))
        append(member.value, to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  /// Returns the seconds of a mapping of whole seconds and nanoseconds; nil for another mapping.
  private static func instant(_ members: [PlainYAML.Member]) -> String? {
    guard members.count == 2, case .scalar(let seconds) = members[0].value,
      case .scalar(let rest) = members[1].value,
      ["sec", "secs"].contains(members[0].key),
      ["nsec", "nsecs", "nanosec"].contains(members[1].key),
      Int(seconds) != nil, rest.allSatisfy(\.isNumber), rest.count <= 9
    else { return nil }
    return "\(seconds).\(String(repeating: "0", count: 9 - rest.count))\(rest)"
  }
}
