import Fathom
import Foundation

/// A reader of recordings: a folder with `ranges.csv`, or a single ranges file.
public enum RecordingReader {
  /// Reads the recording at `path`.
  ///
  /// A folder contains `ranges.csv` or `ranges.csv.gz`, and optionally `anchors.csv`, `poses.csv`
  /// (or `.gz`) and `recording.json`. Beside a single ranges file, `anchors.csv` (or `.gz`) is used.
  /// Anchor names begin with the declared ones in the order of their file, so that
  /// ``Recording/anchors`` is parallel to ``Recording/anchorNames``.
  ///
  /// ## Edge cases
  /// Invalid rows are in ``Recording/rejected``. A recording without a usable row is valid and has
  /// a note. An empty name of a tag or anchor is missing. A file without the column `tag` has one
  /// tag, named `0`. A file without the column `anchor` has one anchor: the declared one, or `0`.
  ///
  /// - Parameters:
  ///   - path: path of a folder, of a zip archive with one, or of a ranges file, or `-` for a ranges
  ///     file on standard input.
  ///   - anchors: path of an anchors file that replaces the folder's own.
  ///   - options: column names, units and separators that override the header.
  ///   - threads: number of threads that read the ranges file, at least 1; it does not affect the
  ///     result.
  ///   - findsAnchors: whether `anchors.csv` beside a single ranges file is used.
  ///   - acceptsUnsurveyed: whether anchors may lack x and y, see ``Recording/surveyed(with:)``.
  /// - Returns: The recording.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when a requested file is missing;
  ///   ``RecordingError/badData(path:line:reason:)`` when a file is invalid.
  public static func read(
    _ path: String, anchors: String? = nil, options: RecordingOptions = RecordingOptions(),
    threads: Int = 1, findsAnchors: Bool = true, acceptsUnsurveyed: Bool = false
  ) throws(RecordingError) -> Recording {
    try readWithLayout(
      path, anchors: anchors, options: options, width: threads, findsAnchors: findsAnchors,
      acceptsUnsurveyed: acceptsUnsurveyed
    ).recording
  }

  /// Reads the recording at `path` with anchors in memory, which replace the file of the recording.
  ///
  /// The recording equals that with the same anchors in a file. Throws for an invalid anchor.
  package static func read(
    _ path: String, declared: DeclaredAnchors, options: RecordingOptions = RecordingOptions()
  ) throws(RecordingError) -> Recording {
    try readWithLayout(path, anchors: nil, options: options, declared: declared).recording
  }

  /// Returns the name of the recording at `path`, after which its results are named: the name of
  /// the folder, the file's name without extension (and `.gz`), or `stdin`.
  public static func name(of path: String) -> String {
    if path == "-" { return "stdin" }
    // An archive is named like a file, a folder in it like a folder.
    if FoundFile.isFolder(path) || !FoundFile.isRegular(path) && ArchivedPath.isFolder(path) {
      let folder = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
      // The root of the file system is called `/`, which would be a path.
      return folder.lastPathComponent == "/" ? "recording" : folder.lastPathComponent
    }
    var name = path.split(separator: "/").last.map(String.init) ?? path
    if name.lowercased().hasSuffix(".gz") { name.removeLast(3) }
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    // A file called `.gz` has no other name; its results must not be hidden files.
    return name.isEmpty ? "recording" : name
  }

  /// Reads the recording at `path`; also returns the layout of its ranges file.
  static func readWithLayout(
    _ path: String, anchors: String?, options: RecordingOptions, width: Int = 1,
    findsAnchors: Bool = true, acceptsUnsurveyed: Bool = false, declared: DeclaredAnchors? = nil
  ) throws(RecordingError) -> (recording: Recording, layout: RangesLayout) {
    let metadata = try RecordingMetadata(
      path, anchors: anchors, options: options, findsAnchors: findsAnchors,
      acceptsUnsurveyed: acceptsUnsurveyed, given: declared)
    let options = metadata.optionsOfRanges(options)
    var file = try RangesReader.read(
      metadata.ranges, options: options, declared: metadata.declared, width: width)
    if !file.tagAnchors.isEmpty {
      var options = options
      options.tagAnchors = file.tagAnchors
      file = try RangesReader.read(
        metadata.ranges, options: options, declared: metadata.declared, width: width)
      file.tagRanges.resolve(options.tagAnchors, tags: file.tagNames)
    }
    var recording = metadata.recording
    if let source = recording.sensors.onlyDifferences?.source ?? file.source {
      recording.sources.insert(source, at: 0)
    }
    if let differences = recording.sensors.onlyDifferences {
      // Without declared anchors the names are those of the time differences.
      if !file.anchorNames.isEmpty { recording.anchorNames = file.anchorNames }
      recording.rowsRead = differences.rowsRead
      recording.rejected = differences.rejected
    } else {
      recording.adopt(file, declared: metadata.declared)
    }
    return (recording, file.layout)
  }
}
