import FathomRecordings
import Foundation
import Testing

@testable import FathomReports

@Suite struct ResultFilesTests {
  /// A folder with empty files of the given names, removed with its last reference.
  private final class Files {
    let path: String

    init(_ names: String...) throws {
      path = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for name in names { try Data().write(to: URL(filePath: "\(path)/\(name)")) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private static let endings = [
    "summary.json", "positions.csv", "distances.csv", "rejected.csv",
  ]

  @Test func listsRepeatedPathsOnce() throws {
    let files = try Files(
      "b.summary.json", "b.positions.csv", "b.distances.csv", "b.rejected.csv", "a.summary.json",
      "a.positions.csv", "a.distances.csv", "bench.json")
    let stems = ["\(files.path)/a", "\(files.path)/b"]
    #expect(try ResultFiles([files.path]).stems == stems)
    #expect(try ResultFiles(["\(files.path)/", files.path]).stems == stems)
    let all = Self.endings.map { "\(files.path)/b.\($0)" }
    #expect(try ResultFiles(all).stems == [stems[1]])
    let mixed = try ResultFiles(["\(files.path)/bench.json", all[1], "\(files.path)/bench.json"])
    #expect(mixed.stems == [stems[1]] && mixed.benchmarks == ["\(files.path)/bench.json"])
    // The benchmark files of a folder must be named individually.
    #expect(try ResultFiles([files.path]).benchmarks.isEmpty)
  }

  /// The arguments of `fathom report results/*`.
  @Test func manifestStandsForItsFolder() throws {
    let files = try Files("a.summary.json", "a.positions.csv", "a.distances.csv", "a.rejected.csv")
    let path = "\(files.path)/batch.json"
    try Data(#"{"version": "1", "recordings": [{"path": "a", "status": "done"}]}"#.utf8)
      .write(to: URL(filePath: path))
    let all = try ResultFiles([path] + Self.endings.map { "\(files.path)/a.\($0)" })
    #expect(all.stems == ["\(files.path)/a"] && all.benchmarks.isEmpty)
    // Another file may have that name.
    try Data("[]".utf8).write(to: URL(filePath: path))
    #expect(try ResultFiles([path]).benchmarks == [path])
  }

  @Test func namesMissingFiles() throws {
    let files = try Files("a.summary.json", "a.positions.csv", "walk.csv")
    for (path, code, part) in [
      (files.path, 66, "a.distances.csv"), ("\(files.path)/b.summary.json", 66, "b.summary.json"),
      ("\(files.path)/walk.csv", 65, "is not a result"),
    ] as [(String, Int32, String)] {
      let error = #expect(throws: RecordingError.self) { try ResultFiles([path]) }
      #expect(error?.exitCode == code)
      #expect(error?.description.contains(part) == true)
    }
  }
}
