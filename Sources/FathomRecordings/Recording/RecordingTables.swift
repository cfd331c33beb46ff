/// The tables of a recording besides its ranges and anchors, as files of a recording that Fathom writes.
package enum RecordingTables {
  private static let kinds: [TableKind] = [
    .truth, .poses, .heights, .odometry, .inertial, .differences,
  ]

  /// Returns the files for the recording at `path`: those of its folder, and the tables in a ranges file
  /// of mixed kinds.
  ///
  /// A table in CSV is returned as it is, one in JSON in CSV without the objects that are no rows.
  /// Standard input has been read and gives no files.
  package static func files(
    of path: String
  ) throws(RecordingError) -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    let path = try ArchivedPath.recording(at: path)
    var ranges: String? = path == "-" ? nil : path
    if path != "-", FoundFile.isFolderOrArchive(path) {
      if let settings = try FoundFile.first(of: ["recording.json"], in: path) {
        files.append(("recording.json", try ByteSource(path: settings).bytes))
      }
      for kind in kinds {
        guard let file = try FoundFile.first(of: kind.fileNames, in: path) else { continue }
        let source = try ByteSource(path: file)
        files.append((kind.fileName, try rows(of: source.table(kind))))
      }
      ranges = try FoundFile.first(of: TableKind.ranges.fileNames, in: path)
    }
    guard let ranges, let tables = try JSONTables(rangesAt: ranges) else { return files }
    for kind in kinds where !files.contains(where: { $0.name == kind.fileName }) {
      if let source = tables.source(kind) { files.append((kind.fileName, rows(of: source))) }
    }
    return files
  }

  /// Returns the text of a table without the rows that stand for faults in JSON.
  private static func rows(of source: ByteSource) -> [UInt8] {
    guard source.lines != nil else { return source.bytes }
    var scanner = CSVScanner(source.bytes, delimiter: .comma)
    var rows: [UInt8] = []
    while scanner.next() {
      if case .notJSON = scanner.fault { continue }
      rows += source.bytes[scanner.row]
      rows.append(UInt8(ascii: "\n"))
    }
    return rows
  }
}

extension JSONTables {
  /// Reads the tables besides ranges of the ranges file at `path`; nil if it has no objects or pairs.
  init?(rangesAt path: String) throws(RecordingError) {
    let input = try StoredInput(path: path)
    let recognised = try RecognisedFormat(input, options: RecordingOptions())
    switch recognised.format {
    case .json: try self.init(objectsOf: input, head: recognised.head, omitsRanges: true)
    case .keyValue:
      try self.init(
        pairsOf: input, head: recognised.head, options: RecordingOptions(), declared: [],
        omitsRanges: true)
    default: return nil
    }
  }
}

extension Recording {
  /// Whether the recording has heights, odometry, inertial data or poses.
  package var hasSensors: Bool {
    !sensors.heights.isEmpty || !sensors.odometry.isEmpty || !sensors.inertial.isEmpty
      || !poses.isEmpty
  }
}
