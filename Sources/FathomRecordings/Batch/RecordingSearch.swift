import Foundation

/// A search for recordings in a folder and the folders in it.
///
/// A folder with `ranges.csv`, `tdoa.csv` or `recording.json` is a recording; a single file is one
/// only if a pattern whose last name has a period matches it, such as `*.csv`. Hidden files and folders,
/// links to folders, results and the other files of recordings are left out.
public struct RecordingSearch: Sendable {
  /// Patterns of which a recording must match one; all recordings if there are none.
  public var includes: [PathPattern] = []
  /// Patterns of folders and files that are left out.
  public var excludes: [PathPattern] = []
  /// The folder of the results, which is left out.
  public var output: String?

  /// The largest number of recordings that are found; more are an error.
  static let mostRecordings = 1_000_000

  /// Creates a search for all folders that are recordings.
  public init() {}

  private static let marks =
    TableKind.ranges.fileNames + TableKind.differences.fileNames
    + ["recording.json", "recording.json.gz"]
  /// Files that belong to recordings or batches.
  private static let others =
    TableKind.allCases.flatMap(\.fileNames)
    + [BatchManifest.fileName, BatchTable.fileName]

  /// Returns the paths of the recordings in the folder `root`, sorted by their relative paths.
  ///
  /// A folder that cannot be read is returned as a recording, so that it fails as one.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` if there is no recording;
  ///   ``RecordingError/badData(path:line:reason:)`` if there are too many.
  public func recordings(in root: String) throws(RecordingError) -> [String] {
    let ignored = output.flatMap(Self.identity)
    var found: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      let path = folder.isEmpty ? root : OutputFile.path(of: folder, in: root)
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
        found.append(folder)
        continue
      }
      if names.contains(where: Self.marks.contains), isIncludedFolder(folder) {
        found.append(folder)
      }
      for name in names where !name.hasPrefix(".") {
        let relative = folder.isEmpty ? name : "\(folder)/\(name)"
        if excludes.contains(where: { $0.matches(relative) }) { continue }
        let path = OutputFile.path(of: relative, in: root)
        var status = stat()
        guard lstat(path, &status) == 0 else {
          found.append(relative)
          continue
        }
        if status.st_mode & S_IFMT == S_IFDIR {
          if ignored == nil || Self.identity(path) != ignored { folders.append(relative) }
        } else if isIncludedFile(relative, called: name), FoundFile.isRegular(path) {
          found.append(relative)
        }
      }
      if found.count > Self.mostRecordings {
        throw .badData(
          path: root, line: nil,
          reason: "there are more than \(Self.mostRecordings) recordings in this folder")
      }
    }
    if found.isEmpty {
      let patterns = includes.isEmpty && excludes.isEmpty ? "" : " that matches the patterns"
      throw .noInput(
        path: root,
        reason: "there is no recording in this folder\(patterns): a folder with ranges.csv, or a"
          + " file that --include names")
    }
    // The order must not depend on that of the folder's entries.
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { $0.isEmpty ? root : OutputFile.path(of: $0, in: root) }
  }

  private func isIncludedFolder(_ relative: String) -> Bool {
    let file = relative.isEmpty ? "ranges.csv" : "\(relative)/ranges.csv"
    return includes.isEmpty || includes.contains { $0.matches(file) }
  }

  private func isIncludedFile(_ relative: String, called name: String) -> Bool {
    guard includes.contains(where: { $0.matchesFile(relative) }) else { return false }
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    return !Self.marks.contains(name) && !Self.others.contains(plain)
      && !ResultWriter.endings.contains { name.hasSuffix($0.hasPrefix(".") ? $0 : ".\($0)") }
  }

  /// Returns the device and number of the folder at `path`, which identify it by any name.
  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }
}

/// A list of recordings in a file: one path per line.
///
/// Blank lines and lines that begin with `#` are ignored.
public enum RecordingList {
  /// Bytes of a list; a longer one is an error.
  static let longest = 1 << 28

  /// Reads the list at `path`; `-` is standard input.
  ///
  /// - Throws: ``RecordingError`` if the file cannot be read, is too long, names nothing, or a line
  ///   is not a path in UTF-8.
  public static func read(_ path: String) throws(RecordingError) -> [String] {
    let source = try ByteSource(path: path, mostBytes: longest)
    var paths: [String] = []
    for (index, bytes) in source.bytes.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).enumerated() {
      var bytes = bytes
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      if bytes.isEmpty || bytes.first == UInt8(ascii: "#") { continue }
      guard !bytes.contains(0), let line = String(validating: bytes, as: UTF8.self) else {
        throw .badData(
          path: path, line: index + 1, reason: "is not a path in UTF-8: \(Excerpt.quoted(bytes))")
      }
      if line == "-" {
        throw .badData(
          path: path, line: index + 1, reason: "a list cannot name standard input")
      }
      paths.append(line)
    }
    if paths.isEmpty {
      throw .badData(path: path, line: nil, reason: "the list names no recording")
    }
    return paths
  }
}
