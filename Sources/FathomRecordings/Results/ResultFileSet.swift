/// The result files of one recording in the making, all but its summary.
///
/// Tables are begun at once, so that a folder that takes none is known before anything is computed; a
/// track is begun with its first row, since a tag without a position has none.
final class ResultFileSet: ResultOutput {
  private let writer: AtomicFileWriter
  private var parts: [(table: ResultTable, part: PendingFile)] = []
  private var zonesPart: PendingFile?
  private var begun: [Int: PendingFile] = [:]
  /// The places where tracks are to appear.
  private let trackPaths: [String]
  private let zonesPath: String?

  /// Files of at most so many tracks are written at once, each of which is open.
  static let mostTracks = 128

  /// Begins the files that `formats` ask for.
  ///
  /// - Parameters:
  ///   - name: the recording's name.
  ///   - folder: the folder of the results.
  ///   - formats: what is asked for.
  ///   - tags: the names of what is located, for the tracks.
  ///   - hasZones: whether there are zones on the floor plan.
  ///   - writer: what the files go through.
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)`` where one cannot be made.
  init(
    of name: String, in folder: String, formats: Set<ResultFormat>, tags: [String],
    hasZones: Bool, through writer: AtomicFileWriter
  ) throws(RecordingError) {
    self.writer = writer
    trackPaths =
      formats.contains(.tum)
      ? ResultWriter.trackNames(of: name, tags: tags).map { OutputFile.path(of: $0, in: folder) }
      : []
    zonesPath =
      hasZones ? OutputFile.path(of: "\(name).\(ResultWriter.zonesEnding)", in: folder) : nil
    if let zonesPath { zonesPart = try PendingFile(for: zonesPath, through: writer) }
    for (table, ending) in ResultWriter.tables(formats) {
      let path = OutputFile.path(of: "\(name).\(ending)", in: folder)
      parts.append((table, try PendingFile(for: path, through: writer)))
    }
  }

  /// The first of the places of zones and tracks where something is already, or nil.
  var conflict: String? {
    OutputFile.conflict(among: [zonesPath].compactMap { $0 } + trackPaths)
  }

  /// The tables' files.
  var tables: [PendingFile] { parts.map(\.part) }

  /// The files that not every recording has: zones, then tracks in the order of their names.
  var others: [PendingFile] {
    [zonesPart].compactMap { $0 } + begun.sorted { $0.key < $1.key }.map(\.value)
  }

  func append(_ bytes: UnsafeRawBufferPointer, to table: ResultTable) throws(RecordingError) {
    switch table {
    case .track(let place): try track(place).append(bytes)
    case .zones: try zonesPart?.append(bytes)
    case .positions, .distances: try parts.first { $0.table == table }?.part.append(bytes)
    }
  }

  private func track(_ place: Int) throws(RecordingError) -> PendingFile {
    if let part = begun[place] { return part }
    let path = trackPaths[place]
    guard begun.count < Self.mostTracks else {
      throw .cannotWrite(
        path: path,
        reason: "more than \(Self.mostTracks) tags with positions: too many files for"
          + " --results tum")
    }
    let part = try PendingFile(for: path, through: writer)
    begun[place] = part
    return part
  }
}

extension ResultWriter {
  /// The tables that `formats` ask for, with what stands behind the name in those of their files.
  static func tables(_ formats: Set<ResultFormat>) -> [(table: ResultTable, ending: String)] {
    [ResultFormat.csv, .jsonl].filter(formats.contains).flatMap { format in
      [
        (ResultTable.positions(format), "positions.\(format.rawValue)"),
        (.distances(format), "distances.\(format.rawValue)"),
      ]
    }
  }
}
