/// The pending result files of one recording, except for its summary.
///
/// Tables are created immediately, so that an unwritable folder is found before anything is
/// computed. The file of a track is created with its first row, because a tag without positions has
/// no track.
final class ResultFileSet: ResultOutput {
  private let writer: AtomicFileWriter
  private var parts: [(table: ResultTable, part: PendingFile)] = []
  private var zonesPart: PendingFile?
  private var begun: [Int: PendingFile] = [:]
  /// The final paths of the tracks.
  private let trackPaths: [String]
  private let zonesPath: String?

  /// The largest number of tracks; each track is an open file.
  static let mostTracks = 128

  /// Creates the files that `formats` require.
  ///
  /// `tags` are the names of the located objects, for the tracks. `writer` creates and publishes
  /// the files.
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

  /// The first path of zones and tracks at which a file already exists, or nil.
  var conflict: String? {
    OutputFile.conflict(among: [zonesPath].compactMap { $0 } + trackPaths)
  }

  /// The files of the tables.
  var tables: [PendingFile] { parts.map(\.part) }

  /// The files that only some recordings have: zones, then tracks in the order of their names.
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
        reason: "more than \(Self.mostTracks) tags have positions, too many files for"
          + " --results tum; use csv or jsonl")
    }
    let part = try PendingFile(for: path, through: writer)
    begun[place] = part
    return part
  }
}

extension ResultWriter {
  /// Returns the tables that `formats` require, each with the suffix of its file name.
  static func tables(_ formats: Set<ResultFormat>) -> [(table: ResultTable, ending: String)] {
    [ResultFormat.csv, .jsonl].filter(formats.contains).flatMap { format in
      [
        (ResultTable.positions(format), "positions.\(format.rawValue)"),
        (.distances(format), "distances.\(format.rawValue)"),
      ]
    }
  }
}
