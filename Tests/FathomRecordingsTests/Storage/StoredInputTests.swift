import Foundation
import Testing

@testable import FathomRecordings

@Suite struct StoredInputTests {
  /// A file of rows, removed with its last reference.
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

  /// The source that a summary lists has the check sum of the bytes as they are stored.
  @Test(arguments: [1, 100_000])
  func theSourceIsWhatWasRead(_ count: Int) throws {
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

  /// It was whole when it was opened; what is left would pass for a recording.
  @Test(arguments: [1, 100_000])
  func aFileThatShrinksWhileItIsReadIsNoRecording(_ count: Int) throws {
    let rows = try Rows(count)
    let size = rows.bytes.count
    let input = try StoredInput(path: rows.path)
    #expect(truncate(rows.path, off_t(size - 5)) == 0)
    #expect(
      throws: RecordingError.noInput(
        path: rows.path,
        reason: "became shorter while it was read: \(size - 5) of \(size) bytes")
    ) { try RangesReader.read(input, options: RecordingOptions(), declared: []) }
  }

  /// What is appended meanwhile belongs to it as far as it was read.
  @Test func aFileMayGrow() throws {
    let rows = try Rows(1)
    let input = try StoredInput(path: rows.path)
    try Data(rows.bytes + Array("1,T,A,3\n".utf8)).write(to: URL(filePath: rows.path))
    let read = try RangesReader.read(input, options: RecordingOptions(), declared: [])
    #expect(read.rowsRead == 2)
    #expect(try read.source?.xxh3 == FileIdentity(of: rows.path).xxh3)
  }
}
