import Foundation
import Testing

@testable import FathomRecordings

@Suite struct StoredInputTests {
  /// A file of rows, which is deleted with its last reference.
  private final class Rows {
    let path: String
    let bytes: [UInt8]

    init(_ count: Int) throws {
      path = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID())")
        .path(percentEncoded: false)
      bytes = Array(
        ("time_s,tag,anchor,distance_m\n" + (0..<count).map { "\($0),T,A,2.5\n" }.joined()).utf8)
      try Data(bytes).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The source in a summary has the checksum of the stored bytes.
  @Test(arguments: [1, 100_000])
  func sourceHasChecksumOfStoredBytes(_ count: Int) throws {
    let rows = try Rows(count)
    let read = try RangesReader.read(
      StoredInput(path: rows.path), options: RecordingOptions(), declared: [])
    let identity = try FileIdentity(of: rows.path)
    #expect(
      read.source
        == SourceFile(path: rows.path, bytes: identity.bytes, xxh3: identity.xxh3))
    #expect(try ByteSource(path: rows.path).file == read.source)
    #expect(identity.bytes == rows.bytes.count)
  }

  /// The file was complete when it was opened; the rest would pass for a recording.
  @Test(arguments: [1, 100_000])
  func truncationDuringReadingThrows(_ count: Int) throws {
    let rows = try Rows(count)
    let size = rows.bytes.count
    let input = try StoredInput(path: rows.path)
    #expect(truncate(rows.path, off_t(size - 5)) == 0)
    #expect(
      throws: RecordingError.noInput(
        path: rows.path,
        reason: "the file was truncated while it was read: \(size - 5) of \(size) bytes")
    ) { try RangesReader.read(input, options: RecordingOptions(), declared: []) }
  }

  /// A second read would find other rows than the first; a new tag would have no pipeline.
  @Test(arguments: [1, 100_000])
  func growthDuringReadingThrows(_ count: Int) throws {
    let rows = try Rows(count)
    let input = try StoredInput(path: rows.path)
    let handle = try FileHandle(forUpdating: URL(filePath: rows.path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("1,NEW,A,3\n".utf8))
    let changed = RecordingError.noInput(path: rows.path, reason: "changed while it was read")
    for width in 1...2 {
      #expect(throws: changed) {
        try RangesReader.read(input, options: RecordingOptions(), declared: [], width: width)
      }
    }
  }

  /// The size is the same, so that only the time tells.
  @Test func overwritingDuringReadingThrows() throws {
    let rows = try Rows(10)
    let input = try StoredInput(path: rows.path)
    let handle = try FileHandle(forUpdating: URL(filePath: rows.path))
    try handle.seek(toOffset: 40)
    try handle.write(contentsOf: Data("9".utf8))
    var time = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
    #expect(utimes(rows.path, &time) == 0)
    #expect(
      throws: RecordingError.noInput(path: rows.path, reason: "changed while it was read")
    ) { try RangesReader.read(input, options: RecordingOptions(), declared: []) }
  }
}
