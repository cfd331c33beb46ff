import Foundation

/// The bytes of one input, whole and decompressed.
///
/// Files are read into memory rather than mapped: pipes work the same, and a file that another
/// program shortens meanwhile gives an error instead of a bus error.
package struct ByteSource: Sendable {
  /// The path as given; `-` is standard input.
  package let path: String
  /// The text, decompressed and without byte order mark.
  package let bytes: [UInt8]
  /// Bytes of the input as stored.
  package let storedCount: Int
  /// The check sum of the input as stored.
  package let storedHash: ContentHash

  /// Reads the file at `path`, or standard input for `-`; gzip is recognised by content.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - mostBytes: how long it may be, decompressed.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where it cannot be opened or read;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip, UTF-16 and binary data, and
  ///   where it is too long.
  package init(
    path: String, mostBytes: Int = RecordingLimits.mostBytes
  ) throws(RecordingError) {
    try self.init(
      path: path, stored: Self.readWhole(path, mostBytes: mostBytes), mostBytes: mostBytes)
  }

  /// The content `stored` of the input called `path`.
  ///
  /// - Parameters:
  ///   - path: what messages call it.
  ///   - stored: its bytes, compressed or not.
  ///   - mostBytes: how long it may be, decompressed.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` for damaged gzip, UTF-16 and binary
  ///   data, and where it is too long.
  package init(
    path: String, stored: [UInt8], mostBytes: Int = RecordingLimits.mostBytes
  ) throws(RecordingError) {
    self.path = path
    storedCount = stored.count
    guard stored.count <= mostBytes else {
      throw RecordingLimits.tooLong(path, mostBytes)
    }
    var hash = ContentHash()
    hash.update(stored)
    storedHash = hash
    var bytes = stored
    if Gzip.isCompressed(stored) {
      var limits = Gzip.Limits()
      limits.mostBytes = mostBytes
      do throws(Gzip.Failure) {
        bytes = try Gzip.decompress(stored, limits: limits)
      } catch {
        throw .badData(path: path, line: nil, reason: error.reason)
      }
    }
    if let reason = Self.reasonNotText(bytes) {
      throw .badData(path: path, line: nil, reason: reason)
    }
    if bytes.starts(with: Self.byteOrderMark) { bytes.removeFirst(Self.byteOrderMark.count) }
    self.bytes = bytes
  }

  /// Bytes by which the kind of a text is judged.
  static let headCount = 4096

  /// Why `bytes` cannot be text in UTF-8, judged by their beginning; nil where they can.
  static func reasonNotText(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return "the text is UTF-16; save it as UTF-8"
    }
    let head = bytes.prefix(headCount)
    let zeros = head.count { $0 == 0 }
    // A stray NUL spoils one row; one in ten means another kind of file (UTF-16 without mark: half).
    if zeros * 10 > head.count {
      return "this is no text: \(zeros) of its first \(head.count) bytes are NUL"
    }
    if beginsWithHeader(head) { return nil }
    // One in ten of random bytes; ends of lines and the like, 9 to 13, are of use in texts.
    let controls = head.count { $0 < 9 || (14..<32).contains($0) }
    if controls * 12 > head.count {
      return "this is no text: \(controls) of its first \(head.count) bytes are control characters"
    }
    return nil
  }

  /// Whether the first line is twelve visible characters or more: one in ten million of random texts.
  ///
  /// Control characters behind it stand in names, which are kept whatever they hold, or are damage of
  /// single rows.
  private static func beginsWithHeader(_ head: ArraySlice<UInt8>) -> Bool {
    let text = head.starts(with: byteOrderMark) ? head.dropFirst(byteOrderMark.count) : head
    let visible = text.prefix { (0x20..<0x7F).contains($0) || $0 == UInt8(ascii: "\t") }
    guard visible.count >= 12, visible.endIndex < text.endIndex else { return false }
    let end = text[visible.endIndex]
    return end == UInt8(ascii: "\n") || end == UInt8(ascii: "\r")
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The input as a summary lists it.
  var file: SourceFile { SourceFile(path: path, bytes: storedCount, xxh3: storedHash.text) }

  private static func readWhole(
    _ path: String, mostBytes: Int
  ) throws(RecordingError) -> [UInt8] {
    let input = try StoredInput(path: path, mostBytes: mostBytes)
    guard input.byteCount <= mostBytes else { throw RecordingLimits.tooLong(path, mostBytes) }
    var bytes: [UInt8] = []
    // One byte more than expected, so that the end of a file is met without growing.
    var room = input.byteCount + 1
    while true {
      var failure: RecordingError?
      var isEnd = false
      let begin = bytes.count
      let more = [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
        do throws(RecordingError) {
          initialized = try input.read(into: UnsafeMutableRawBufferPointer(buffer), at: begin)
        } catch {
          failure = error
        }
        isEnd = initialized < room
      }
      if let failure { throw failure }
      if bytes.isEmpty { bytes = more } else { bytes += more }
      if isEnd {
        try input.checkWhole(bytes.count)
        return bytes
      }
      room = max(bytes.count, 1 << 16)
    }
  }
}
