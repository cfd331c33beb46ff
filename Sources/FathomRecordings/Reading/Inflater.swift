import CZlib

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
