import Fathom

/// A recorded difference of distances.
public struct RecordedDifference: Sendable, Equatable {
  /// Time of the measurement.
  public var time: Timestamp
  /// Index of the tag in ``RecordedDifferences/tagNames``.
  public var tag: Int
  /// Index in ``RecordedDifferences/anchorNames`` of the anchor with the first distance.
  public var first: Int
  /// Index of the anchor whose distance is subtracted.
  public var second: Int
  /// Distance from the first anchor minus that from the second, in metres; any sign, including
  /// zero.
  public var difference: Double
  /// Physical line in the file, from 1.
  public var line: Int
}

/// The content of a file of distance differences.
public struct RecordedDifferences: Sendable, Equatable {
  /// Path as given.
  public var path: String
  /// Names of the tags.
  public var tagNames: [String] = []
  /// Names of the anchors: the declared ones in their order, or those of the file when none are
  /// declared.
  public var anchorNames: [String] = []
  /// Usable rows, in the order of the file.
  public var rows: [RecordedDifference] = []
  /// Rejected rows, in the order of the file.
  public var rejected = RejectedRows()
  /// Data rows in the file.
  public var rowsRead = 0
  /// Notes on the header, such as ignored columns.
  public var notes: [String] = []
  /// All rejected rows, packed.
  var packedRejected = PackedRejectedRows()
  /// The columns of the file.
  var columns: [FileColumn] = []
}

/// A reader of `tdoa.csv`: `time_s,tag,anchor_a,anchor_b,difference_m`, with columns found by name.
///
/// The conventions are those of ranges: units in the names of columns; one tag, named `0`, when the
/// file has no column for it; invalid rows rejected with line and reason.
public enum TimeDifferencesReader {
  static let table = TableKind.differences

  /// The units of the columns whose names have none.
  private static let units = [0: "s", 4: "m"]

  /// Reads the file at `path`, which may be compressed; `-` is standard input.
  ///
  /// ## Edge cases
  /// A row is rejected when its difference is not a finite number, its two anchors are the same, or
  /// one of them is not declared while others are.
  /// Unlike a range, a difference may be zero.
  ///
  /// - Parameters:
  ///   - path: path of the file, or `-`.
  ///   - declared: names of the declared anchors; empty when none are declared.
  ///   - options: column names and separators that override the header.
  /// - Returns: Content of the file.
  /// - Throws: ``RecordingError`` when the file cannot be read, its header lacks a column, or all
  ///   rows name undeclared anchors.
  public static func read(
    _ path: String, declared: [String] = [], options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> RecordedDifferences {
    try read(ByteSource(path: path), declared: declared, options: options)
  }

  /// Reads the file `source`, or a part of a stream, whose rows may all be rejected.
  static func read(
    _ source: ByteSource, declared: [String], options: RecordingOptions, isPart: Bool = false,
    isMain: Bool = true
  ) throws(RecordingError) -> RecordedDifferences {
    // Units that are stated are those of ranges.
    var format = options
    (format.timeUnit, format.distanceUnit) = (nil, nil)
    var table = try NumericTable(source, Self.table, options: format, isMain: isMain)
    let header = table.header
    var file = RecordedDifferences(path: source.path)
    file.notes = table.notes
    if !header.ignored.isEmpty {
      file.notes.append("ignored columns: \(Excerpt.list(header.ignored))")
    }
    file.columns = header.names.enumerated().map { field, name in
      let found = header.matches.firstIndex { $0?.field == field }
      return FileColumn(
        name: name, meaning: found.map { Self.table.columns[$0].name },
        unit: found.flatMap { header.matches[$0]?.unit ?? units[$0] })
    }
    var tags = NameTable()
    var anchors = NameTable(declared)
    let spellings = AnchorSpellings(declared)
    let known = Set(declared)
    var undeclared = UndeclaredAnchors()
    while table.next() {
      file.rowsRead += 1
      let row = table.row
      do throws(RowFault) {
        try row.check()
        let time = try row.time(0)
        let tag = try row.tag(1, orElse: "0")
        let names = [try row.name(2), try row.name(3)]
        let difference = try row.length(4)
        if names[0] == names[1] {
          throw RowFault(
            column: header.matches[3]?.given ?? "",
            reason: "both anchors are \(Excerpt.quoted(names[0]))")
        }
        if !known.isEmpty, let name = names.first(where: { !known.contains($0) }) {
          undeclared.append(name, line: table.scanner.line)
          throw RowFault(reason: UndeclaredAnchors.reason(name, spellings))
        }
        let places = names.map { anchors.place(of: $0) }
        file.rows.append(
          RecordedDifference(
            time: time, tag: tags.place(of: tag), first: places[0], second: places[1],
            difference: difference, line: table.scanner.line))
      } catch {
        let rejected = table.rejected(error)
        file.rejected.append(rejected)
        file.packedRejected.append(rejected)
      }
      let reason = RecordingLimits.reasonTooMany(
        tags: tags.names.count, anchors: anchors.names.count)
      if let reason { throw .badData(path: source.path, line: table.scanner.line, reason: reason) }
    }
    if !isPart, file.rows.isEmpty, let message = undeclared.message(spellings) {
      throw .badData(
        path: source.path, line: undeclared.firstLine,
        reason: "no difference is left: \(message)")
    }
    file.tagNames = tags.names
    file.anchorNames = anchors.names
    return file
  }
}

extension NameTable {
  /// Returns the index of `name`, which is appended if it is new.
  fileprivate mutating func place(of name: String) -> Int {
    let bytes = Array(name.utf8)
    return Int(place(of: bytes[...]))
  }
}

extension RecordedDifferences {
  /// Returns the epochs; one ends when a pair of anchors repeats, in either order.
  package func epochs(window: Double) -> [RowEpoch] {
    func pair(_ row: Int) -> [Int] { [rows[row].first, rows[row].second].sorted() }
    return RowEpoch.epochs(
      of: rows.indicesByTime(\.time),
      tags: tagNames.count, window: window, time: { rows[$0].time }, tag: { rows[$0].tag },
      repeats: { pair($0) == pair($1) })
  }
}

/// Rows of one tag from one measurement round, which determine one position.
package struct RowEpoch: Sendable, Equatable {
  /// Time of the last row.
  package var time: Timestamp
  /// Index of the tag.
  package var tag: Int
  /// Indices of the rows, in order of time.
  package var rows: [Int]

  /// Returns the epochs of rows in order of time, in the order of their last rows.
  ///
  /// An epoch ends when a row repeats one of its measurements, or when its first row is older than `window`
  /// seconds.
  static func epochs(
    of rows: [Int], tags: Int, window: Double, time: (Int) -> Timestamp, tag: (Int) -> Int,
    repeats: (_ row: Int, _ earlier: Int) -> Bool
  ) -> [RowEpoch] {
    var open = [RowEpoch?](repeating: nil, count: tags)
    var done: [RowEpoch] = []
    for row in rows {
      let (now, place) = (time(row), tag(row))
      if let epoch = open[place] {
        let isNew = !epoch.rows.contains { repeats(row, $0) }
        let first = epoch.rows.first.map(time) ?? now
        if isNew, now.seconds(since: first) <= window {
          open[place]?.time = now
          open[place]?.rows.append(row)
          continue
        }
        done.append(epoch)
      }
      open[place] = RowEpoch(time: now, tag: place, rows: [row])
    }
    return (done + open.compactMap { $0 }).sortedByTime(\.time)
  }
}
