import CZlib

/// Decompression of gzip files [RFC 1952] with zlib.
package enum Gzip {
  /// Version of zlib.
  package static var libraryVersion: String { String(cString: zlibVersion()) }

  /// Reason why compressed data could not be read.
  package struct Failure: Error {
    /// Reason, as shown to the user.
    package var reason: String
  }

  /// Limits beyond which decompression fails.
  package struct Limits: Sendable {
    /// Maximum ratio of decompressed to stored size, above ``freeExpansion``.
    package var mostExpansion = RecordingLimits.mostExpansion
    /// Decompressed size that is always allowed, in bytes.
    package var freeExpansion = RecordingLimits.freeExpansion
    /// Maximum decompressed size, in bytes.
    package var mostBytes = RecordingLimits.mostBytes

    /// Creates the limits of ``RecordingLimits``.
    package init() {}

    /// Limits for text that is not kept in memory: only the expansion ratio is limited.
    static let streamed: Self = {
      var limits = Self()
      limits.mostBytes = .max
      return limits
    }()

    /// Returns why `count` bytes decompressed from `stored` bytes exceed the limits; nil when they
    /// do not.
    func reason(_ count: Int, from stored: Int) -> String? {
      if count > mostBytes { return "gzip: the content is longer than \(mostBytes) bytes" }
      guard count > freeExpansion, count / mostExpansion > stored else { return nil }
      return "gzip: the content is more than \(mostExpansion) times as long as the file;"
        + " no recording compresses so well"
    }
  }

  /// Whether `bytes` begin with the gzip signature.
  package static func isCompressed(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x1F, 0x8B])
  }

  /// Returns the content of the gzip file `bytes`, with all its members joined.
  ///
  /// Memory exceeds the limits of the decompressed size by at most one block. Throws for data that
  /// are truncated, fail their checksum, are followed by anything but zeros, or exceed the limits.
  ///
  /// ## Edge cases
  /// Zero bytes after the last member (padding of tapes and block devices) are ignored.
  package static func decompress(
    _ bytes: [UInt8], limits: Limits = Limits()
  ) throws(Failure) -> [UInt8] {
    guard let inflater = Inflater() else { throw Failure(reason: "zlib cannot start") }
    var output: [UInt8] = []
    var position = 0
    while true {
      let before = output.count
      try inflater.inflate(bytes, from: &position, isEnd: true, upTo: 1 << 20, into: &output)
      if let reason = limits.reason(output.count, from: position) {
        throw Failure(reason: reason)
      }
      if output.count - before < 1 << 20, position == bytes.count { return output }
    }
  }
}

/// A streaming decompressor for gzip data [RFC 1952], based on zlib; members are joined.
///
/// A class because zlib's stream must not move in memory.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var isBetweenMembers = true
  /// Whether at least one member has been read to its end.
  private var hasMembers = false
  /// Whether padding has begun, after which only padding may follow.
  private var isPadding = false

  /// Creates a decompressor at the start of a gzip file; nil when zlib cannot be initialised.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Adding 16 to the window bits selects the gzip header and checksum.
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

  /// Inflates `input` from `position` until it is used up or `capacity` bytes of text have been
  /// produced.
  ///
  /// Zero bytes after the last member (padding of tapes and block devices) are ignored.
  ///
  /// `position` is advanced to the first byte not yet processed; the text is appended to `output`.
  /// With `isEnd`, `input` ends the data. Throws when the data are truncated, fail their checksum,
  /// or are followed by anything but zeros.
  func inflate(
    _ input: [UInt8], from position: inout Int, isEnd: Bool, upTo capacity: Int,
    into output: inout [UInt8]
  ) throws(Gzip.Failure) {
    var left = capacity
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

  /// Skips a byte of padding, or begins a member at `position`.
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
    _ input: [UInt8], from position: Int, upTo limit: Int, into output: inout [UInt8]
  ) -> (status: Int32, taken: Int, made: Int) {
    var status = Z_OK
    // zlib counts in 32 bits; it does not write to its input.
    let available = min(input.count - position, 1 << 30)
    let capacity = min(limit, 1 << 18)
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

/// Numbers in compressed files and archives.
extension [UInt8] {
  /// Returns the 16 bits at `place`, the low byte first.
  func word16(_ place: Int) -> UInt16 {
    UInt16(self[place]) | UInt16(self[place + 1]) << 8
  }

  /// Returns the 32 bits at `place`, the low byte first.
  func word32(_ place: Int) -> UInt32 {
    UInt32(word16(place)) | UInt32(word16(place + 2)) << 16
  }

  /// Returns the 64 bits at `place`, the low byte first.
  func word64(_ place: Int) -> UInt64 {
    UInt64(word32(place)) | UInt64(word32(place + 4)) << 32
  }
}
