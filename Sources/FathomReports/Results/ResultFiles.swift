import FathomRecordings
import Foundation

/// The result files of a report.
struct ResultFiles: Sendable, Equatable {
  /// Results of recordings, as file paths up to the dot before `summary.json`.
  var stems: [String] = []
  /// Files of benchmark results.
  var benchmarks: [String] = []
  /// Recordings without results, from the manifests of the folders.
  var failures: [BatchManifest.Entry] = []
  private var known: Set<String> = []

  /// Finds the results at `paths`, in the given order and without duplicates.
  ///
  /// A folder, or the manifest of a batch in it, stands for all results in the folder, sorted by
  /// name. Any of the four files of NAME stands for all files of NAME. Any other file ending in
  /// `.json` is a file of benchmark results. Throws when a path is missing or is not a result.
  init(_ paths: [String]) throws(RecordingError) {
    for path in paths {
      if FoundFile.isFolder(path) {
        try addFolder(path)
      } else if let stem = Self.stem(of: path) {
        try add(stem)
      } else if path.split(separator: "/").last == Substring(BatchManifest.fileName),
        BatchManifest.isManifest(path)
      {
        try addFolder(String(path.dropLast(BatchManifest.fileName.count)))
      } else if path.split(separator: "/").last == Substring(BatchTable.fileName),
        BatchTable.isTable(path)
      {
        try addFolder(String(path.dropLast(BatchTable.fileName.count)))
      } else if path.hasSuffix(".json") {
        if !benchmarks.contains(path) { benchmarks.append(path) }
      } else if try !FoundFile.exists(path) {
        throw .noInput(path: path, reason: "No such file or directory")
      } else {
        throw .badData(
          path: path, line: nil,
          reason:
            "is not a result: expected a folder, NAME.summary.json, NAME.positions.csv or a file of"
            + " benchmark --json")
      }
    }
  }

  private static let endings = [".summary.json", ".positions.csv", ".distances.csv"]

  /// Returns `path` without the ending of a result, or nil when it has none.
  private static func stem(of path: String) -> String? {
    (endings + [".rejected.csv"]).first { path.hasSuffix($0) }.map {
      String(path.dropLast($0.count))
    }
  }

  private mutating func addFolder(_ path: String) throws(RecordingError) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path.isEmpty ? "." : path)
    } catch {
      throw .noInput(path: path, reason: "the folder cannot be read")
    }
    let found = names.filter { $0.hasSuffix(".summary.json") }.sorted()
    let results = Set(found)
    let manifest = OutputFile.path(of: BatchManifest.fileName, in: path)
    let failed = (BatchManifest.entries(manifest) ?? [])
      .filter { $0.status == .failed && !results.contains("\($0.name).summary.json") }
    for entry in failed
    where known.insert(OutputFile.path(of: entry.name, in: path)).inserted {
      failures.append(entry)
    }
    guard !found.isEmpty || !failed.isEmpty else {
      throw .noInput(
        path: path,
        reason: "there are no results in this folder (NAME.summary.json, by fathom process)")
    }
    for name in found { try add(OutputFile.path(of: String(name.dropLast(13)), in: path)) }
  }

  /// Adds the results that begin with `stem`; their files must exist.
  private mutating func add(_ stem: String) throws(RecordingError) {
    guard known.insert(stem).inserted else { return }
    for ending in Self.endings where try !FoundFile.exists(stem + ending) {
      throw .noInput(path: stem + ending, reason: "is missing from these results")
    }
    stems.append(stem)
  }
}
