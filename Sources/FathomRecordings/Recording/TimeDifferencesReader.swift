import Fathom

/// One difference of distances as recorded.
public struct RecordedDifference: Sendable, Equatable {
  /// When it was measured.
  public var time: Timestamp
  /// Index of the tag in ``RecordedDifferences/tagNames``.
  public var tag: Int
  /// Index of the anchor whose distance is the first, in ``RecordedDifferences/anchorNames``.
  public var first: Int
  /// Index of the anchor whose distance is taken off.
  public var second: Int
  /// The distance from the first less that from the second anchor, metres; any sign, zero too.
  public var difference: Double
  /// Physical line in the file.
  public var line: Int
}

/// What a file of differences holds.
public struct RecordedDifferences: Sendable, Equatable {
  /// The path as given.
  public var path: String
  /// Names of the tags.
  public var tagNames: [String] = []
  /// Names of the anchors: the declared ones in their order, or those of the file where none are.
  public var anchorNames: [String] = []
  /// The usable rows in the order of the file.
  public var rows: [RecordedDifference] = []
  /// Rows that could not be used, in the order of the file.
  public var rejected: [RejectedRow] = []
  /// Rows of data in the file.
  public var rowsRead = 0
  /// Remarks about the header, such as columns that were ignored.
  public var notes: [String] = []
}

/// Reads `tdoa.csv`: `time_s,tag,anchor_a,anchor_b,difference_m`, columns found by name.
///
/// The conventions are those of ranges: units in the names of columns, one tag, called `0`, where
/// the file has no column for it, and rows that cannot be used set aside with line and reason.
public enum TimeDifferencesReader {
  private static let columns: [ColumnName] = [
    ColumnName("time_s", ["time", "timestamp", "t"], .time, isRequired: true),
    ColumnName("tag", ["tag", "tag_id", "tagid"]),
    ColumnName(
      "anchor_a", ["anchor_a", "anchora", "anchor_1", "anchor1", "first"], isRequired: true),
    ColumnName(
      "anchor_b", ["anchor_b", "anchorb", "anchor_2", "anchor2", "second"], isRequired: true),
    ColumnName(
      "difference_m", ["difference", "tdoa", "distance_difference"], .length, isRequired: true),
  ]

  /// Reads the file at `path`, which may be compressed; `-` is standard input.
  ///
  /// ## Edge cases
  /// A row is set aside whose difference is no finite number or whose two anchors are one. Unlike a
  /// range, a difference of zero is one.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - declared: names of the declared anchors; empty where none are.
  ///   - options: names of columns and separators that differ from what the header says.
  /// - Returns: the rows.
  /// - Throws: ``RecordingError`` where the file cannot be read, its header lacks a column, or it
  ///   names an anchor that is not declared.
  public static func read(
    _ path: String, declared: [String] = [], options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> RecordedDifferences {
    try read(ByteSource(path: path), declared: declared, options: options)
  }

  static func read(
    _ source: ByteSource, declared: [String], options: RecordingOptions
  ) throws(RecordingError) -> RecordedDifferences {
    var scanner = try CSVScanner(atHeaderOf: source, delimiter: options.delimiter)
    let header = try CSVHeader(
      at: scanner, columns: columns, renames: options.columns, path: source.path)
    var file = RecordedDifferences(path: source.path)
    if !header.ignored.isEmpty {
      file.notes.append("ignored columns: \(Excerpt.list(header.ignored))")
    }
    var tags = NameTable()
    var anchors = NameTable(declared)
    var undeclared: (line: Int, name: String, rows: Int)?
    while scanner.next() {
      file.rowsRead += 1
      let row = NumericRow(
        scanner: scanner, header: header, decimalSeparator: options.decimalSeparator)
      do throws(RowFault) {
        try row.check()
        let time = try row.time(0)
        let tag = header.matches[1] == nil ? "0" : try row.name(1)
        let names = [try row.name(2), try row.name(3)]
        let difference = try row.length(4)
        if names[0] == names[1] {
          throw RowFault(
            column: header.matches[3]?.given ?? "",
            reason: "both anchors are \(Excerpt.quoted(names[0]))")
        }
        let places = names.map { anchors.place(of: $0) }
        if !declared.isEmpty, let place = places.first(where: { $0 >= declared.count }) {
          let first = undeclared ?? (scanner.line, anchors.names[place], 0)
          undeclared = (first.line, first.name, first.rows + 1)
        }
        file.rows.append(
          RecordedDifference(
            time: time, tag: tags.place(of: tag), first: places[0], second: places[1],
            difference: difference, line: scanner.line))
      } catch {
        file.rejected.append(
          RejectedRow(
            line: scanner.line, column: error.column, reason: error.reason,
            text: Excerpt.text(scanner.bytes[scanner.row])))
      }
      let reason = RecordingLimits.reasonTooMany(
        tags: tags.names.count, anchors: anchors.names.count)
      if let reason { throw .badData(path: source.path, line: scanner.line, reason: reason) }
    }
    if let (line, name, rows) = undeclared {
      let rows = rows == 1 ? "1 row" : "\(rows) rows"
      throw .badData(
        path: source.path, line: line,
        reason: "anchor \(Excerpt.quoted(name)) is not declared (\(rows) with undeclared anchors)")
    }
    file.tagNames = tags.names
    file.anchorNames = anchors.names
    return file
  }
}

extension NameTable {
  /// The place of `name`, which is taken in where it is new.
  fileprivate mutating func place(of name: String) -> Int {
    let bytes = Array(name.utf8)
    return Int(place(of: bytes[...]))
  }
}

extension RecordedDifferences {
  /// The differences of one tag from one round.
  package struct Epoch: Sendable, Equatable {
    /// The last difference's instant.
    package var time: Timestamp
    /// Index of the tag.
    package var tag: Int
    /// Indices into ``RecordedDifferences/rows``, in the order of their time.
    package var rows: [Int]
  }

  /// The epochs, in the order of their last differences.
  ///
  /// An epoch ends when a pair of anchors comes again, either way round, or when its first
  /// difference is older than `window` seconds.
  package func epochs(window: Double) -> [Epoch] {
    var open = [Epoch?](repeating: nil, count: tagNames.count)
    var done: [Epoch] = []
    func pair(_ row: Int) -> [Int] { [rows[row].first, rows[row].second].sorted() }
    for index in rows.indices.sorted(by: { (rows[$0].time, $0) < (rows[$1].time, $1) }) {
      let row = rows[index]
      if let epoch = open[row.tag] {
        let isNew = epoch.rows.allSatisfy { pair($0) != pair(index) }
        let first = epoch.rows.first.map { rows[$0].time } ?? row.time
        if isNew, row.time.seconds(since: first) <= window {
          open[row.tag]?.time = row.time
          open[row.tag]?.rows.append(index)
          continue
        }
        done.append(epoch)
      }
      open[row.tag] = Epoch(time: row.time, tag: row.tag, rows: [index])
    }
    // Sorting by place keeps those of one instant in their order.
    let all = done + open.compactMap { $0 }
    return all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }.map { all[$0] }
  }
}
