import Fathom

/// The paths of the files of a recording.
struct RecordingFiles {
  var name: String
  var ranges: String
  var anchors: String?
  var info: String?
  /// Poses of the device; without anchors only if they have positions, because attitudes alone give
  /// none.
  var poses: String?
  /// Heights, odometry and inertial data; nil without anchors, because there are then no tracks.
  var heights: String?
  var odometry: String?
  var inertial: String?
  /// Time differences, beside ranges or instead of them; nil without anchors.
  var differences: String?
  var hasRanges = true
  var notes: [String] = []

  /// Paths of the files, in the order of ``Recording/sources``.
  var sources: [String] {
    [ranges]
      + [
        anchors, info, poses, heights, odometry, inertial, hasRanges ? differences : nil,
      ].compactMap { $0 }
  }

  /// Finds the files of the recording at `path`; throws when a folder has no readable ranges file.
  ///
  /// With `hasAnchors`, anchors are known without a file.
  init(
    _ path: String, anchors: String?, findsAnchors: Bool = true, hasAnchors: Bool = false
  ) throws(RecordingError) {
    let findsAnchors = findsAnchors && !hasAnchors
    name = RecordingReader.name(of: path)
    if path == "-", anchors == "-" {
      throw .badData(
        path: "-", line: nil, reason: "ranges and anchors cannot both be standard input")
    }
    let path = try ArchivedPath.recording(at: path)
    guard path != "-", FoundFile.isFolderOrArchive(path) else {
      // A missing file is reported when it is opened, with the system's reason.
      ranges = path
      self.anchors = anchors
      if anchors == nil, findsAnchors, path != "-" { self.anchors = try Self.anchors(beside: path) }
      return
    }

    let mayHaveJSON = FoundFile.mayHaveJSON(path)
    func names(_ kind: TableKind) -> ArraySlice<String> {
      mayHaveJSON ? kind.fileNames[...] : kind.fileNames.prefix(TableKind.csvNameCount)
    }
    func found(_ kind: TableKind) throws(RecordingError) -> String? {
      try FoundFile.first(of: names(kind), in: path)
    }
    if let anchors {
      self.anchors = anchors
    } else if !hasAnchors {
      self.anchors = try found(.anchors)
    }
    let hasAnchors = hasAnchors || self.anchors != nil
    let differences = try found(.differences)
    if let first = try found(.ranges) {
      ranges = first
    } else if let differences {
      guard hasAnchors else {
        throw .badData(
          path: differences, line: nil,
          reason: "time differences need the places of the anchors: add anchors.csv")
      }
      ranges = differences
      hasRanges = false
    } else {
      throw .noInput(path: path, reason: "there is no ranges.csv in this folder")
    }
    if hasRanges {
      let read = TableKind.ranges.fileNames.first { ranges.hasSuffix($0) } ?? ranges
      for name in names(.ranges).drop(while: { $0 != read }).dropFirst()
      where try FoundFile.first(of: [name], in: path) != nil {
        notes.append("\(name) is ignored: \(read) is read")
      }
    }
    info = try FoundFile.first(of: ["recording.json"], in: path)
    guard hasAnchors else {
      if differences != nil { notes.append("tdoa.csv is ignored") }
      if let path = try found(.poses), PosesReader.hasPositions(path) { poses = path }
      return
    }
    self.differences = differences
    poses = try found(.poses)
    heights = try found(.heights)
    odometry = try found(.odometry)
    inertial = try found(.inertial)
  }

  /// Returns the anchors file in the folder of the ranges file at `path`, which may itself be called
  /// so; nil without one.
  private static func anchors(beside path: String) throws(RecordingError) -> String? {
    let names = TableKind.anchors.fileNames
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? ""
    let file = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    return names.contains(file) ? nil : try FoundFile.first(of: names, in: folder)
  }
}
