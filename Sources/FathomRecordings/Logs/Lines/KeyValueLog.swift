import Fathom
import Foundation

/// A log whose lines are pairs of a key and a value, in the form of JSON objects.
///
/// Each line with a measurement becomes an object on the same line, which is read as one of a file in
/// JSON, with all rules for names, units and times. The lines can come from a file or a stream.
struct KeyValueLog: ObjectLines {
  private var keys: KeyValueLine.Keys
  /// The content of lines without a distance, by their keys.
  private var contents: [[String]: Content] = [:]
  /// The columns of declared anchors that keys name; nil for other keys.
  private var columns: [String: AnchorColumn?] = [:]
  private let renames: [String: String]
  private let declared: [String]
  /// The names of declared anchors that are looked for in the text of lines.
  private let declaredWords: Set<ArraySlice<UInt8>>
  /// Whether the time is what a logger wrote in front of the line, because no key is a time.
  private var usesStamps = false
  /// Whether anchors are names of declared ones in the text of lines.
  private var findsNames = false
  /// Whether lines with a time alone precede those with ranges at this time.
  private var carriesTimes = false
  /// The time in the last of such lines; nil before the first.
  private var latestTime: KeyValueLine.Pair?
  /// The units of values at the beginning of the log.
  private var units = ValueUnits()
  /// Bytes of an incomplete line.
  private var rest: [UInt8] = []
  /// Lines without a measurement.
  private var otherLines = 0
  let format = LogFormat.keyValue

  /// Creates a log that begins with `head`.
  init(_ head: [UInt8], options: RecordingOptions, declared: [String]) {
    renames = TableKind.ranges.renames(options.columns)
    self.declared = declared
    // Numbers alone can be anything.
    declaredWords = Set(
      declared.filter { $0.contains(where: \.isLetter) && $0.utf8.count > 1 }
        .map { Array($0.utf8)[...] })
    keys = KeyValueLine.Keys(renames: renames, declared: declared)
    usesStamps = census(head).lacksTimes
  }

  // MARK: Recognition

  /// Returns the number of lines at the beginning of a file that have a distance and an anchor, a time
  /// or a stamp.
  static func measurements(
    in head: [UInt8], options: RecordingOptions, declared: [String]
  ) -> Int {
    guard canBegin(head, declared: declared) else { return 0 }
    var log = KeyValueLog([], options: options, declared: declared)
    return log.census(head).measurements
  }

  /// Whether the beginning of a file has a pair, or lines of words in which anchors may be named; other files are not
  /// looked at more closely.
  static func canBegin(_ head: [UInt8], declared: [String]) -> Bool {
    let first = head.prefix { $0 != UInt8(ascii: "\n") }
    if !declared.isEmpty, !first.contains(where: { ",;\t|".utf8.contains($0) }) { return true }
    func has(_ byte: UInt8) -> Bool {
      head.withUnsafeBytes { bytes in
        bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
      }
    }
    if has(UInt8(ascii: "=")) { return true }
    guard has(UInt8(ascii: ":")) else { return false }
    // Between digits it is part of a time, unless the word before it begins with a letter: `A0:7.14`.
    var before: UInt8 = 0
    var isName = false
    for (place, byte) in head.enumerated() {
      if byte == UInt8(ascii: ":"),
        before &- UInt8(ascii: "0") >= 10 || isName
          || place + 1 < head.count && head[place + 1] == UInt8(ascii: " ")
      {
        return true
      }
      if before <= UInt8(ascii: " ") { isName = byte | 0x20 &- UInt8(ascii: "a") < 26 }
      before = byte
    }
    return false
  }

