/// A search for lines of a live stream that name its columns.
///
/// A stream can be joined after its header, and a foreign datagram can come before it. A line is a
/// header when it names a time and a distance, or columns of declared anchors, and none of its cells is
/// a number, except for the names of declared anchors.
///
/// The cost is linear in the bytes of the stream: the columns are only compared in lines without numbers,
/// and only as often as the bytes so far allow.
struct LiveHeaderSearch: Sendable {
  private let options: RecordingOptions
  /// Names of the declared anchors.
  private var declared: [String]
  /// Their names that are numbers, which can be names of columns.
  private var numbers: Set<String> = []
  /// Number of comparisons of columns that are still allowed.
  private var credit = Self.freeComparisons
  /// Hashes of lines that were compared and are no headers, at most ``mostFailed``: devices repeat what they
  /// print.
  private var failed: Set<UInt64> = []
  /// Bytes since the last comparison was granted.
  private var bytes = 0

  /// Comparisons that any stream is allowed, of about 0.2 ms each.
  ///
  /// Half as many cost less at the beginning of a stream of foreign text, and find a header among 128 of
  /// its lines instead of 256.
  private static let freeComparisons = 256
  /// Bytes of a stream for which one more comparison is allowed: at half as many, a stream of foreign text
  /// takes 0.25 s for 10 MB instead of 0.13 s.
  private static let bytesPerComparison = 1 << 14
  private static let mostFailed = 4096
  /// Bytes of the longest header.
  private static let longestHeader = 1 << 14

  /// Creates a search at the beginning of a stream.
  ///
  /// If `options` give columns by number, no line is a header.
  init(options: RecordingOptions, declared: [String]) {
    self.options = options
    self.declared = declared
    numbers = Set(declared.filter { Double($0) != nil })
  }

  /// Sets the names of the declared anchors that a device log states.
  mutating func declare(_ names: [String]) { self = Self(options: options, declared: names) }

  /// Finds the first header among the complete lines of `text` from `start` on.
  ///
  /// Returns the range of the header with its line end, and advances `start` to the first line that
  /// was not searched. `known` is a header, without its line end, that is found without a
  /// comparison of columns. With `findsObjects`, a line with an object of JSON is found, too.
  mutating func next(
    in text: [UInt8], from start: inout Int, known: [UInt8] = [], findsObjects: Bool = false
  ) -> Range<Int>? {
    guard !hasColumnsByNumber else {
      start = text.count
      return nil
    }
    while let end = text[start...].firstIndex(where: LiveLines.isLineEnd) {
      var line = start..<(end + 1)
      if text[end] == UInt8(ascii: "\r"), end + 1 < text.count, text[end + 1] == UInt8(ascii: "\n")
      {
        line = start..<(end + 2)
      }
      start = line.upperBound
      grant(line.count)
      let content = text[line.lowerBound..<end]
      if !known.isEmpty, content.count == known.count, content.elementsEqual(known) { return line }
      if isHeader(content) || findsObjects && Self.isObject(content) { return line }
    }
    return nil
  }

  /// Whether `line` is a header; false also if no comparison is allowed yet.
  mutating func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
    guard !hasColumnsByNumber, line.count <= Self.longestHeader, canBeHeader(line) else {
      return false
    }
    // Long lines have more names to compare.
    let cost = 1 + line.count / 256
    guard credit >= cost else { return false }
    let hash = Self.hash(line)
    if failed.contains(hash) { return false }
    credit -= cost
    if RangesLayout.namesColumns(Array(line), options: options, declared: declared) { return true }
    if failed.count < Self.mostFailed { failed.insert(hash) }
    return false
  }

  /// Allows comparisons for `count` more bytes.
  private mutating func grant(_ count: Int) {
    bytes += count
    let more = bytes / Self.bytesPerComparison
    guard more > 0 else { return }
    bytes %= Self.bytesPerComparison
    credit = min(credit + more, Self.freeComparisons)
  }

  /// Whether the caller has given the columns by number, so that there is no header.
  var hasColumnsByNumber: Bool {
    !options.columns.isEmpty && options.columns.keys.allSatisfy { Int($0) != nil }
  }

  /// Whether `line` has two cells, of which none is a number or begins an object of JSON.
  private func canBeHeader(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "["),
      first != UInt8(ascii: "#"), first != UInt8(ascii: "/"),
      !numbers.isEmpty || first &- UInt8(ascii: "0") >= 10
    else { return false }
    let hasDelimiter = line.contains(where: Self.isDelimiter)
    var cells = 0
    var rest = line
    while true {
      let cell = rest.prefix { hasDelimiter ? !Self.isDelimiter($0) : $0 != UInt8(ascii: " ") }
      if isNumber(cell) { return false }
      cells += 1
      guard cell.endIndex < rest.endIndex else { return cells > 1 }
      rest = rest[(cell.endIndex + 1)...]
    }
  }

  /// Whether `cell` is a number that no declared anchor is called.
  private func isNumber(_ cell: ArraySlice<UInt8>) -> Bool {
    func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: "\"") }
    var text = cell.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    guard let first = text.first, first < UInt8(ascii: "A"), text.count < 64 else { return false }
    guard Double(String(decoding: text, as: UTF8.self)) != nil else { return false }
    return !numbers.contains(String(decoding: text, as: UTF8.self))
  }

  /// Returns the 64-bit FNV-1a hash of `line`.
  private static func hash(_ line: ArraySlice<UInt8>) -> UInt64 {
    line.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// Whether `line` has an object of JSON from its beginning to its end.
  private static func isObject(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "{") && line.last == UInt8(ascii: "}")
      && line.count <= longestHeader && JSONObjects.begins(Array(line))
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\t")
      || byte == UInt8(ascii: "|")
  }
}

extension RangesLayout {
  /// Whether the first row of `head` names the columns of ranges, and none of its cells is a number but
  /// for names of declared anchors.
  ///
  /// Words between blanks can be any text: all of them must be names of columns, and one names a time.
  static func namesColumns(
    _ head: [UInt8], options: RecordingOptions, declared: [String]
  ) -> Bool {
    let bytes = head.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.dropFirst(3)) : head
    let delimiter = options.delimiter ?? CSVScanner.detectedDelimiter(of: bytes)
    var scanner = CSVScanner(bytes, delimiter: delimiter)
    guard scanner.next(),
      let layout = try? RangesLayout(at: scanner, options: options, path: "", declared: declared)
    else { return false }
    let known = Set(declared)
    guard layout.header.names.allSatisfy({ Double($0) == nil || known.contains($0) }) else {
      return false
    }
    let hasTime = layout[.time] != nil
    if delimiter == .blank { return hasTime && layout.header.ignored.isEmpty }
    let isComplete =
      layout.anchorColumns.isEmpty ? layout[.anchor] != nil : layout.header.ignored.isEmpty
    return hasTime || isComplete || !TableKind.ranges.renames(options.columns).isEmpty
  }
}
