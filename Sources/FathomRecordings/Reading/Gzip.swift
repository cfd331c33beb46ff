/// Decompression of gzip files [RFC 1952] through zlib.
package enum Gzip {
  /// Why compressed data could not be read.
  package struct Failure: Error {
    /// The reason in words.
    package var reason: String
  }

  /// How far decompression goes before it gives up.
  package struct Limits: Sendable {
    /// Times the stored size.
    package var mostExpansion = RecordingLimits.mostExpansion
    /// Bytes that are allowed in any case.
    package var freeExpansion = RecordingLimits.freeExpansion
    /// Bytes that are allowed in no case more.
    package var mostBytes = RecordingLimits.mostBytes

    /// The limits of ``RecordingLimits``.
    package init() {}

    /// The limits of text that is not kept in memory: only its expansion matters.
    static let streamed: Self = {
      var limits = Self()
      limits.mostBytes = .max
      return limits
    }()

    /// Why `count` bytes from `stored` ones are too many; nil where they are not.
    func reason(_ count: Int, from stored: Int) -> String? {
      if count > mostBytes { return "gzip: the content is longer than \(mostBytes) bytes" }
      guard count > freeExpansion, count / mostExpansion > stored else { return nil }
      return "gzip: the content is more than \(mostExpansion) times as long as the file;"
        + " no recording compresses so well"
    }
  }

  /// Whether `bytes` begin as a gzip file does.
  package static func isCompressed(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x1F, 0x8B])
  }

  /// The content of the gzip file `bytes`, all members of it joined.
  ///
  /// ## Edge cases
  /// Zero bytes after the last member (padding of tapes and block devices) are ignored.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - limits: how much it may expand to; memory stays within a block of the limit.
  /// - Returns: the content.
  /// - Throws: ``Failure`` where the data end early, fail their check sum, are followed by
  ///   anything but zeros, or expand beyond the limits.
  package static func decompress(
    _ bytes: [UInt8], limits: Limits = Limits()
  ) throws(Failure) -> [UInt8] {
    guard let inflater = Inflater() else { throw Failure(reason: "zlib cannot start") }
    var output: [UInt8] = []
    var position = 0
    while true {
      let before = output.count
      try inflater.inflate(bytes, from: &position, isEnd: true, upTo: 1 << 20, into: &output)
      if let reason = limits.reason(output.count, from: bytes.count) {
        throw Failure(reason: reason)
      }
      if output.count - before < 1 << 20, position == bytes.count { return output }
    }
  }
}
