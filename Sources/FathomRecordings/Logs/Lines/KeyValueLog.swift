import Fathom
import Foundation

/// A log whose lines are pairs of a key and a value, in the form of JSON objects.
///
/// Each line with a measurement becomes an object on the same line, which is read as one of a file in
/// JSON, with all rules for names, units and times. The lines can come from a file or a stream.
struct KeyValueLog {
  private var keys: KeyValueLine.Keys
  /// The content of lines without a distance, by their keys.
  private var contents: [[String]: Content] = [:]
  private let renames: [String: String]
  private let declared: [String]
  /// Whether the time is what a logger wrote in front of the line, because no key is a time.
  private var usesStamps = false
  /// The units of values at the beginning of the log.
  private var units = ValueUnits()
  /// Bytes of an incomplete line.
  private var rest: [UInt8] = []
  /// Lines without a measurement.
  private(set) var otherLines = 0

  /// Creates a log that begins with `head`.
  init(_ head: [UInt8], options: RecordingOptions, declared: [String]) {
    renames = TableKind.ranges.renames(options.columns)
    self.declared = declared
    keys = KeyValueLine.Keys(renames: renames, declared: declared)
    usesStamps = census(head).lacksTimes
  }

  // MARK: Recognition

  /// Returns the number of lines at the beginning of a file that have a distance and an anchor, a time
  /// or a stamp.
  static func measurements(
    in head: [UInt8], options: RecordingOptions, declared: [String]
  ) -> Int {
    guard canBegin(head) else { return 0 }
    var log = KeyValueLog([], options: options, declared: declared)
    return log.census(head).measurements
  }

  /// Whether the beginning of a file has a pair; other files are not looked at more closely.
  static func canBegin(_ head: [UInt8]) -> Bool {
    func has(_ byte: UInt8) -> Bool {
      head.withUnsafeBytes { bytes in
        bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
      }
    }
    if has(UInt8(ascii: "=")) { return true }
    guard has(UInt8(ascii: ":")) else { return false }
    // Between digits it is part of a time.
    return zip(head, head.dropFirst()).contains { before, byte in
      byte == UInt8(ascii: ":") && before &- UInt8(ascii: "0") >= 10
    }
  }

  /// Counts the lines in `head` with a measurement; says whether most lack a time.
  private mutating func census(_ head: [UInt8]) -> (measurements: Int, lacksTimes: Bool) {
    var (count, timed) = (0, 0)
    for line in Self.lines(of: head, from: 0) where !Self.isComment(head, line) {
      let pairs = KeyValueLine(head, line, keys: &keys).pairs
      units.count(pairs)
      let isRange = pairs.contains { $0.key.isDistance }
      guard isRange || content(pairs) == .epoch else { continue }
      let hasTime = pairs.contains { $0.key.isTime }
      let hasAnchor = !isRange || pairs.contains { $0.key.isAnchor || $0.key.isName }
      guard hasTime || hasAnchor || Self.stamp(head, line) != nil else { continue }
      count += 1
      if hasTime { timed += 1 }
    }
    return (count, count > 0 && 2 * timed <= count)
  }

  /// Returns the lines of `text` from `start` on, without their ends.
  private static func lines(of text: [UInt8], from start: Int) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var begin = start
    while begin < text.count {
      let end = text[begin...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      lines.append(begin..<end)
      begin = end + 1
    }
    return lines
  }

  private static func isComment(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    line.isEmpty || text[line.lowerBound] == UInt8(ascii: "#")
  }

  /// Returns the time that a logger wrote at the beginning of a line: a clock or a number, which may
  /// stand in brackets; nil without one.
  private static func stamp(_ text: [UInt8], _ line: Range<Int>) -> Range<Int>? {
    var cursor = TokenCursor(text, line)
    cursor.consumeBlanks()
    guard HostTime(&cursor) != nil else { return nil }
    cursor = TokenCursor(text, line)
    cursor.consumeBlanks()
    _ = cursor.consume(UInt8(ascii: "["))
    cursor.consumeBlanks()
    if let clock = ClockText(text, from: cursor.position, upTo: cursor.end) {
      return cursor.position..<clock.end
    }
    let digits = cursor.consume { $0 &- UInt8(ascii: "0") >= 10 && $0 != UInt8(ascii: ".") }
    return digits.isEmpty ? nil : digits
  }

  // MARK: Kinds

  /// What a line without a distance can be.
  private enum Content {
    /// Distances to anchors that are called like the keys.
    case epoch
    /// A row of another table.
    case row
    /// A range that is cut behind its anchor.
    case cut
    /// No measurement.
    case other
  }

  /// Tables of which a line can be a row; positions that a device computes are not its truth.
  private static let kinds: Set<TableKind> = [
    .ranges, .differences, .anchors, .heights, .odometry, .inertial,
  ]
  /// Sets of keys whose content is remembered.
  private static let mostContents = 1024

