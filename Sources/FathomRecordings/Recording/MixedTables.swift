/// The tables in the ranges file of a recording if it is JSON, as far as the recording can use them.
///
/// Without anchors there are no tracks, for which heights, odometry, inertial data and time differences would
/// serve, and poses serve only if they have positions.
struct MixedTables {
  private let tables: JSONTables
  private let path: String
  private let hasAnchors: Bool
  private let findsAnchors: Bool

  /// Reads the tables of `input`; nil if it is neither JSON nor a table whose rows stand for several
  /// measurements.
  ///
  /// `declared` are the names of the anchors declared elsewhere; with `hasAnchors`, there are such,
  /// and they take precedence. With `findsAnchors`, anchors that are not given are used. Throws if
  /// `input` has neither ranges nor time differences but other tables.
  init?(
    _ input: StoredInput, _ options: RecordingOptions, declared: [String], hasAnchors: Bool,
    findsAnchors: Bool
  ) throws(RecordingError) {
    guard let found = try Self.tables(of: input, options, declared: declared) else { return nil }
    tables = found
    path = input.path
    self.findsAnchors = findsAnchors && !hasAnchors
    self.hasAnchors = hasAnchors || self.findsAnchors && tables.count(of: .anchors) > 0
    if hasOnlyDifferences, !self.hasAnchors {
      throw .badData(
        path: path, line: nil,
        reason: (tables.note.map { "\($0); " } ?? "")
          + "time differences need the places of the anchors: add anchors.csv or objects with"
          + " the keys id, x, y, z")
    }
    guard tables.count(of: .ranges) == 0, !hasOnlyDifferences else { return }
    let others = TableKind.allCases.filter { tables.count(of: $0) > 0 }
    if !others.isEmpty {
      throw .badData(
        path: path, line: nil,
        reason: "no object is a range or a time difference; found \(counts(others))"
          + (others.allSatisfy { $0 == .truth || $0 == .poses }
            ? "; from positions nothing can be computed: log the distances, with time, anchor and"
              + " distance in each object, or compare the positions by fathom evaluate" : ""))
    }
  }

  private static func tables(
    of input: StoredInput, _ options: RecordingOptions, declared: [String]
  ) throws(RecordingError) -> JSONTables? {
    if options.format == nil {
      let head = try RecognisedFormat.head(of: input)
      if !RecognisedFormat.canBeJSON(head), !KeyValueLog.canBegin(head, declared: declared) {
        return try JSONTables(
          foldedRowsOf: input, head: head, options: options, declared: declared)
      }
    }
    let recognised = try RecognisedFormat(input, options: options, declared: declared)
    if recognised.format == .json {
      return try JSONTables(
        objectsOf: input, head: recognised.head, renames: options.columns, declared: declared)
    }
    if recognised.format == .keyValue {
      return try JSONTables(
        pairsOf: input, head: recognised.head, options: options, declared: declared)
    }
    guard options.format == nil, recognised.format == .csv else { return nil }
    return try JSONTables(
      foldedRowsOf: input, head: recognised.head, options: options, declared: declared)
  }

  /// Whether the file has time differences, but no ranges.
  var hasOnlyDifferences: Bool {
    tables.count(of: .ranges) == 0 && tables.count(of: .differences) > 0
  }

  /// The ranges in CSV.
  func ranges() throws(RecordingError) -> StoredInput { try tables.ranges() }

  /// Returns the table of `kind` in CSV; nil if the file has none that the recording can use.
  func source(_ kind: TableKind) -> ByteSource? {
    switch kind {
    case .ranges, .truth: nil
    case .anchors: findsAnchors ? tables.source(kind) : nil
    case .poses:
      tables.source(kind).flatMap {
        hasAnchors || PosesReader.hasPositions($0) ? $0 : nil
      }
    case .differences, .heights, .odometry, .inertial: hasAnchors ? tables.source(kind) : nil
    }
  }

  /// Returns notes for the user on tables that are not used; the files of the recording take
  /// precedence.
  func notes(besides files: RecordingFiles) -> [String] {
    let paths: [TableKind: String?] = [
      .anchors: files.anchors, .poses: files.poses, .heights: files.heights,
      .odometry: files.odometry, .inertial: files.inertial, .differences: files.differences,
    ]
    var notes = [tables.note].compactMap(\.self)
    var unused: [TableKind] = []
    for kind in TableKind.allCases where tables.count(of: kind) > 0 {
      if let file = paths[kind] ?? nil {
        notes.append("\(counts([kind])) in \(path) not used: \(file) is read")
      } else if kind != .ranges, kind != .truth, source(kind) == nil {
        unused.append(kind)
      }
    }
    if !unused.isEmpty {
      notes.append("\(counts(unused)) in \(path) not used, because there are no anchors")
    }
    return notes
  }

  private func counts(_ kinds: [TableKind]) -> String {
    kinds.map { "\(tables.count(of: $0)) of \($0.rawValue)" }.joined(separator: ", ")
  }
}
