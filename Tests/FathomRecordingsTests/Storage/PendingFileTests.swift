import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct PendingFileTests {
  private func names(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder))
  }

  private func bytes(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  /// Returns a pending file for `path` with the given content.
  private func part(
    _ path: String, _ bytes: [UInt8], _ writer: AtomicFileWriter
  ) throws(RecordingError) -> PendingFile {
    let part = try PendingFile(for: path, through: writer)
    try part.append(bytes)
    return part
  }

  @Test func leavesDevices() throws {
    try withTemporaryFolder { folder in
      let path = "\(folder)/device"
      try #require(symlink("/dev/null", path) == 0)
      #expect(throws: RecordingError.self) {
        _ = try PendingFile(for: path, through: AtomicFileWriter())
      }
      #expect(try names(folder) == ["device"])
    }
  }

  /// The file is large enough for write-back during writing.
  @Test func largeFileIsCompleteAndUnpublishedPartIsDeleted() throws {
    try withTemporaryFolder { folder in
      let writer = AtomicFileWriter()
      let block = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
      do {
        let dropped = try PendingFile(for: "\(folder)/dropped", through: writer)
        for _ in 0..<20 { try dropped.append(block) }
      }
      #expect(try names(folder).isEmpty)
      let part = try PendingFile(for: "\(folder)/kept", through: writer)
      for _ in 0..<40 { try part.append(block) }
      let identity = part.identity
      try writer.publish([part])
      #expect(identity.bytes == 40 << 20)
      // The preallocated disk space has been released.
      var status = stat()
      #expect(stat("\(folder)/kept", &status) == 0)
      #expect(Int(status.st_blocks) * 512 < 41 << 20)
      #expect(try FileIdentity(of: "\(folder)/kept") == identity)
    }
  }

  @Test func appendedBlocksFormFile() throws {
    try withTemporaryFolder { folder in
      let writer = AtomicFileWriter()
      let path = "\(folder)/a/b"
      let part = try PendingFile(for: path, through: writer)
      let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
      for start in stride(from: 0, to: content.count, by: 33_333) {
        try part.append(Array(content[start..<min(start + 33_333, content.count)]))
      }
      let identity = part.identity
      #expect(try names("\(folder)/a") == ["b.part-\(getpid())"])
      try writer.publish([part])
      #expect(try names("\(folder)/a") == ["b"])
      #expect(bytes(path) == content)
      #expect(try FileIdentity(of: path) == identity)
    }
  }

  @Test func deletesUnpublishedFile() throws {
    try withTemporaryFolder { folder in
      let writer = AtomicFileWriter()
      do {
        let part = try part("\(folder)/a", [1], writer)
        #expect(try names(folder) == ["a.part-\(getpid())"])
        withExtendedLifetime(part) {}
      }
      #expect(try names(folder).isEmpty)
    }
  }

  /// A published file remains after its last reference is gone.
  @Test func closingDeletesUnpublishedFiles() throws {
    try withTemporaryFolder { folder in
      let writer = AtomicFileWriter()
      try writer.publish([part("\(folder)/a", [1], writer)])
      let waiting = try part("\(folder)/b", [2], writer)
      writer.close()
      #expect(writer.isClosed)
      #expect(try names(folder) == ["a"])
      var isDone = false
      #expect(throws: RecordingError.cannotWrite(path: "\(folder)/b", reason: "interrupted")) {
        try writer.publish([waiting]) { isDone = true }
      }
      #expect(throws: RecordingError.cannotWrite(path: "\(folder)/c", reason: "interrupted")) {
        try part("\(folder)/c", [3], writer)
      }
      #expect(!isDone)
      #expect(try names(folder) == ["a"])
    }
  }

  @Test func publishesFilesInOrder() throws {
    try withTemporaryFolder { folder in
      let writer = AtomicFileWriter()
      let parts = try ["a", "b", "c"].map { try part("\(folder)/\($0)", [1], writer) }
      // A folder takes the name of the second file, as another process might create it.
      try FileManager.default.createDirectory(
        atPath: "\(folder)/b/x", withIntermediateDirectories: true)
      #expect(throws: RecordingError.cannotWrite(path: "\(folder)/b", reason: "Is a directory")) {
        try writer.publish(parts)
      }
      #expect(FileManager.default.fileExists(atPath: "\(folder)/a"))
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/c"))
    }
  }

  /// Returns the number of a process that has ended.
  private func endedProcess() throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "exit"]
    try process.run()
    process.waitUntilExit()
    return process.processIdentifier
  }

  @Test func removesOnlyAbandonedFiles() throws {
    try withTemporaryFolder { folder in
      let ended = try endedProcess()
      let writer = AtomicFileWriter()
      let own = try part("\(folder)/own.summary.json", [1], writer)
      let all = [
        // From a process that has ended, and from an earlier one with the number of this process.
        "a.positions.csv.part-\(ended)", "b.summary.json.part-\(getpid())",
        "batch.json.part-\(ended)",
        // From a running process.
        "c.positions.csv.part-\(getppid())",
        // Not temporary files of Fathom.
        "d.txt.part-\(ended)", "e.positions.csv.part-", "f.positions.csv.part-x",
        "g.positions.csv.part--1", "h.positions.csv.part-99999999999", "positions.csv",
        // Locked: its process may run in another container.
        "i.positions.csv.part-\(ended)",
      ]
      for name in all { try Data([1]).write(to: URL(filePath: "\(folder)/\(name)")) }
      let locked = open("\(folder)/i.positions.csv.part-\(ended)", O_WRONLY)
      #expect(flock(locked, LOCK_EX) == 0)
      defer { close(locked) }
      let removed = PendingFile.removeAbandoned(
        in: folder, endings: ResultWriter.endings + ["batch.json"])
      #expect(removed == [all[0], all[1], all[2]])
      #expect(
        try names(folder)
          == Set(all.dropFirst(3)).union(["own.summary.json.part-\(getpid())"]))
      try writer.publish([own])
      #expect(PendingFile.removeAbandoned(in: "\(folder)/nowhere", endings: [""]).isEmpty)
    }
  }
}