  /// Returns what a line with `pairs` is, none of which is a distance.
  private mutating func content(_ pairs: [KeyValueLine.Pair]) -> Content {
    if pairs.isEmpty { return .other }
    let names = pairs.map(\.name)
    if let content = contents[names] { return content }
    let content: Content =
      if pairs.count > 1, TableKind.isEpoch(names, declared: declared) {
        .epoch
      } else if TableKind.of(keys: names, renames: renames).map(Self.kinds.contains) == true {
        .row
      } else {
        pairs.contains { $0.key.isAnchor } ? .cut : .other
      }
    if contents.count >= Self.mostContents { contents.removeAll(keepingCapacity: true) }
    contents[names] = content
    return content
  }

  // MARK: Objects

  /// Returns the complete lines of the text so far and of `bytes` as objects, a line for each.
  ///
  /// - Parameters:
  ///   - bytes: the next part of the text.
  ///   - isLast: whether the text ends with it.
  /// - Returns: The text of the objects.
  mutating func objects(of bytes: [UInt8], isLast: Bool) -> [UInt8] {
    if !isLast, !bytes.contains(UInt8(ascii: "\n")) {
      // The end of a line that is too long is not kept.
      rest += bytes.prefix(max(0, RecordingLimits.longestRow + 1 - rest.count))
      return []
    }
    rest += bytes
    let end =
      isLast ? rest.count : (rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
    let whole = Array(rest[..<end])
    rest.removeFirst(end)
    var text: [UInt8] = []
    for line in Self.lines(of: whole, from: 0) {
      append(whole, line, to: &text)
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  /// Discards an incomplete line; returns whether there was one.
  mutating func cut() -> Bool {
    defer { rest = [] }
    return !rest.isEmpty
  }

  /// Appends the objects of a line: one for each anchor that it names.
  private mutating func append(_ text: [UInt8], _ line: Range<Int>, to objects: inout [UInt8]) {
    guard !Self.isComment(text, line) else { return }
    let found =
      line.count > RecordingLimits.longestRow ? nil : KeyValueLine(text, line, keys: &keys)
    guard let found, !found.isTooLong else {
      return JSONText.appendObject([("distance_m", [])], to: &objects)
    }
    var pairs = units.resolved(found.pairs)
    if pairs.contains(where: { $0.key.isDistance }) {
      if !pairs.contains(where: { $0.key.isAnchor }) {
        for index in pairs.indices where pairs[index].key.isName {
          (pairs[index].name, pairs[index].key) = ("anchor", keys.key("anchor"))
        }
      }
    } else {
      switch content(pairs) {
      case .epoch: break
      case .row: return Self.append(pairs[...], to: &objects)
      case .cut:
        let distance = KeyValueLine.Pair(name: "distance_m", key: keys.key("distance_m"), value: [])
        return Self.append((pairs + [distance])[...], to: &objects)
      case .other:
        if !line.allSatisfy({ text[$0] <= 0x20 }) { otherLines += 1 }
        return
      }
    }
    if usesStamps, !pairs.contains(where: { $0.key.isTime }), let stamp = Self.stamp(text, line) {
      let time = KeyValueLine.Pair(name: "time", key: keys.key("time"), value: text[stamp])
      pairs.insert(time, at: 0)
    }
    // What precedes the first range, such as the time and the tag, holds for all of the line.
    let first = pairs.firstIndex { $0.key.isAnchor || $0.key.isDistance } ?? pairs.count
    var begin = first
    var names: Set<String> = []
    for next in first..<pairs.count where !names.insert(pairs[next].name).inserted {
      Self.append(pairs[..<first] + pairs[begin..<next], to: &objects)
      (begin, names) = (next, [pairs[next].name])
    }
    Self.append(pairs[..<first] + pairs[begin...], to: &objects)
  }

  private static func append(_ pairs: ArraySlice<KeyValueLine.Pair>, to objects: inout [UInt8]) {
    JSONText.appendObject(pairs.map { ($0.name, $0.value) }, to: &objects)
  }
}

extension JSONTables {
  /// Reads the tables of a log of pairs, which begins with `head`.
  ///
  /// - Throws: ``RecordingError`` when the file cannot be read, or a temporary file not be written.
  init(
    pairsOf input: StoredInput, head: [UInt8], options: RecordingOptions, declared: [String],
    omitsRanges: Bool = false
  ) throws(RecordingError) {
    var log = KeyValueLog(head, options: options, declared: declared)
    let spool = SpooledText(path: input.path)
    var text = try TextBlocks(input, blockSize: Self.blockSize)
    while true {
      try spool.append(log.objects(of: text.block, isLast: text.isLast))
      if text.isLast { break }
      try text.advance(taking: text.block.count)
    }
    let file = SourceFile(path: input.path, bytes: text.storedCount, xxh3: text.storedHash.text)
    try self.init(
      spool.input(TextOrigin(file: file, lines: LineMap(), hasPairs: true)),
      renames: options.columns, declared: declared, omitsRanges: omitsRanges)
    (origin, format) = (file, .keyValue)
    if log.otherLines > 0 {
      note =
        log.otherLines == 1
        ? "1 line without a measurement" : "\(log.otherLines) lines without a measurement"
    }
  }
}
