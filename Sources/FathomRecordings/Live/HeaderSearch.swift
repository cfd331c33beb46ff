import Fathom

/// The search for the header of a stream that was joined after it, or whose device restarts with another.
struct HeaderSearch {
  private let options: RecordingOptions
  private let declared: [String]

  private static let unknown = "no format is recognised"
  /// Bytes of a line beyond which it is no header.
  private static let longest = 1 << 14

  /// Creates a search among the columns of `options` and anchors of the names `declared`.
  init(options: RecordingOptions, declared: [String]) {
    (self.options, self.declared) = (options, declared)
  }

  /// Whether columns have names, not numbers given by the caller.
  private var hasNames: Bool {
    options.columns.isEmpty || options.columns.keys.contains { Int($0) == nil }
  }

  /// Finds the first complete line of `text` that names the columns of ranges.
  ///
  /// - Parameters:
  ///   - text: text, which begins at the start of a line.
  ///   - start: offset of the first line that is looked at.
  ///   - findsObjects: whether a line of JSON is found, too.
  /// - Returns: The range of the line with its end; nil without one.
  func header(in text: [UInt8], from start: Int = 0, findsObjects: Bool = false) -> Range<Int>? {
    guard hasNames else { return nil }
    var begin = start
    while begin < text.count, let end = text[begin...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = text[begin..<end]
      let isObject = findsObjects && line.starts(with: [UInt8(ascii: "{"), UInt8(ascii: "\"")])
      if isObject || isHeader(line) { return begin..<end + 1 }
      begin = end + 1
    }
    return nil
  }

  private func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
    guard Self.mayBeHeader(line), line.count <= Self.longest else { return false }
    let line = Array(line)
    guard RangesLayout.namesColumns(line, options: options, declared: declared) ?? false else {
      return false
    }
    // One that cannot be used replaces none.
    return reason(line) == Self.unknown
  }

  /// Whether a line may name columns: it begins with a letter, and has no number with a point.
  ///
  /// This costs little, so that it can be asked of every row.
  private static func mayBeHeader(_ line: ArraySlice<UInt8>) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    guard let first = line.first,
      first | 0x20 &- 0x61 < 26 || first == UInt8(ascii: "\"") || first == 0xEF
    else { return false }
    var hasDelimiter = false
    var (before, last) = (first, first)
    for byte in line.dropFirst() {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"): hasDelimiter = true
      case UInt8(ascii: "="), UInt8(ascii: "{"): return false
      default:
        if isDigit(byte), last == UInt8(ascii: "."), isDigit(before) { return false }
      }
      (before, last) = (last, byte)
    }
    return hasDelimiter
  }

  /// Returns a header for rows without one whose shape is plain, and the offset of the first of them; nil
  /// for other text.
  ///
  /// The shape is plain if `count` rows in succession have a time, a tag or none, a declared anchor, and a
  /// distance.
  func plainRows(in text: [UInt8], atLeast count: Int) -> (header: String, start: Int)? {
    guard options.columns.isEmpty, !declared.isEmpty else { return nil }
    let names = Set(declared)
    let delimiter = options.delimiter ?? CSVScanner.detectedDelimiter(of: text)
    var scanner = CSVScanner(text, delimiter: delimiter, isLast: false)
    var (start, found, width) = (0, 0, 0)
    while scanner.next() {
      let cells = scanner.fields.map { String(decoding: text[$0.range], as: UTF8.self) }
      func isNumber(_ place: Int) -> Bool {
        Double(cells[place].replacing(",", with: "."))?.isFinite ?? false
      }
      let isPlain =
        (3...4).contains(cells.count) && isNumber(0) && isNumber(cells.count - 1)
        && names.contains(cells[cells.count - 2])
      if !isPlain || cells.count != width {
        (start, found, width) = (scanner.row.lowerBound, 0, cells.count)
      }
      if isPlain { found += 1 }
      if found >= count {
        let columns = ["time_s"] + (width == 4 ? ["tag"] : []) + ["anchor", "distance_m"]
        let separator = String(decoding: [delimiter.byte], as: UTF8.self)
        return (columns.joined(separator: separator) + "\n", start)
      }
    }
    return nil
  }

  /// Why no format is recognised in `text`, for the user.
  func reason(_ text: [UInt8]) -> String {
    let delimiter = options.delimiter ?? CSVScanner.detectedDelimiter(of: text)
    var scanner = CSVScanner(text, delimiter: delimiter)
    guard scanner.next() else { return Self.unknown }
    do throws(RecordingError) {
      let layout = try RangesLayout(at: scanner, options: options, path: "", declared: declared)
      return layout.reasonIncomplete(declared: declared) ?? Self.unknown
    } catch {
      guard case .badData(_, _, let reason) = error else { return Self.unknown }
      return "\(Self.unknown): as a header, \(reason)"
    }
  }
}
