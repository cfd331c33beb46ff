import Foundation

/// Recordings in zip archives.
extension ArchivedPath {
  /// Returns the path of the recording at `path`, which is returned as it is outside of archives; for `-` that
  /// of an archive on standard input.
  ///
  /// An archive with a single file of measurements, and none that is called `ranges.csv`, is that
  /// file. Throws when the archive has no recording, or several, with the paths to try.
  static func recording(at path: String) throws(RecordingError) -> String {
    if path == "-" {
      return try StandardInput.archivePath().map { path throws(RecordingError) in
        try recording(at: path)
      } ?? path
    }
    guard !FoundFile.isFolder(path), let found = try ArchivedPath(path),
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
      let isPath = found.inner.isEmpty ? folder == found.root : folder == found.inner
      return isPath ? path : "\(found.archive.path)/\(folder)"
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
    // A path into standard input is of no use in another command.
    let isPiped = found.archive.path == StandardInput.path
    let archive = isPiped ? "walk.zip" : found.archive.path
    let paths = names.map { $0.isEmpty ? "ranges.csv" : $0 }.map { "\(archive)/\($0)" }
    throw .badData(
      path: path, line: nil,
      reason: "the archive has \(names.count) recordings, \(Excerpt.list(names));"
        + (isPiped ? " save it, as in cat > walk.zip, and" : "") + " name one, as in"
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
