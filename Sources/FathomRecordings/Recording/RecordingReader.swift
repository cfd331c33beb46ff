import Fathom
import Foundation

/// Reads recordings: a folder with `ranges.csv`, or one ranges file.
public enum RecordingReader {
  /// Reads the recording at `path`.
  ///
  /// A folder holds `ranges.csv` or `ranges.csv.gz`, and may hold `anchors.csv`, `poses.csv` (or `.gz`) and
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
  ///   - threads: on how many threads the ranges file is read, at least 1; the recording is the same.
  /// - Returns: the recording.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where something asked for is not there;
  ///   ``RecordingError/badData(path:line:reason:)`` where a file is not what it should be.
  public static func read(
    _ path: String, anchors: String? = nil, options: RecordingOptions = RecordingOptions(),
    threads: Int = 1
  ) throws(RecordingError) -> Recording {
    try readWithLayout(path, anchors: anchors, options: options, width: threads).recording
  }

  /// The name that the recording at `path` goes by, and its results after it: the folder's, the file's
  /// without ending (and `.gz`), or `stdin`.
  public static func name(of path: String) -> String {
    if path == "-" { return "stdin" }
    var isFolder = ObjCBool(false)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      let folder = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
      // The root of the file system is called by a slash, which would be a way.
      return folder.lastPathComponent == "/" ? "recording" : folder.lastPathComponent
    }
    var name = path.split(separator: "/").last.map(String.init) ?? path
    if name.lowercased().hasSuffix(".gz") { name.removeLast(3) }
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    // `.gz` has no other name: its results are not to be hidden.
    return name.isEmpty ? "recording" : name
  }

  /// Reads the recording at `path`, and tells how its ranges file is laid out.
  static func readWithLayout(
    _ path: String, anchors: String?, options: RecordingOptions, width: Int = 1
  ) throws(RecordingError) -> (recording: Recording, layout: RangesLayout) {
    let metadata = try RecordingMetadata(path, anchors: anchors, options: options)
    let file = try RangesReader.read(
      metadata.ranges, options: options, declared: metadata.declared, width: width)
    var recording = metadata.recording
    if let source = file.source { recording.sources.insert(source, at: 0) }
    recording.tagNames = file.tagNames
    recording.anchorNames = file.anchorNames
    recording.ranges = file.ranges
    recording.events = file.events
    recording.rejected = file.rejected
    recording.rowsRead = file.rowsRead
    var counts = RowCounts()
    counts.take(file)
    recording.notes += counts.notes(file.layout, declared: metadata.declared)
    return (recording, file.layout)
  }
}
