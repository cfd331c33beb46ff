import CZlib

/// Decompression of gzip files [RFC 1952] through zlib.
package enum Gzip {
  /// Why compressed data could not be read.
  package struct Failure: Error {
    /// The reason in words.
    package var reason: String
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
  /// - Throws: ``Failure`` where the data end early, fail their check sum, or are followed by
  ///   anything but zeros.
  package static func decompress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    // 16 on top of the window bits asks for a gzip header and check sum.
    guard
      inflateInit2_(&stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        == Z_OK
    else { throw Failure(reason: "zlib cannot start") }
    defer { inflateEnd(&stream) }

    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 4)
    var position = 0
    while true {
      let (status, consumed) = step(&stream, bytes, from: position, into: &output)
      position += consumed
      switch status {
      case Z_OK:
        continue
      case Z_STREAM_END:
        if bytes[position...].allSatisfy({ $0 == 0 }) { return output }
        guard bytes[position...].starts(with: [0x1F, 0x8B]) else {
          throw Failure(reason: "gzip: data after the end of the compressed data")
        }
        inflateReset(&stream)
      case Z_BUF_ERROR where position == bytes.count:
        throw Failure(reason: "gzip: the compressed data are truncated")
      default:
        let message = stream.msg.map { String(cString: $0) } ?? "error \(status)"
        throw Failure(reason: "gzip: the compressed data are damaged (\(message))")
      }
    }
  }

  /// Inflates one block of output; returns zlib's status and how many bytes of input it took.
  private static func step(
    _ stream: inout z_stream, _ bytes: [UInt8], from position: Int, into output: inout [UInt8]
  ) -> (status: Int32, consumed: Int) {
    var status = Z_OK
    var consumed = 0
    let capacity = 1 << 18
    let block = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      bytes.withUnsafeBufferPointer { input in
        // zlib counts in 32 bits and does not write to its input.
        let available = min(input.count - position, 1 << 30)
        stream.next_in = input.baseAddress.map { UnsafeMutablePointer(mutating: $0 + position) }
        stream.avail_in = UInt32(available)
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(capacity)
        status = inflate(&stream, Z_NO_FLUSH)
        consumed = available - Int(stream.avail_in)
      }
      initialized = capacity - Int(stream.avail_out)
    }
    output += block
    return (status, consumed)
  }
}
