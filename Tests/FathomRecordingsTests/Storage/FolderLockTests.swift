import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct FolderLockTests {
  @Test func runsThatReplaceAreAlone() throws {
    try withTemporaryFolder { folder in
      do {
        let first = try FolderLock(folder, replaces: false)
        // Runs that only add results share the folder.
        let second = try FolderLock(folder, replaces: false)
        #expect(first != nil && second != nil)
        #expect(throws: RecordingError.self) { try FolderLock(folder, replaces: true) }
        withExtendedLifetime((first, second)) {}
      }
      let alone = try FolderLock(folder, replaces: true)
      #expect(alone != nil)
      #expect(throws: RecordingError.self) { try FolderLock(folder, replaces: true) }
      #expect(throws: RecordingError.self) { try FolderLock(folder, replaces: false) }
      withExtendedLifetime(alone) {}
    }
  }

  @Test func createsFolderAndRemovesItWhenEmpty() throws {
    try withTemporaryFolder { folder in
      let lock = try FolderLock("\(folder)/a/b", replaces: true)
      #expect(FoundFile.isFolder("\(folder)/a/b"))
      try Data().write(to: URL(filePath: "\(folder)/a/b/x"))
      lock?.removeEmptyFolder()
      #expect(FoundFile.isFolder("\(folder)/a/b"))
      #expect(unlink("\(folder)/a/b/x") == 0)
      lock?.removeEmptyFolder()
      #expect(!FoundFile.isFolder("\(folder)/a/b"))
      // A folder that existed stays.
      let other = try FolderLock(folder, replaces: true)
      other?.removeEmptyFolder()
      #expect(FoundFile.isFolder(folder))
      // A file in its place is reported when a result is written.
      try Data().write(to: URL(filePath: "\(folder)/file"))
      #expect(try FolderLock("\(folder)/file", replaces: true) == nil)
    }
  }
}
