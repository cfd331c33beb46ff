import FathomRecordings
import Foundation
import TestSupport
import Testing

@Suite struct AtomicFileWriterTests {
  private func names(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder))
  }

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private func file(_ path: String, _ text: String) -> OutputFile {
    OutputFile(path: path, bytes: Array(text.utf8))
  }

  /// Returns the error of writing, which must name a path and a reason.
  private func failure(_ files: [OutputFile]) -> (path: String, reason: String)? {
    do throws(RecordingError) {
      try OutputFile.write(files)
    } catch {
      #expect(error.exitCode == 73)
      if case .cannotWrite(let path, let reason) = error { return (path, reason) }
    }
    return nil
  }

  @Test func createsFilesAndMissingFolders() throws {
    try withTemporaryFolder { folder in
      try OutputFile.write([
        file("\(folder)/a/b/one", "1"), file("\(folder)/a/two", ""), file("\(folder)/three", "3"),
      ])
      #expect(try names(folder) == ["a", "three"])
      #expect(try names("\(folder)/a") == ["b", "two"])
      #expect(text("\(folder)/a/b/one") == "1")
      #expect(text("\(folder)/a/two") == "")
      #expect(text("\(folder)/three") == "3")
    }
  }

  @Test func replacesExistingFiles() throws {
    try withTemporaryFolder { folder in
      try OutputFile.write([file("\(folder)/a", "a long text")])
      try OutputFile.write([file("\(folder)/a", "short")])
      #expect(text("\(folder)/a") == "short")
      #expect(try names(folder) == ["a"])
    }
  }

  @Test func folderUnderFinalNameLeavesOldFiles() throws {
    try withTemporaryFolder { folder in
      try OutputFile.write([file("\(folder)/a", "old")])
      try FileManager.default.createDirectory(
        atPath: "\(folder)/b", withIntermediateDirectories: true)
      let failed = try #require(
        failure([file("\(folder)/a", "new"), file("\(folder)/b", "new")]))
      #expect(failed == ("\(folder)/b", "Is a directory"))
      #expect(text("\(folder)/a") == "old", "all files or none")
      #expect(try names(folder) == ["a", "b"])
    }
  }

  @Test func fileUnderFolderNameLeavesOldFiles() throws {
    try withTemporaryFolder { folder in
      try OutputFile.write([file("\(folder)/a", "old")])
      for inner in ["a/x", "a/b/x"] {
        let failed = try #require(
          failure([file("\(folder)/new", "new"), file("\(folder)/\(inner)", "new")]))
        #expect(failed == ("\(folder)/\(inner)", "Not a directory"))
        #expect(try names(folder) == ["a"])
      }
    }
  }

  /// Permissions do not restrict the superuser.
  @Test(.enabled(if: geteuid() != 0, "the superuser may write anywhere"))
  func unwritableFolderLeavesOldFiles() throws {
    try withTemporaryFolder { folder in
      let closed = "\(folder)/closed"
      try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true)
      chmod(closed, 0o555)
      defer { chmod(closed, 0o755) }
      let failed = try #require(
        failure([file("\(folder)/a", "new"), file("\(closed)/x", "new")]))
      #expect(failed == ("\(closed)/x", "Permission denied"))
      #expect(try names(folder) == ["closed"])
    }
  }

  @Test func conflictIsFirstExistingPath() throws {
    try withTemporaryFolder { folder in
      try OutputFile.write([file("\(folder)/b", ""), file("\(folder)/c", "")])
      let paths = ["a", "b", "c"].map { "\(folder)/\($0)" }
      #expect(OutputFile.conflict(among: paths) == "\(folder)/b")
      #expect(OutputFile.conflict(among: [paths[0], folder]) == folder)
      #expect(OutputFile.conflict(among: [paths[0]]) == nil)
      #expect(OutputFile.conflict(among: []) == nil)
    }
  }
}
