import Foundation

/// The few calls of the system that reading shares.
enum SystemCall {
  /// The system's own words for what went wrong last.
  static func lastError() -> String { String(cString: strerror(errno)) }

  /// Appends up to `limit` bytes of `descriptor` to `bytes`; returns whether its end was met.
  static func append(
    upTo limit: Int, of descriptor: Int32, _ path: String, to bytes: inout [UInt8]
  ) throws(RecordingError) -> Bool {
    let end = bytes.count + limit
    var isEnd = false
    var failure: String?
    while bytes.count < end, !isEnd, failure == nil {
      let room = min(end - bytes.count, 1 << 16)
      bytes += [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
        let result = Foundation.read(descriptor, buffer.baseAddress, room)
        if result < 0, errno != EINTR { failure = lastError() }
        isEnd = result == 0
        initialized = max(0, result)
      }
    }
    if let failure { throw .noInput(path: path, reason: failure) }
    return isEnd
  }

  /// Writes all of `bytes`; false, with the reason in `errno`, where that fails.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let result = write(
          descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        if result < 0, errno == EINTR { continue }
        guard result > 0 else { return false }
        written += result
      }
      return true
    }
  }
}
