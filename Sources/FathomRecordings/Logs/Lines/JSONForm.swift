import Fathom

/// Objects that are not those of a file in JSON as they stand, and become such before they are read.
///
/// - Lines with a time stamp before an object without a time: the stamp becomes its member `time`.
/// - Dictionaries as Python prints them, `{'A1': 3.2, 'ok': True}`.
/// - A table in one object, by columns, `{"time":[0,1],"A1":[3.2,3.3]}`, or as names and rows,
///   `{"columns":["time","A1"],"data":[[0,3.2],[1,3.3]]}`, as pandas writes them.
/// - Documents in YAML between lines `---`, as ROS prints messages.
///
/// All but a table in one object are made block by block, of a file or a stream.
struct JSONForm: ObjectLines {
  /// What the text consists of.
  private enum Parts: Sendable {
    /// Lines with an object each.
    case lines(isPython: Bool, hasStamps: Bool)
    /// Documents in YAML.
    case documents
  }

  private let parts: Parts
  /// Bytes of an incomplete line or document.
  private var rest: [UInt8] = []
  /// Bytes of a long document without an end when it was last looked at; 0 for a short one.
  private var stalled = 0
  let format = LogFormat.json

  /// Recognises the form of a text that begins with `head`; nil if it is JSON as it stands, or one table.
  init?(_ head: [UInt8], declared: [String]) {
    if Self.beginsDocuments(head, declared: declared) {
      parts = .documents
      return
    }
    let isPython = Self.beginsWithSingleQuote(head)
    let hasStamps = Self.hasStamps(head, isPython: isPython)
    if !isPython, !hasStamps { return nil }
    parts = .lines(isPython: isPython, hasStamps: hasStamps)
  }

  var note: String? {
    guard case .lines(let isPython, let hasStamps) = parts else {
      return "documents are messages in YAML"
    }
    let notes =
      (isPython ? ["objects are dictionaries of Python"] : [])
      + (hasStamps ? ["the times are those in front of the objects"] : [])
    return notes.joined(separator: "; ")
  }

  mutating func objects(of bytes: [UInt8], isLast: Bool) -> [UInt8] {
    rest += bytes
    let isFull = rest.count > Self.mostBytes
    let isDue = bytes.contains(UInt8(ascii: "\n")) && rest.count >= 2 * stalled
    guard isLast || isFull || isDue else { return [] }
    let made = objects(ofBlock: rest, isLast: isLast || isFull)
    rest.removeFirst(made.end)
    stalled = made.end == 0 && rest.count > Self.shortDocument ? rest.count : 0
    return made.text
  }

  mutating func cut() -> Bool {
    defer { (rest, stalled) = ([], 0) }
    return !rest.isEmpty
  }

