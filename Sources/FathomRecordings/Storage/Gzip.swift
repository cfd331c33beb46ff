import CZlib

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

/// Decompression of gzip data [RFC 1952] piece by piece, through zlib; all members joined.
///
/// A class, since zlib's stream must stay where it is.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var isBetweenMembers = true
  /// Whether a member was read to its end.
  private var hasMembers = false
  /// Whether nothing but padding may come any more.
  private var isPadding = false

  /// Ready for the beginning of a gzip file; nil where zlib cannot start.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 16 on top of the window bits asks for a gzip header and check sum.
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, size) == Z_OK else {
      stream.deinitialize(count: 1)
      stream.deallocate()
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Inflates `input` from `position` on until it is used up or `room` bytes of text have come.
  ///
  /// Zero bytes after the last member (padding of tapes and block devices) are ignored.
  ///
  /// - Parameters:
  ///   - input: compressed bytes.
  ///   - position: the first of them that was not taken before; moves on.
  ///   - isEnd: whether nothing follows `input`.
  ///   - room: the most bytes of text wanted.
  ///   - output: the text is appended here.
  /// - Throws: ``Gzip/Failure`` where the data end early, fail their check sum, or are followed by
  ///   anything but zeros.
  func inflate(
    _ input: [UInt8], from position: inout Int, isEnd: Bool, upTo room: Int,
    into output: inout [UInt8]
  ) throws(Gzip.Failure) {
    var left = room
    while left > 0 {
      if isBetweenMembers, position < input.count {
        try beginMember(input, &position)
        continue
      }
      guard position < input.count else {
        if isEnd, !isBetweenMembers {
          throw Gzip.Failure(reason: "gzip: the compressed data are truncated")
        }
        return
      }
      let (status, taken, made) = step(input, from: position, upTo: left, into: &output)
      position += taken
      left -= made
      switch status {
      case Z_OK: continue
      case Z_STREAM_END:
        inflateReset(stream)
        isBetweenMembers = true
        hasMembers = true
      case Z_BUF_ERROR where taken > 0 || made > 0: continue
      default:
        let message = stream.pointee.msg.map { String(cString: $0) } ?? "error \(status)"
        throw Gzip.Failure(reason: "gzip: the compressed data are damaged (\(message))")
      }
    }
  }

  /// Moves over padding, or to the beginning of a member at `position`.
  private func beginMember(_ input: [UInt8], _ position: inout Int) throws(Gzip.Failure) {
    if hasMembers, input[position] == 0 {
      isPadding = true
      position += 1
      return
    }
    guard !isPadding, !hasMembers || input[position] == 0x1F else {
      throw Gzip.Failure(reason: "gzip: data after the end of the compressed data")
    }
    isBetweenMembers = false
  }

  private func step(
    _ input: [UInt8], from position: Int, upTo room: Int, into output: inout [UInt8]
  ) -> (status: Int32, taken: Int, made: Int) {
    var status = Z_OK
    // zlib counts in 32 bits and does not write to its input.
    let available = min(input.count - position, 1 << 30)
    let capacity = min(room, 1 << 18)
    let begin = output.count
    output.append(contentsOf: repeatElement(0, count: capacity))
    input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = input.baseAddress.map {
          UnsafeMutablePointer(mutating: $0 + position)
        }
        stream.pointee.avail_in = UInt32(available)
        stream.pointee.next_out = output.baseAddress.map { $0 + begin }
        stream.pointee.avail_out = UInt32(capacity)
        status = CZlib.inflate(stream, Z_NO_FLUSH)
      }
    }
    let made = capacity - Int(stream.pointee.avail_out)
    output.removeLast(capacity - made)
    return (status, available - Int(stream.pointee.avail_in), made)
  }
}
