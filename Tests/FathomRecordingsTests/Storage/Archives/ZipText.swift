@testable import FathomRecordings

/// A zip archive made in memory, for tests.
struct ZipText {
  private var content: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0
  /// Whether sizes and offsets have 64 bits, as in archives that are written to a pipe or are large.
  var isWide = false

  /// Adds the file `name` with the content `bytes`, stored or compressed.
  ///
  /// - Parameters:
  ///   - name: path in the archive.
  ///   - bytes: the content.
  ///   - isStored: whether it is stored without compression.
  ///   - flags: flags of the file; 1 marks it as encrypted.
  ///   - method: the method that the archive states; nil for the right one.
  mutating func add(
    _ name: String, _ bytes: [UInt8], isStored: Bool = false, flags: Int = 0, method: Int? = nil
  ) {
    // Header and trailer of gzip surround the data that an archive has, and give the checksum.
    let gzip = HostileFileTests.compressed(bytes) ?? []
    let data = isStored ? bytes : Array(gzip.dropFirst(10).dropLast(8))
    let sum = Array(gzip.suffix(8).prefix(4))
    let stated = Self.word16(flags) + Self.word16(method ?? (isStored ? 0 : 8))
    let sizes =
      sum + Self.word32(data.count) + Self.word32(bytes.count) + Self.word16(name.utf8.count)
    let offset = content.count
    content += Array("PK\u{3}\u{4}".utf8) + Self.word16(20) + stated + Self.word32(0) + sizes
    content += Self.word16(0) + Array(name.utf8) + data
    directory += Array("PK\u{1}\u{2}".utf8) + Self.word16(20) + Self.word16(20) + stated
    directory += Self.word32(0)
    if isWide {
      // A time stamp precedes the field with the sizes.
      let extra =
        Self.word16(0x5455) + Self.word16(1) + [0] + Self.word16(1) + Self.word16(24)
        + [bytes.count, data.count, offset].flatMap { Self.word64($0) }
      directory += sum + Self.word32(-1) + Self.word32(-1) + Self.word16(name.utf8.count)
      directory += Self.word16(extra.count) + Self.word16(0) + Self.word16(0) + Self.word16(0)
      directory += Self.word32(0) + Self.word32(-1) + Array(name.utf8) + extra
    } else {
      directory += sizes + Self.word16(0) + Self.word16(0) + Self.word16(0)
      directory += Self.word16(0) + Self.word32(0) + Self.word32(offset) + Array(name.utf8)
    }
    count += 1
  }

  /// Adds the file `name` with the text `text`.
  mutating func add(_ name: String, _ text: String, isStored: Bool = false) {
    add(name, Array(text.utf8), isStored: isStored)
  }

  /// The archive.
  var bytes: [UInt8] {
    if isWide {
      let record =
        Array("PK\u{6}\u{6}".utf8) + Self.word64(44) + Self.word16(45) + Self.word16(45)
        + Self.word32(0) + Self.word32(0)
        + [count, count, directory.count, content.count].flatMap { Self.word64($0) }
      let pointer =
        Array("PK\u{6}\u{7}".utf8) + Self.word32(0) + Self.word64(content.count + directory.count)
        + Self.word32(1)
      let end =
        Array("PK\u{5}\u{6}".utf8) + Self.word32(-1) + Self.word16(-1) + Self.word16(-1)
        + Self.word32(-1) + Self.word32(-1) + Self.word16(0)
      return content + directory + record + pointer + end
    }
    return content + directory + Array("PK\u{5}\u{6}".utf8) + Self.word32(0) + Self.word16(count)
      + Self.word16(count) + Self.word32(directory.count) + Self.word32(content.count)
      + Self.word16(0)
  }

  private static func word16(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  private static func word32(_ value: Int) -> [UInt8] {
    word16(value) + word16(value >> 16)
  }

  private static func word64(_ value: Int) -> [UInt8] {
    word32(value) + word32(value >> 32)
  }
}
