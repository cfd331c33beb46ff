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
    let place = try RecordingPlace(path, anchors: anchors)
    var recording = Recording(name: place.name)
    recording.notes = place.notes

    var declared = DeclaredAnchors()
    if let path = place.anchors {
      let source = try ByteSource(path: path)
      declared = try AnchorsReader.read(source, decimalSeparator: options.decimalSeparator)
      recording.sources.append(SourceFile(path: path, bytes: source.storedCount))
    }
    if let path = place.info {
      let source = try ByteSource(path: path)
      let info = try RecordingInfo(source)
      recording.height = info.height
      recording.sources.append(SourceFile(path: path, bytes: source.storedCount))
      recording.remarks = info.remarks
      if !info.unknownKeys.isEmpty {
        recording.notes.append("recording.json: ignored \(Excerpt.list(info.unknownKeys))")
      }
    }

    let input = try StoredInput(path: place.ranges)
    let file = try RangesReader.read(input, options: options, declared: declared.names)
    recording.sources.insert(SourceFile(path: place.ranges, bytes: input.byteCount), at: 0)
    recording.tagNames = file.tagNames
    recording.anchorNames = file.anchorNames
    recording.anchors = declared.anchors
    recording.ranges = file.ranges
    recording.events = file.events
    recording.rejected = file.rejected
    recording.rowsRead = file.rowsRead
    recording.notes += file.layout.notes
    recording.notes += notes(on: file, declared: declared.names)
    return (recording, file.layout)
  }

  private static func notes(on file: RangesFile, declared: [String]) -> [String] {
    var notes: [String] = []
    if file.commentLines > 0 {
      let lines = file.commentLines == 1 ? "1 line" : "\(file.commentLines) lines"
      notes.append("\(lines) of comment skipped")
    }
    if file.layout[.tag] == nil { notes.append("no column tag: one tag, called 0") }
    if file.layout[.anchor] == nil {
      notes.append("no column anchor: one anchor, called \(declared.first ?? "0")")
    }
    if file.rowsRead == 0 {
      notes.append("the ranges file has no rows")
    } else if file.ranges.count == 0 {
      notes.append("no usable range is left")
    }
    var isSeen = [Bool](repeating: false, count: declared.count)
    for anchor in file.ranges.anchor where Int(anchor) < declared.count {
      isSeen[Int(anchor)] = true
    }
    let unseen = declared.indices.filter { !isSeen[$0] }.map { declared[$0] }
    if !unseen.isEmpty { notes.append("declared anchors without ranges: \(Excerpt.list(unseen))") }
    return notes
  }
}

/// Where the files of a recording are.
private struct RecordingPlace {
  var name: String
  var ranges: String
  var anchors: String?
  var info: String?
  var notes: [String] = []

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
