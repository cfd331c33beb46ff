import Foundation

/// A path that leads into a zip archive: `walk.zip` or `walks.zip/monday/ranges.csv`.
///
/// An archive with one recording stands for the folder of that recording, wherever in the archive the
/// folder is.
struct ArchivedPath {
  private let archive: ZipArchive
  /// Path in the archive; empty for the archive itself.
  private let inner: String
  /// The folder of the only recording with `ranges.csv` or `tdoa.csv`; nil without one.
  private let root: String?

  /// Opens the archive in `path`; nil if the path leads into no archive.
  ///
  /// - Throws: the errors of ``ZipArchive/init(path:)``.
  init?(_ path: String) throws(RecordingError) {
    var ends = path.indices.filter { path[$0] == "/" && $0 != path.startIndex }
    ends.append(path.endIndex)
    guard
      let end = ends.first(where: { FileIdentity.size(of: String(path[..<$0])) != nil }),
      Self.isZip(String(path[..<end]))
    else { return nil }
    archive = try ZipArchive(path: String(path[..<end]))
    // A spreadsheet or a document is an archive, too.
    if archive.members.contains(where: { $0.name == "[Content_Types].xml" }) { return nil }
    inner = path[end...].split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    let folders = Self.folders(archive.members)
    root = folders.count == 1 ? folders.first : nil
  }

  /// Whether the file at `path` begins like a zip archive.
  private static func isZip(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes: [UInt8] = [0, 0, 0, 0]
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    return count == 4 && bytes == [0x50, 0x4B, 3, 4]
  }

  /// Whether `path` is an archive, or a folder in one.
  static func isFolder(_ path: String) -> Bool {
    do throws(RecordingError) {
      guard let found = try ArchivedPath(path) else { return false }
      return found.inner.isEmpty
        || found.archive.members.contains { $0.name.hasPrefix("\(found.inner)/") }
    } catch {
      // Its files give the reason.
      return true
    }
  }

  /// The file at the path; nil if the archive has no such file.
  var member: ZipArchive.Member? { member(inner) }

  /// Whether the folder at the path has a file called `name`.
  func hasFile(_ name: String) -> Bool {
    member(inner.isEmpty ? name : "\(inner)/\(name)") != nil
  }

  private func member(_ name: String) -> ZipArchive.Member? {
    let members = archive.members
    if let exact = members.first(where: { $0.name == name }) { return exact }
    guard let root, !root.isEmpty else { return nil }
    return members.first { $0.name == "\(root)/\(name)" }
  }

  /// Returns the content of the file at `path` in an archive; nil if the path leads into none.
  ///
  /// - Throws: the errors of ``ZipArchive``, also when the archive has no such file.
  static func content(of path: String) throws(RecordingError) -> ZipArchive.Content? {
    guard let found = try ArchivedPath(path) else { return nil }
    guard let member = found.member else {
      throw .noInput(
        path: path,
        reason: "the archive has no such file; it has"
          + " \(Excerpt.list(found.archive.members.map(\.name)))")
    }
    return try found.archive.content(of: member)
  }

  // MARK: Recordings

  /// Returns the path of the recording at `path`: an archive with a single file of measurements, and
  /// none that is called `ranges.csv`, is that file. Any other path is returned as it is.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when the archive has no recording, or
  ///   several, with the paths to try; the errors of ``ZipArchive``.
  static func recording(at path: String) throws(RecordingError) -> String {
    guard path != "-", !FoundFile.isFolder(path), let found = try ArchivedPath(path),
      found.member == nil
    else { return path }
    let prefix = found.inner.isEmpty ? "" : "\(found.inner)/"
    let members = found.archive.members.filter { $0.name.hasPrefix(prefix) }
    guard !members.isEmpty else {
      _ = try content(of: path)
      return path
    }
    let folders = folders(members)
    if folders.count == 1, let folder = folders.first {
      return found.inner.isEmpty || folder == found.inner
        ? path : "\(found.archive.path)/\(folder)"
    }
    let names = folders.isEmpty ? members.map(\.name).filter(isMeasurements) : folders
    if names.count == 1, let name = names.first { return "\(found.archive.path)/\(name)" }
    guard !names.isEmpty else {
      throw .badData(
        path: path, line: nil,
        reason: "the archive has no recording, only"
          + " \(members.isEmpty ? "folders" : Excerpt.list(members.map(\.name))): add ranges.csv or"
          + " the log of a device")
    }
    let paths = names.map { $0.isEmpty ? "ranges.csv" : $0 }.map { "\(found.archive.path)/\($0)" }
    throw .badData(
      path: path, line: nil,
      reason: "the archive has \(names.count) recordings, \(Excerpt.list(names)); name one, as in"
        + " fathom inspect \(quoted(paths[0])), or several: fathom process"
        + " \(paths.prefix(2).map(quoted).joined(separator: " ")) -o results")
  }

  /// Returns the folders with a file of ranges or time differences, each once.
  private static func folders(_ members: [ZipArchive.Member]) -> [String] {
    var folders: [String] = []
    var seen: Set<Substring> = []
    for member in members {
      let names = member.name.split(separator: "/")
      guard let last = names.last, marks.contains(String(last)) else { continue }
      let folder = names.dropLast().joined(separator: "/")
      if seen.insert(folder[...]).inserted { folders.append(folder) }
    }
    return folders
  }

  private static let marks = Set(RecordingFile.measurements)

  /// Whether a file called `name` can have measurements: no other table of a recording, and no
  /// document or picture.
  private static func isMeasurements(_ name: String) -> Bool {
    let file = name.split(separator: "/").last.map { $0.lowercased() } ?? ""
    guard !others.contains(file), !file.hasPrefix("readme"), !file.hasPrefix("license") else {
      return false
    }
    let plain = file.hasSuffix(".gz") ? String(file.dropLast(3)) : file
    guard let dot = plain.lastIndex(of: ".") else { return true }
    return endings.contains(String(plain[plain.index(after: dot)...]))
  }

  private static let others = Set(
    TableKind.allCases.flatMap(\.fileNames) + ["recording.json", "zones.json", "summary.json"])
  private static let endings: Set<String> = [
    "csv", "txt", "log", "json", "jsonl", "ndjson", "tsv", "dat", "bin", "asc", "out",
  ]

  /// Returns `path` as a shell reads it.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 | 0x20 &- UInt8(ascii: "a") < 26
        || "/._-".utf8.contains($0)
    }
    let text = Excerpt.plain(path, limit: 200)
    return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
