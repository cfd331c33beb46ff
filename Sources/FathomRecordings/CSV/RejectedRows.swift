/// The rejected rows of a file: the first ones with their text, all of them counted by reason.
///
/// A file of another kind has only such rows, so their memory is bounded: as a collection it has at
/// most ``RecordingLimits/mostKeptRejected`` rows.
public struct RejectedRows: Sendable, Equatable, RandomAccessCollection,
  ExpressibleByArrayLiteral
{
  /// The number of rows with one kind of reason.
  public struct Reason: Sendable, Equatable {
    /// Problem, without the rows' text.
    public var reason: String
    /// Number of rows.
    public var rows: Int
    /// Line of the first row.
    public var firstLine: Int
  }

  /// Number of rejected rows, also of those that are not kept.
  public private(set) var total = 0
  /// Rows by reason, in the order in which the reasons first appear.
  public private(set) var reasons: [Reason] = []
  private var kept: [RejectedRow] = []
  /// Indices in ``reasons``.
  private var places: [String: Int] = [:]

  /// Number of reasons that are distinguished.
  private static let mostReasons = 5000

  /// Creates an empty list.
  public init() {}

  /// Creates a list of `rows`, in the order of the file.
  public init(arrayLiteral rows: RejectedRow...) {
    for row in rows { append(row) }
  }

  /// Index of the first kept row.
  public var startIndex: Int { kept.startIndex }
  /// Index after the last kept row.
  public var endIndex: Int { kept.endIndex }
  /// Returns the kept row at `index`.
  public subscript(index: Int) -> RejectedRow { kept[index] }

  /// Returns the most frequent reason, with the line of its first row; nil without rejected rows.
  package var mostFrequent: (reason: String, rows: Int, firstLine: Int)? {
    guard let most = reasons.max(by: { $0.rows < $1.rows }) else { return nil }
    // The first row's reason ends with a hint.
    let example = kept.first { $0.kind == most.reason }?.reason ?? most.reason
    return (example, most.rows, most.firstLine)
  }

  /// The number of rows, with the line and the reason of the first; nil without rejected rows.
  var note: String? {
    first.map {
      "\(total == 1 ? "1 row" : "\(total) rows") rejected, line \($0.line): \($0.reason)"
    }
  }

  /// Returns the error for a file whose rows are all rejected; nil if any can be used.
  package func unusable(_ path: String, rowsRead: Int, used: Int) -> RecordingError? {
    guard used == 0, let most = mostFrequent else { return nil }
    return .badData(
      path: path, line: most.firstLine,
      reason: "no row can be used; \(most.rows) of \(rowsRead): \(most.reason)")
  }

  /// Adds the next row of the file.
  public mutating func append(_ row: RejectedRow) { append(row, times: 1) }

  /// Adds `count` successive rows with one reason, of which the first is `row`; only that one is kept.
  mutating func append(_ row: RejectedRow, times count: Int) {
    total += count
    if kept.count < RecordingLimits.mostKeptRejected { kept.append(row) }
    add(Reason(reason: row.kind, rows: count, firstLine: row.line))
  }

  /// Adds the rows of the next part of the file.
  mutating func append(contentsOf next: RejectedRows) {
    total += next.total
    kept += next.kept.prefix(RecordingLimits.mostKeptRejected - kept.count)
    for reason in next.reasons { add(reason) }
  }

  /// Moves all rows on by `lines` lines.
  mutating func advance(byLines lines: Int) {
    for index in kept.indices { kept[index].line += lines }
    for index in reasons.indices { reasons[index].firstLine += lines }
  }

  /// Replaces the lines of a text by those of the file from which it was made.
  mutating func replaceLines(by lines: LineMap) {
    for index in kept.indices { kept[index].line = lines[kept[index].line] }
    for index in reasons.indices { reasons[index].firstLine = lines[reasons[index].firstLine] }
  }

  private mutating func add(_ reason: Reason) {
    var reason = reason
    // A reason that quotes something else in each row must not be listed for each row.
    if reasons.count >= Self.mostReasons, places[reason.reason] == nil { reason.reason = "other" }
    if let place = places[reason.reason] {
      reasons[place].rows += reason.rows
    } else {
      places[reason.reason] = reasons.count
      reasons.append(reason)
    }
  }
}

/// All rejected rows of a part of a file, packed until they are written.
///
/// A row needs 32 bytes and its texts.
struct PackedRejectedRows: Sendable, Equatable, Sequence {
  /// Columns, reasons and texts, one after the other.
  private var bytes: [UInt8] = []
  /// Line of each row, and the ends of its three texts in ``bytes``.
  private var places: [(line: Int, column: Int, reason: Int, text: Int)] = []

  mutating func append(_ row: RejectedRow) {
    bytes += row.column.utf8
    let column = bytes.count
    bytes += row.reason.utf8
    let reason = bytes.count
    bytes += row.text.utf8
    places.append((row.line, column, reason, bytes.count))
  }

  /// Moves all rows on by `lines` lines.
  mutating func advance(byLines lines: Int) {
    for index in places.indices { places[index].line += lines }
  }

  /// Replaces the lines of a text by those of the file from which it was made.
  mutating func replaceLines(by lines: LineMap) {
    for index in places.indices { places[index].line = lines[places[index].line] }
  }

  func makeIterator() -> some IteratorProtocol<RejectedRow> {
    var begin = 0
    return places.lazy.map { place in
      func text(_ end: Int) -> String {
        defer { begin = end }
        return String(decoding: bytes[begin..<end], as: UTF8.self)
      }
      let (column, reason) = (text(place.column), text(place.reason))
      return RejectedRow(
        line: place.line, column: column, reason: reason, text: text(place.text))
    }.makeIterator()
  }

  static func == (left: Self, right: Self) -> Bool {
    left.bytes == right.bytes && left.places.elementsEqual(right.places, by: ==)
  }
}
