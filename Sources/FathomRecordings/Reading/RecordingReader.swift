import Fathom
import Foundation

/// Reads recordings: a folder with `ranges.csv`, or one ranges file.
public enum RecordingReader {
  /// Reads the recording at `path`.
  ///
  /// A folder holds `ranges.csv` or `ranges.csv.gz`, and may hold `anchors.csv` (or `.gz`) and
  /// `recording.json`. Names of anchors begin with the declared ones in the order of their file, so
  /// that ``Recording/anchors`` is parallel to ``Recording/anchorNames``.
  ///
  /// ## Edge cases
  /// Rows that cannot be used are in ``Recording/rejected``, and a recording without a single usable
  /// row is a recording, with a note. An empty name of a tag or anchor is missing; a file without the
  /// column `tag` has one tag, called `0`, and one without the column `anchor` has one anchor: the
  /// declared one, or `0`.
  ///
  /// - Parameters:
  ///   - path: a folder, a ranges file, or `-` for a ranges file on standard input.
  ///   - anchors: an anchors file, instead of the folder's own.
  ///   - options: names, units and separators that differ from what the header says.
  /// - Returns: the recording.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where something asked for is not there;
  ///   ``RecordingError/badData(path:line:reason:)`` where a file is not what it should be.
  public static func read(
    _ path: String, anchors: String? = nil, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Recording {
    try readWithLayout(path, anchors: anchors, options: options).recording
  }

  /// The name that the recording at `path` goes by, and its results after it: the folder's, the file's
  /// without ending (and `.gz`), or `stdin`.
  public static func name(of path: String) -> String {
    if path == "-" { return "stdin" }
    var isFolder = ObjCBool(false)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      return URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL.lastPathComponent
    }
    var name = path.split(separator: "/").last.map(String.init) ?? path
    if name.lowercased().hasSuffix(".gz") { name.removeLast(3) }
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    return name
  }

  /// Reads the recording at `path`, and tells how its ranges file is laid out.
  static func readWithLayout(
    _ path: String, anchors: String?, options: RecordingOptions
  ) throws(RecordingError) -> (recording: Recording, layout: RangesLayout) {
    let heading = try RecordingHeading(path, anchors: anchors, options: options)
    let file = try RangesReader.read(
      heading.ranges, options: options, declared: heading.declared)
    var recording = heading.recording
    if let source = file.source { recording.sources[0] = source }
    recording.tagNames = file.tagNames
    recording.anchorNames = file.anchorNames
    recording.ranges = file.ranges
    recording.events = file.events
    recording.rejected = file.rejected
    recording.rowsRead = file.rowsRead
    var counts = RowCounts()
    counts.take(file)
    recording.notes += counts.notes(file.layout, declared: heading.declared)
    return (recording, file.layout)
  }
}

/// A recording before any row of its ranges file was read.
struct RecordingHeading {
  /// Name, sources (that of the ranges first, without check sum before it is read), declared anchors, what
  /// `recording.json` says; no ranges.
  var recording: Recording
  /// Names of the declared anchors.
  var declared: [String]
  /// The ranges file.
  var ranges: StoredInput

  /// The heading of the recording at `path`, see ``RecordingReader/read(_:anchors:options:)``.
  init(
    _ path: String, anchors: String?, options: RecordingOptions
  ) throws(RecordingError) {
    let place = try RecordingPlace(path, anchors: anchors)
    recording = Recording(name: place.name)
    recording.notes = place.notes
    var declared = DeclaredAnchors()
    if let path = place.anchors {
      let source = try ByteSource(path: path)
      declared = try AnchorsReader.read(source, decimalSeparator: options.decimalSeparator)
      recording.sources.append(source.file)
    }
    if let path = place.info {
      let source = try ByteSource(path: path)
      let info = try RecordingInfo(source)
      recording.height = info.height
      recording.sources.append(source.file)
      recording.remarks = info.remarks
      if !info.unknownKeys.isEmpty {
        recording.notes.append("recording.json: ignored \(Excerpt.list(info.unknownKeys))")
      }
    }
    ranges = try StoredInput(path: place.ranges)
    recording.sources.insert(SourceFile(path: place.ranges, bytes: ranges.byteCount), at: 0)
    recording.anchors = declared.anchors
    self.declared = declared.names
  }
}

extension RecordingHeading {
  /// The heading of a recording called `name` whose ranges file is `text`, with anchors of the given names.
  init(_ text: String, name: String, declared: [String]) {
    recording = Recording(name: name)
    self.declared = declared
    ranges = StoredInput(path: name, bytes: Array(text.utf8))
  }
}

/// What is counted of the rows of a ranges file for the notes on it.
struct RowCounts {
  private var rows = 0
  private var ranges = 0
  private var commentLines = 0
  private var isSeen: [Bool] = []

  /// Counts the rows that follow.
  mutating func take(_ file: RangesFile) {
    rows += file.rowsRead
    ranges += file.ranges.count
    commentLines += file.commentLines
    isSeen += Array(repeating: false, count: file.anchorNames.count - isSeen.count)
    for anchor in file.ranges.anchor { isSeen[Int(anchor)] = true }
  }

  /// Notes for the user on a file of the given layout.
  func notes(_ layout: RangesLayout, declared: [String]) -> [String] {
    var notes = layout.notes
    if commentLines > 0 {
      let lines = commentLines == 1 ? "1 line" : "\(commentLines) lines"
      notes.append("\(lines) of comment skipped")
    }
    if layout[.tag] == nil { notes.append("no column tag: one tag, called 0") }
    if layout[.anchor] == nil {
      notes.append("no column anchor: one anchor, called \(declared.first ?? "0")")
    }
    if rows == 0 {
      notes.append("the ranges file has no rows")
    } else if ranges == 0 {
      notes.append("no usable range is left")
    }
    let unseen = declared.indices.filter { !isSeen.indices.contains($0) || !isSeen[$0] }
    if !unseen.isEmpty {
      notes.append("declared anchors without ranges: \(Excerpt.list(unseen.map { declared[$0] }))")
    }
    return notes
  }
}

/// Where the files of a recording are.
struct RecordingPlace {
  var name: String
  var ranges: String
  var anchors: String?
  var info: String?
  var notes: [String] = []

  /// The files, in the order of ``Recording/sources``.
  var sources: [String] { [ranges] + [anchors, info].compactMap { $0 } }

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

    func existing(_ names: String...) -> [String] {
      names.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
        .filter { files.fileExists(atPath: $0) }
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
  }
}
