import FathomRecordings
import Foundation
import Testing

@Suite struct ByteSourceTests {
  /// The output of `printf 'time,distance\n1,2.5\n' | gzip -n`.
  private let member: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2B, 0xC9, 0xCC, 0x4D, 0xD5,
    0x49, 0xC9, 0x2C, 0x2E, 0x49, 0xCC, 0x4B, 0x4E, 0xE5, 0x32, 0xD4, 0x31, 0xD2, 0x33, 0xE5,
    0x02, 0x00, 0x07, 0x95, 0x5B, 0x34, 0x14, 0x00, 0x00, 0x00,
  ]

  private let text = Array("time,distance\n1,2.5\n".utf8)

  private func reason(_ stored: [UInt8]) -> String? {
    do throws(RecordingError) {
      _ = try ByteSource(path: "walk.csv", stored: stored)
      return nil
    } catch {
      #expect(error.exitCode == 65)
      return "\(error)"
    }
  }

  @Test func readsPlainText() throws {
    let source = try ByteSource(path: "walk.csv", stored: text)
    #expect(source.bytes == text)
    #expect(source.storedCount == text.count)
  }

  @Test func removesByteOrderMark() throws {
    #expect(try ByteSource(path: "a", stored: [0xEF, 0xBB, 0xBF] + text).bytes == text)
    #expect(try ByteSource(path: "a", stored: [0xEF, 0xBB, 0xBF]).bytes.isEmpty)
  }

  @Test func detectsGzipByContent() throws {
    let source = try ByteSource(path: "walk.csv", stored: member)
    #expect(source.bytes == text)
    #expect(source.storedCount == member.count)
  }

  @Test func joinsMembersAndIgnoresPadding() throws {
    let stored = member + member + [0, 0, 0]
    #expect(try ByteSource(path: "a", stored: stored).bytes == text + text)
  }

  /// A cut at any byte is detected and never read as a shorter file.
  @Test func everyTruncationOfGzipThrows() throws {
    for count in 2..<member.count {
      #expect(try #require(reason(Array(member.prefix(count)))).contains("truncated"), "\(count)")
    }
  }

  /// A flipped bit of the compressed data or the checksum is detected or harmless: the last byte of
  /// the compressed data has unused bits.
  @Test func damagedGzipNeverGivesWrongText() {
    var detected = 0
    // Bytes 0 to 9 are the header, which is mostly independent of the content.
    for place in 10..<member.count {
      for bit in 0..<8 {
        var damaged = member
        damaged[place] ^= 1 << bit
        if let source = try? ByteSource(path: "a", stored: damaged) {
          #expect(source.bytes == text, "bit \(bit) of byte \(place)")
        } else {
          detected += 1
        }
      }
    }
    #expect(detected > (member.count - 11) * 8)
    #expect(reason(member + Array("rest".utf8))?.contains("after the end") == true)
  }

  @Test func rejectsBinaryDataAndUTF16() {
    #expect(reason([0xFF, 0xFE, 0x74, 0])?.contains("UTF-16") == true)
    #expect(reason([0xFE, 0xFF, 0, 0x74])?.contains("UTF-16") == true)
    #expect(reason(text.flatMap { [$0, 0] })?.contains("NUL") == true)
    #expect(reason(text + [0]) == nil)
  }

  /// Control characters in names, such as binary addresses, do not make a file binary.
  @Test func textHeaderIdentifiesTextFile() {
    let rows = Array("\n1,\u{1}\u{2}\u{3},\u{1B}\u{4},2.5\n".utf8)
    #expect(reason(Array("time_s,tag,anchor,distance_m".utf8) + rows) == nil)
    #expect(reason([0xEF, 0xBB, 0xBF] + Array("time\tanchor\tdistance\r".utf8) + rows) == nil)
    for line in ["", "PK", "time,\u{1},distance", String(repeating: "é", count: 20)] {
      #expect(reason(Array(line.utf8) + rows)?.contains("control") == true, "\(line)")
    }
  }

  @Test func readsFileLongerThanOneChunk() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    // More than one chunk, and not a multiple of any.
    let bytes = (0..<300_001).map { UInt8(truncatingIfNeeded: $0 % 97 + 30) }
    try Data(bytes).write(to: file)
    let source = try ByteSource(path: file.path(percentEncoded: false))
    #expect(source.bytes == bytes)
  }

  @Test func unreadableFileThrowsNoInput() {
    #expect(throws: RecordingError.noInput(path: "/nowhere/a", reason: "No such file or directory"))
    { try ByteSource(path: "/nowhere/a") }
    #expect(throws: RecordingError.self) { try ByteSource(path: "/") }
  }
}