  /// Counts the lines in `head` with a measurement; says whether most lack a time.
  private mutating func census(_ head: [UInt8]) -> (measurements: Int, lacksTimes: Bool) {
    var (count, timed) = (0, 0)
    var times = 0
    defer { carriesTimes = times > 1 && 50 * times > count && 2 * timed <= count }
    for line in Self.lines(of: head, from: 0) where !Self.isComment(head, line) {
      let pairs = named(KeyValueLine(head, line, keys: &keys).pairs, head, line)
      units.count(pairs)
      if Self.isTime(pairs) { times += 1 }
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

  /// A time that a logger wrote at the beginning of a line.
  struct Stamp {
    var range: Range<Int>
    /// The key of the time: with its unit where the logger has one.
    var key = "time"
  }

  /// Returns the time that a logger wrote at the beginning of a line: a clock or a number, which may
  /// stand in brackets, or the milliseconds of ESP-IDF, `I (5123) `; nil without one.
  static func stamp(_ text: [UInt8], _ line: Range<Int>) -> Stamp? {
    var cursor = TokenCursor(text, line)
    cursor.consumeBlanks()
    if let level = cursor.next, "EWIDV".utf8.contains(level), cursor.peek(2) == UInt8(ascii: "("),
      cursor.peek(1) == UInt8(ascii: " ")
    {
      cursor.position += 3
      let digits = cursor.consume { $0 &- UInt8(ascii: "0") >= 10 }
      return digits.isEmpty || cursor.next != UInt8(ascii: ")")
        ? nil : Stamp(range: digits, key: "time_ms")
    }
    guard HostTime(&cursor) != nil else { return lastNumber(text, line) }
    cursor = TokenCursor(text, line)
    cursor.consumeBlanks()
    _ = cursor.consume(UInt8(ascii: "["))
    cursor.consumeBlanks()
    if let clock = ClockText(text, from: cursor.position, upTo: cursor.end) {
      return Stamp(range: cursor.position..<clock.end)
    }
    let digits = cursor.consume { $0 &- UInt8(ascii: "0") >= 10 && $0 != UInt8(ascii: ".") }
    return digits.isEmpty ? nil : Stamp(range: digits)
  }

  /// Returns the milliseconds, microseconds or nanoseconds since 1970 at the end of a line, as in the line protocol
  /// of InfluxDB; nil without them.
  private static func lastNumber(_ text: [UInt8], _ line: Range<Int>) -> Stamp? {
    var end = line.upperBound
    while end > line.lowerBound, text[end - 1] <= UInt8(ascii: " ") { end -= 1 }
    var begin = end
    while begin > line.lowerBound, text[begin - 1] &- UInt8(ascii: "0") < 10, end - begin < 20 {
      begin -= 1
    }
    // From 2001 to 2286 they have as many digits.
    guard let key = [13: "time_ms", 16: "time_us", 19: "time_ns"][end - begin],
      begin > line.lowerBound, text[begin - 1] == UInt8(ascii: " ")
    else { return nil }
    return Stamp(range: begin..<end, key: key)
  }

  // MARK: Names of anchors

  /// Whether the only pair of a line is a time.
  private static func isTime(_ pairs: [KeyValueLine.Pair]) -> Bool {
    pairs.count == 1 && pairs[0].key.isTime
  }

  /// Returns `pairs` with the anchor and its distance for one pair that is called like a declared anchor, or for its
  /// name before the only number of a line, and with the anchor for the name of a declared one in the text of a line
  /// that has a distance without an anchor.
  private mutating func named(
    _ pairs: [KeyValueLine.Pair], _ text: [UInt8], _ line: Range<Int>
  ) -> [KeyValueLine.Pair] {
    if declared.isEmpty || pairs.contains(where: { $0.key.isAnchor || $0.key.isName }) {
      return pairs
    }
    if pairs.contains(where: { $0.key.isDistance }) {
      guard let name = nameInText(text, line) else { return pairs }
      findsNames = true
      return [KeyValueLine.Pair(name: "anchor", key: keys.key("anchor"), value: name)] + pairs
    }
    let found = pairs.indices.compactMap { place in
      (pairs[place].key.isKnown ? nil : column(pairs[place].name)).map { (place, $0) }
    }
    if found.isEmpty { return pairs + rangeInText(text, line) }
    guard found.count == 1, let (place, column) = found.first else { return pairs }
    let unit = pairs[place].unit ?? column.unit?.rawValue
    let range = [
      KeyValueLine.Pair(
        name: "anchor", key: keys.key("anchor"), value: Array(column.anchor.utf8)[...]),
      KeyValueLine.Pair(
        name: "distance", key: keys.key("distance"), value: pairs[place].value, unit: unit),
    ]
    return pairs[..<place] + range + pairs[(place + 1)...]
  }

  /// Returns the column of the declared anchor that a key called `name` names; nil if it names none.
  private mutating func column(_ name: String) -> AnchorColumn? {
    if let column = columns[name] { return column }
    let column = AnchorColumn.all(of: [name], except: [], declared: declared).first
    if columns.count >= Self.mostContents { columns.removeAll(keepingCapacity: true) }
    columns[name] = .some(column)
    return column
  }

  /// Returns the only name of a declared anchor among the words of a line; nil without one, or with several.
  private func nameInText(_ text: [UInt8], _ line: Range<Int>) -> ArraySlice<UInt8>? {
    if declaredWords.isEmpty { return nil }
    let words = text[line].split { byte in
      !(byte | 0x20 &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
        || "_-:.".utf8.contains(byte) || byte >= 0x80)
    }
    let found = Set(words.filter(declaredWords.contains))
    return found.count == 1 ? found.first : nil
  }

  /// Returns the anchor and the distance of a line such as `[12.5] [A0] 7.1 m`, in which the name of a declared anchor
  /// stands before the only number besides a time; empty for another line.
  ///
  /// A row of numbers without a header is no such line: any of them can be the distance.
  private mutating func rangeInText(
    _ text: [UInt8], _ line: Range<Int>
  ) -> [KeyValueLine.Pair] {
    guard let name = nameInText(text, line) else { return [] }
    var cursor = TokenCursor(text, name.endIndex..<line.upperBound)
    _ = cursor.consume { $0 > UInt8(ascii: " ") && !"]):".utf8.contains($0) }
    let value = cursor.consume { !TokenCursor.isPartOfNumber($0) }
    cursor.consumeBlanks()
    let unit = String(decoding: text[cursor.consume { $0 <= UInt8(ascii: " ") }], as: UTF8.self)
    let isDistance =
      unit.isEmpty ? text[value].contains(UInt8(ascii: ".")) : ["m", "cm", "mm"].contains(unit)
    guard isDistance, cursor.number(in: value) != nil,
      text[cursor.position..<cursor.end].allSatisfy({ $0 <= UInt8(ascii: " ") }),
      !hasNumber(text, before: name.startIndex, line)
    else { return [] }
    findsNames = true
    return [
      KeyValueLine.Pair(name: "anchor", key: keys.key("anchor"), value: name),
      KeyValueLine.Pair(
        name: "distance", key: keys.key("distance"), value: text[value],
        unit: unit.isEmpty ? nil : unit),
    ]
  }

  /// Whether a line has a number before `end` that is no time of a logger: a clock, or in brackets.
  private func hasNumber(_ text: [UInt8], before end: Int, _ line: Range<Int>) -> Bool {
    var begin = line.lowerBound
    if let stamp = Self.stamp(text, line), stamp.range.upperBound <= end,
      text[stamp.range].contains(UInt8(ascii: ":"))
        || stamp.range.lowerBound > begin && "[(".utf8.contains(text[stamp.range.lowerBound - 1])
    {
      begin = stamp.range.upperBound
    }
    return text[begin..<end].split { $0 <= UInt8(ascii: " ") || "[](){}<>,;".utf8.contains($0) }
      .contains { $0.first.map { $0 &- UInt8(ascii: "0") < 10 } ?? false }
  }

  /// Returns a pair whose key is the name of an anchor with its value in metres, if a unit follows the value.
  private func inMetres(_ pair: KeyValueLine.Pair) -> KeyValueLine.Pair {
    guard !pair.key.isKnown, let unit = pair.unit, let exponent = ValueUnits.exponents[unit] else {
      return pair
    }
    var pair = pair
    pair.value = ValueUnits.shifted(pair.value, by: exponent)
    return pair
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

  mutating func cut() -> Bool {
    defer { rest = [] }
    return !rest.isEmpty
  }

  var note: String? {
    var notes: [String] = []
    if findsNames {
      notes.append("the anchor of a line is the name of a declared one among its words")
    }
    if otherLines > 0 {
      notes.append(
        otherLines == 1
          ? "1 line without a measurement" : "\(otherLines) lines without a measurement")
    }
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }

  /// Appends the objects of a line: one for each anchor that it names.
  private mutating func append(_ text: [UInt8], _ line: Range<Int>, to objects: inout [UInt8]) {
    guard !Self.isComment(text, line) else { return }
    let found =
      line.count > RecordingLimits.longestRow ? nil : KeyValueLine(text, line, keys: &keys)
    guard let found, !found.isTooLong else {
      return JSONText.appendObject([("distance_m", [])], to: &objects)
    }
    var pairs = units.resolved(named(found.pairs, text, line))
    if carriesTimes {
      if Self.isTime(pairs) {
        latestTime = pairs.first
        return
      }
      if let latestTime, !pairs.contains(where: { $0.key.isTime }) {
        pairs.insert(latestTime, at: 0)
      }
    }
    if pairs.contains(where: { $0.key.isDistance }) {
      if !pairs.contains(where: { $0.key.isAnchor }) {
        for index in pairs.indices where pairs[index].key.isName {
          (pairs[index].name, pairs[index].key) = ("anchor", keys.key("anchor"))
        }
      }
    } else {
      switch content(pairs) {
      case .epoch: pairs = pairs.map(inMetres)
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
      let time = KeyValueLine.Pair(
        name: stamp.key, key: keys.key(stamp.key), value: text[stamp.range])
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
  init(
    pairsOf input: StoredInput, head: [UInt8], options: RecordingOptions, declared: [String],
    omitsRanges: Bool = false
  ) throws(RecordingError) {
    try self.init(
      input, by: KeyValueLog(head, options: options, declared: declared),
      renames: options.columns, declared: declared, omitsRanges: omitsRanges)
  }
}
