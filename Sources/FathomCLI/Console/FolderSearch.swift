import FathomRecordings
import Foundation

/// A search for a recording, results or anchors in a folder: at most two folders deep, and among so few files
/// that the answer comes at once.
struct FolderSearch {
  /// What was found; paths are relative to the folder.
  struct Found {
    /// A folder or file with ranges or time differences; `.` for the folder itself.
    var recording: String?
    /// A folder with results.
    var results: String?
    /// A file of positions in it.
    var positions: String?
    /// A file of anchors.
    var anchors: String?
  }

  private let folder: String
  /// Entries of folders that may still be looked at.
  private var entriesLeft = 2000
  /// Files that may still be read to see whether they are recordings.
  private var readsLeft = 8

  /// Longer files are judged by their first rows.
  private static let longestRead = 4 << 20
  private static let deepest = 2
  /// Endings of files that can be recordings of their own.
  private static let endings = [".csv", ".jsonl", ".ndjson", ".log", ".txt", ".tsv", ".json"]

  /// Prepares the search in `folder`.
  init(in folder: String) { self.folder = folder }

  /// Looks at folders in the order of their depth, then by name; ends with the first recording.
  mutating func found() -> Found {
    var found = Found()
    var folders = ["."]
    for depth in 0...Self.deepest {
      var deeper: [String] = []
      for folder in folders {
        let names = entries(of: folder)
        if names.contains(where: RecordingFile.measurements.contains), isReadable(folder) {
          found.recording = folder
          return found
        }
        for name in names {
          let path = folder == "." ? name : "\(folder)/\(name)"
          if found.results == nil, name.hasSuffix(".summary.json") {
            found.results = folder
            let positions = "\(path.dropLast(".summary.json".count)).positions.csv"
            if FoundFile.isRegular(place(positions)) { found.positions = positions }
          }
          if found.anchors == nil, RecordingFile.anchors.contains(name) { found.anchors = path }
          if FoundFile.isFolder(place(path)) {
            deeper.append(path)
          } else if depth < Self.deepest, Self.isCandidate(name), isReadable(path) {
            found.recording = path
            return found
          }
        }
      }
      folders = deeper
    }
    return found
  }

  /// Returns the path by which the program reaches `relative`.
  func place(_ relative: String) -> String {
    if relative == "." { return folder }
    return folder == "." ? relative : OutputFile.path(of: relative, in: folder)
  }

  /// Returns the names in `folder` that are not hidden, sorted; at most as many as are left.
  private mutating func entries(of folder: String) -> [String] {
    guard let list = opendir(place(folder)) else { return [] }
    defer { closedir(list) }
    var names: [String] = []
    while entriesLeft > 0, let entry = readdir(list) {
      entriesLeft -= 1
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
      }
      if let name, !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether a file called `name` can be a recording of its own.
  private static func isCandidate(_ name: String) -> Bool {
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    return endings.contains(where: plain.hasSuffix) && !RecordingFile.tables.contains(plain)
      && !["batch.csv", "batch.json", "recording.json"].contains(plain)
      && !ResultWriter.endings.contains { plain.hasSuffix($0.hasPrefix(".") ? $0 : ".\($0)") }
  }

  /// Whether the recording at `path` has ranges or time differences.
  private mutating func isReadable(_ path: String) -> Bool {
    let bytes = RecordingBatch(output: "").bytes(of: place(path))
    guard bytes <= Self.longestRead else {
      return FoundFile.isFolder(place(path)) || TableInspection.hasRanges(place(path))
    }
    guard readsLeft > 0 else { return false }
    readsLeft -= 1
    guard let recording = try? RecordingReader.read(place(path)) else { return false }
    return (try? recording.requireUsableRows()) != nil
  }
}
