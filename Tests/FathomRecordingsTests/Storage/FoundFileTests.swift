import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct FoundFileTests {
  /// Runs `body` with the error that looking for `name` in a folder gives; nil without one.
  private func failure(of name: String, in folder: String) -> RecordingError? {
    do throws(RecordingError) {
      _ = try FoundFile.first(of: [name], in: folder)
      return nil
    } catch {
      return error
    }
  }

  @Test func findsFilesFoldersAndLinksToThem() throws {
    try withTemporaryFolder { folder in
      #expect(try FoundFile.first(of: ["a.csv", "a.csv.gz"], in: folder) == nil)
      try Data().write(to: URL(filePath: "\(folder)/a.csv.gz"))
      let found = try FoundFile.first(of: ["a.csv", "a.csv.gz"], in: folder)
      #expect(found?.hasSuffix("a.csv.gz") == true)
      #expect(symlink("a.csv.gz", "\(folder)/a.csv") == 0)
      #expect(try FoundFile.first(of: ["a.csv", "a.csv.gz"], in: folder)?.hasSuffix("csv") == true)
      // A file in place of the folder has no files.
      #expect(try FoundFile.first(of: ["x"], in: "\(folder)/a.csv") == nil)
      #expect(FoundFile.isFolder(folder) && !FoundFile.isFolder("\(folder)/a.csv"))
      #expect(FoundFile.isRegular("\(folder)/a.csv") && !FoundFile.isRegular(folder))
    }
  }

  /// Content that the user put there must not be lost silently.
  @Test func linksThatLeadNowhereAreErrors() throws {
    try withTemporaryFolder { folder in
      #expect(symlink("lost", "\(folder)/dangling") == 0)
      #expect(symlink("self", "\(folder)/self") == 0)
      for (name, reason) in [
        ("dangling", "No such file or directory"), ("self", "Too many levels of symbolic links"),
      ] {
        guard case .noInput(_, reason) = failure(of: name, in: folder) else {
          Issue.record("\(name) counts as absent or has another reason")
          continue
        }
      }
    }
  }

  /// Reading a pipe would wait without end.
  @Test func pipesAndDevicesAreErrors() throws {
    try withTemporaryFolder { folder in
      #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
      #expect(symlink("/dev/zero", "\(folder)/device") == 0)
      for name in ["pipe", "device"] {
        guard case .noInput(_, "not a regular file") = failure(of: name, in: folder) else {
          Issue.record("\(name) is accepted")
          continue
        }
      }
    }
  }
}
