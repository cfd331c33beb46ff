import Foundation

/// A recording before any row of its ranges file was read.
struct RecordingMetadata {
  /// Name, declared anchors, what `recording.json` says; of the sources all but the ranges file.
  var recording: Recording
  /// Names of the declared anchors.
  var declared: [String]
  /// The ranges file.
  var ranges: StoredInput

  /// The metadata of the recording at `path`, see ``RecordingReader/read(_:anchors:options:threads:)``.
  init(
    _ path: String, anchors: String?, options: RecordingOptions
  ) throws(RecordingError) {
    let place = try RecordingFiles(path, anchors: anchors)
    recording = Recording(name: place.name)
    recording.notes = place.notes
    var declared = DeclaredAnchors()
    if let path = place.anchors {
      let source = try ByteSource(path: path)
      declared = try AnchorsReader.read(source, decimalSeparator: options.decimalSeparator)
      recording.sources.append(source.file)
    }
    if let path = place.info {
      let source = try ByteSource(path: path, mostBytes: RecordingLimits.longestSettings)
      let info = try RecordingInfo(source)
      recording.height = info.height
      recording.heightSigma = info.heightSigma
      recording.bounds = info.bounds
      recording.zones = info.zones
      recording.deviceFrame = info.deviceFrame
      recording.headingSigma = info.headingSigma
      recording.sources.append(source.file)
      recording.remarks = info.remarks
      if !info.unknownKeys.isEmpty {
        recording.notes.append("recording.json: ignored \(Excerpt.list(info.unknownKeys))")
      }
    }
    if let path = place.poses {
      let source = try ByteSource(path: path)
      recording.takePoses(source)
      recording.sources.append(source.file)
    }
    ranges = try StoredInput(path: place.ranges)
    recording.anchors = declared.anchors
    self.declared = declared.names
  }
}

extension Recording {
  /// Takes the attitudes in a file of poses, which is one of several uses of such a file: one that has
  /// none is noted, no fault of the recording.
  mutating func takePoses(_ source: ByteSource) {
    let name = source.path.split(separator: "/").last.map(String.init) ?? source.path
    let found: RecordedAttitudes
    do throws(RecordingError) {
      found = try PosesReader.read(source)
    } catch {
      if case .badData(_, _, let reason) = error {
        notes.append("\(name) is not used: \(reason)")
      }
      return
    }
    attitudes = found.track
    guard let first = found.rejected.first else { return }
    let rows = found.rejected.count == 1 ? "1 row" : "\(found.rejected.count) rows"
    notes.append("\(name): \(rows) set aside; line \(first.line): \(first.reason)")
  }
}

extension RecordingMetadata {
  /// The metadata of a recording called `name` whose ranges file is `text`, with anchors of the given names.
  init(_ text: String, name: String, declared: [String]) {
    recording = Recording(name: name)
    self.declared = declared
    ranges = StoredInput(path: name, bytes: Array(text.utf8))
  }
}

/// Where the files of a recording are.
struct RecordingFiles {
  var name: String
  var ranges: String
  var anchors: String?
  var info: String?
  /// The poses of the device; nil without anchors, where nothing is seen from anywhere.
  var poses: String?
  var notes: [String] = []

  /// The files, in the order of ``Recording/sources``.
  var sources: [String] { [ranges] + [anchors, info, poses].compactMap { $0 } }

  /// Finds the files of the recording at `path`.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` and
  ///   ``RecordingError/badData(path:line:reason:)`` where a folder has none to read.
  init(_ path: String, anchors: String?) throws(RecordingError) {
    if path == "-", anchors == "-" {
      throw .badData(
        path: "-", line: nil, reason: "ranges and anchors cannot both be standard input")
    }
    let files = FileManager.default
    var isFolder = ObjCBool(false)
    guard path != "-", files.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else {
      // What is not there is reported by whoever opens it, with the system's reason.
      name = RecordingReader.name(of: path)
      ranges = path
      self.anchors = anchors
      return
    }

    let folder = path.hasSuffix("/") ? path : path + "/"
    func existing(_ names: String...) -> [String] {
      names.map { folder + $0 }.filter { files.fileExists(atPath: $0) }
    }
    name = RecordingReader.name(of: path)
    let found = existing("ranges.csv", "ranges.csv.gz")
    let differences = existing("tdoa.csv", "tdoa.csv.gz")
    guard let first = found.first else {
      if let differences = differences.first {
        throw .badData(
          path: differences, line: nil,
          reason: "recordings of differences of distances are not supported; ranges.csv is needed")
      }
      throw .noInput(path: path, reason: "there is no ranges.csv in this folder")
    }
    ranges = first
    if found.count > 1 { notes.append("ranges.csv is read, ranges.csv.gz is not") }
    if !differences.isEmpty { notes.append("tdoa.csv is not read") }
    self.anchors = anchors ?? existing("anchors.csv", "anchors.csv.gz").first
    info = existing("recording.json").first
    poses = self.anchors.flatMap { _ in existing("poses.csv", "poses.csv.gz").first }
    for path in [ranges, self.anchors, info, poses].compactMap({ $0 }) where path.hasPrefix(folder)
    {
      try Self.requireFile(path)
    }
  }

  /// Fails for what may never end or never begin, such as a named pipe: nobody chose to read it.
  private static func requireFile(_ path: String) throws(RecordingError) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR: return
    default: throw .noInput(path: path, reason: "is no regular file")
    }
  }
}