  /// Returns the objects of the complete parts of `block`, and the number of its bytes that they are made of.
  private func objects(ofBlock block: [UInt8], isLast: Bool) -> (text: [UInt8], end: Int) {
    guard case .lines(let isPython, let hasStamps) = parts else {
      return Self.objects(ofDocuments: block, isLast: isLast)
    }
    let end =
      isLast ? block.count : (block.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
    var result: [UInt8] = []
    var begin = 0
    while begin < end {
      let lineEnd = block[begin..<end].firstIndex(of: UInt8(ascii: "\n")) ?? end
      Self.append(block, begin..<lineEnd, isPython: isPython, hasStamps: hasStamps, to: &result)
      result.append(UInt8(ascii: "\n"))
      begin = lineEnd + 1
    }
    return (result, end)
  }

  /// Returns the rows of the table in the one object of `input`, which begins with `head`; nil if there is no
  /// table.
  static func table(
    in input: StoredInput, head: [UInt8]
  ) throws(RecordingError) -> StoredInput? {
    guard beginsTable(head) else { return nil }
    var source = try DecompressedText(input)
    var text: [UInt8] = []
    try source.append(to: &text, upTo: mostBytes)
    guard source.isEnd, let rows = rows(of: text) else { return nil }
    let file = SourceFile(
      path: input.path, bytes: source.storedCount, xxh3: source.storedHash.text)
    return StoredInput(
      path: input.path, bytes: rows, origin: TextOrigin(file: file, lines: LineMap()))
  }

  /// Bytes of the longest table in one object, line or document, which is held in memory.
  private static let mostBytes = 1 << 28
  /// Bytes of a document without an end up to which it is looked at again with each line.
  private static let shortDocument = 1 << 16

  // MARK: Recognition

  /// Lines at the beginning of a file that are looked at.
  static let mostLines = 64

  /// Whether the first key of the first object is in single quotes.
  private static func beginsWithSingleQuote(_ head: [UInt8]) -> Bool {
    guard let brace = head.firstIndex(of: UInt8(ascii: "{")) else { return false }
    return head[(brace + 1)...].first { $0 > 0x20 } == UInt8(ascii: "'")
  }

  /// Whether most objects have a time stamp in front of them and no time of their own.
  private static func hasStamps(_ head: [UInt8], isPython: Bool) -> Bool {
    var (count, stamped) = (0, 0)
    var begin = 0
    while begin < head.count, count < mostLines {
      guard let end = head[begin...].firstIndex(of: UInt8(ascii: "\n")) else { break }
      let line = begin..<end
      begin = end + 1
      guard let brace = head[line].firstIndex(of: UInt8(ascii: "{")) else { continue }
      count += 1
      guard brace > line.lowerBound, let stamp = KeyValueLog.stamp(head, line),
        stamp.range.upperBound <= brace
      else { continue }
      var object: [UInt8] = []
      append(head, line, isPython: isPython, hasStamps: false, to: &object)
      stamped += hasTime(object) ? 0 : 1
    }
    return 2 * stamped > count
  }

  /// Whether a key of the object in `text` is that of a time.
  private static func hasTime(_ text: [UInt8]) -> Bool {
    guard let brace = text.firstIndex(of: UInt8(ascii: "{")) else { return true }
    let column = RangeField.columns[RangeField.time.index]
    return text.withUnsafeBufferPointer { bytes in
      var scanner = JSONObjectScanner()
      guard case .object = scanner.scan(bytes, from: brace) else { return true }
      return scanner.tokens.contains { token in
        column.match(String(decoding: bytes[token.key], as: UTF8.self)) != nil
      }
    }
  }

  /// Whether a file begins with an object whose first nested member is a list or an object of plain values, and
  /// which the head does not end, or ends with.
  private static func beginsTable(_ head: [UInt8]) -> Bool {
    guard let first = head.firstIndex(where: { $0 > 0x20 }), head[first] == UInt8(ascii: "{") else {
      return false
    }
    return head.withUnsafeBufferPointer { bytes in
      var scanner = JSONObjectScanner()
      switch scanner.scan(bytes, from: first) {
      case .object: return !bytes[scanner.position...].contains { $0 > 0x20 }
      case .incomplete: return scanner.tokens.contains { $0.kind.isNested }
      case .fault: return false
      }
    }
  }

  // MARK: Tables

  /// Returns the rows of the table in one object as objects, a line for each; nil without a table.
  private static func rows(of text: [UInt8]) -> [UInt8]? {
    guard let brace = text.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    return text.withUnsafeBufferPointer { bytes in
      var scanner = JSONObjectScanner()
      guard case .object = scanner.scan(bytes, from: brace) else { return nil }
      let tokens = scanner.tokens
      func key(_ token: Int) -> String { String(decoding: bytes[tokens[token].key], as: UTF8.self) }
      func inside(_ token: Int) -> [Int] {
        JSONMembers.children(of: tokens[(token + 1)..<tokens[token].end])
      }
      let members = JSONMembers.children(of: tokens[...]).filter { tokens[$0].kind.isNested }
      var columns: [(name: String, cells: [Int])] = []
      if let names = members.first(where: { key($0) == "columns" }),
        let data = members.first(where: { key($0) == "data" })
      {
        let rows = inside(data).map { inside($0) }
        columns = inside(names).enumerated().map { place, name in
          (
            String(decoding: bytes[tokens[name].value], as: UTF8.self),
            rows.compactMap { $0.indices.contains(place) ? $0[place] : nil }
          )
        }
        guard columns.allSatisfy({ $0.cells.count == rows.count }) else { return nil }
      } else {
        let lists = members.map { (name: key($0), cells: inside($0)) }
        let time = RangeField.columns[RangeField.time.index]
        guard let count = lists.first(where: { time.match($0.name) != nil })?.cells.count,
          count > 1
        else { return nil }
        columns = lists.filter { list in
          list.cells.count == count && list.cells.allSatisfy { !tokens[$0].kind.isNested }
        }
      }
      guard columns.count > 1, let count = columns.first?.cells.count, count > 0 else { return nil }
      var result: [UInt8] = []
      for row in 0..<count {
        result.append(UInt8(ascii: "{"))
        for (place, column) in columns.enumerated() {
          if place > 0 { result.append(UInt8(ascii: ",")) }
          let token = tokens[column.cells[row]]
          let isText = token.kind == .text
          result += Array("\"\(column.name)\":".utf8) + (isText ? [quote] : [])
          result += token.kind == .null ? Array("null".utf8) : Array(bytes[token.value])
          if isText { result.append(quote) }
        }
        result += Array("}\n".utf8)
      }
      return result
    }
  }

  // MARK: Lines

  private static let quote = UInt8(ascii: "\"")

  /// Appends the text of a line, from its object on.
  private static func append(
    _ text: [UInt8], _ line: Range<Int>, isPython: Bool, hasStamps: Bool, to result: inout [UInt8]
  ) {
    guard let brace = text[line].firstIndex(of: UInt8(ascii: "{")) else {
      if isPython { appendPython(text[line], to: &result) } else { result += text[line] }
      return
    }
    result.append(UInt8(ascii: "{"))
    if hasStamps, let stamp = KeyValueLog.stamp(text, line), stamp.range.upperBound <= brace {
      result += Array("\"\(stamp.key)\":\"".utf8) + text[stamp.range]
      let isEmpty = text[(brace + 1)..<line.upperBound].first { $0 > 0x20 } == UInt8(ascii: "}")
      result += Array((isEmpty ? "\"" : "\",").utf8)
    }
    let rest = text[(brace + 1)..<line.upperBound]
    if isPython { appendPython(rest, to: &result) } else { result += rest }
  }

  /// Appends a text of Python as JSON: with double quotes, with the words of JSON, with lists for tuples, and
  /// without calls such as `np.float64(3.2)`.
  private static func appendPython(_ text: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var closings: [[UInt8]] = []
    var place = text.startIndex
    while place < text.endIndex {
      let byte = text[place]
      switch byte {
      case UInt8(ascii: "'"), quote:
        result.append(quote)
        place += 1
        while place < text.endIndex, text[place] != byte {
          if text[place] == UInt8(ascii: "\\"), place + 1 < text.endIndex { place += 1 }
          if text[place] == quote { result.append(UInt8(ascii: "\\")) }
          result.append(text[place])
          place += 1
        }
        result.append(quote)
      case UInt8(ascii: "("):
        result.append(UInt8(ascii: "["))
        closings.append([UInt8(ascii: "]")])
      case UInt8(ascii: ")"): result += closings.popLast() ?? [byte]
      case _ where byte | 0x20 &- UInt8(ascii: "a") < 26:
        let word = text[place...].prefix { byte in
          byte | 0x20 &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        }
        place = word.endIndex
        if place < text.endIndex, text[place] == UInt8(ascii: "(") {
          closings.append([])
        } else {
          let name = String(decoding: word, as: UTF8.self)
          result += Array((words[name] ?? name).utf8)
          continue
        }
      case _ where byte &- UInt8(ascii: "0") < 10:
        let number = text[place...].prefix { byte in
          byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".") || byte | 0x20 == 0x65
        }
        result += number
        place = number.endIndex
        continue
      default: result.append(byte)
      }
      place += 1
    }
  }

  /// The words of JSON for those of Python.
  private static let words = [
    "None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity",
  ]
}

extension JSONTables {
  /// Transcodes the objects of `input`, which begins with `head`, in JSON or in one of the other forms.
  init(
    objectsOf input: StoredInput, head: [UInt8], renames: [String: String] = [:],
    declared: [String] = [], omitsRanges: Bool = false
  ) throws(RecordingError) {
    if input.origin == nil, let form = JSONForm(head, declared: declared) {
      try self.init(
        input, by: form, renames: renames, declared: declared, omitsRanges: omitsRanges)
      return
    }
    let table = input.origin == nil ? try JSONForm.table(in: input, head: head) : nil
    try self.init(table ?? input, renames: renames, declared: declared, omitsRanges: omitsRanges)
    guard let table else { return }
    origin = table.origin?.file
    note = "one object is a table: each of its rows is a measurement"
  }
}
