import Foundation

/// The complete content of one input, decompressed.
///
/// Files are read into memory instead of being mapped: pipes work the same way, and a file that
/// another program truncates during reading gives an error instead of a bus error.
package struct ByteSource: Sendable {
  /// Path as given; `-` is standard input.
  package let path: String
  /// Text, decompressed and without byte order mark.
  package let bytes: [UInt8]
  /// Size of the input as stored, in bytes.
  package let storedCount: Int
  /// Checksum of the input as stored.
  package let storedHash: ContentHash
  /// The lines of the input from which the text was made; nil for the text as it is stored.
  let lines: LineMap?

  /// Reads the file at `path`, or standard input for `-`; detects gzip by content.
  ///
  /// `mostBytes` is the maximum size, stored and decompressed. Throws for a file that cannot be
  /// opened or read, damaged gzip, UTF-16 and binary data, and a longer input.
  package init(
    path: String, mostBytes: Int = RecordingLimits.mostBytes
  ) throws(RecordingError) {
    try self.init(
      path: path, stored: Self.readWhole(path, mostBytes: mostBytes), mostBytes: mostBytes)
  }

  /// Decodes the content `stored`, compressed or not, of the input that messages call `path`.
  ///
  /// `mostBytes` is the maximum size, stored and decompressed. Throws for damaged gzip, UTF-16 and
  /// binary data, and a longer input.
  package init(
    path: String, stored: [UInt8], mostBytes: Int = RecordingLimits.mostBytes
  ) throws(RecordingError) {
    self.path = path
    lines = nil
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

  /// Creates the text `bytes`, which was made from the lines `lines` of the input at `path`.
  init(
    _ bytes: [UInt8], path: String, storedCount: Int, storedHash: ContentHash, lines: LineMap
  ) {
    (self.path, self.storedCount, self.storedHash) = (path, storedCount, storedHash)
    (self.bytes, self.lines) = (bytes, lines)
  }

  /// Number of leading bytes examined to distinguish text from binary data.
  static let headCount = 4096

  /// Returns why `bytes` cannot be UTF-8 text, judged by the first ``headCount`` bytes; nil when
  /// they can.
  static func reasonNotText(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return
        "the text is UTF-16; save it as UTF-8, as in iconv -f UTF-16 -t UTF-8 FILE > ranges.csv"
    }
    if let reason = FileSignature.reason(bytes) { return reason }
    let head = bytes.prefix(headCount)
    let zeros = head.count { $0 == 0 }
    // A stray NUL damages one row. One NUL in ten bytes indicates another format: UTF-16 without a
    // byte order mark has one in two.
    if zeros * 10 > head.count {
      return "not a text file: \(zeros) of the first \(head.count) bytes are NUL"
    }
    if beginsWithHeader(head) { return nil }
    // Random bytes contain one in ten. Bytes 9 to 13 (tabs, line ends) are legitimate in text.
    let controls = head.count { $0 < 9 || (14..<32).contains($0) }
    if controls * 12 > head.count {
      return "not a text file: \(controls) of the first \(head.count) bytes are control characters"
    }
    return nil
  }

  /// Whether the first line consists of at least twelve visible characters, which one in ten
  /// million random texts satisfies.
  ///
  /// Control characters after such a line belong to names, which are kept as they are, or to single
  /// damaged rows.
  private static func beginsWithHeader(_ head: ArraySlice<UInt8>) -> Bool {
    let text = head.starts(with: byteOrderMark) ? head.dropFirst(byteOrderMark.count) : head
    let visible = text.prefix { (0x20..<0x7F).contains($0) || $0 == UInt8(ascii: "\t") }
    guard visible.count >= 12, visible.endIndex < text.endIndex else { return false }
    let end = text[visible.endIndex]
    return end == UInt8(ascii: "\n") || end == UInt8(ascii: "\r")
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The name of the file without its folder, for notes.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The input's entry in a summary.
  var file: SourceFile { SourceFile(path: path, bytes: storedCount, xxh3: storedHash.text) }

  /// Returns the bytes of the file at `path` as they are stored.
  static func readWhole(
    _ path: String, mostBytes: Int
  ) throws(RecordingError) -> [UInt8] {
    let input = try StoredInput(path: path, mostBytes: mostBytes)
    guard input.byteCount <= mostBytes else { throw RecordingLimits.tooLong(path, mostBytes) }
    var bytes: [UInt8] = []
    // One byte more than expected, so that the end of the file is found without growing the buffer.
    var capacity = input.byteCount + 1
    while true {
      var failure: RecordingError?
      var isEnd = false
      let begin = bytes.count
      let more = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
        do throws(RecordingError) {
          initialized = try input.read(into: UnsafeMutableRawBufferPointer(buffer), at: begin)
        } catch {
          failure = error
        }
        isEnd = initialized < capacity
      }
      if let failure { throw failure }
      if bytes.isEmpty { bytes = more } else { bytes += more }
      if isEnd {
        try input.checkWhole(bytes.count)
        return bytes
      }
      capacity = max(bytes.count, 1 << 16)
    }
  }
}
