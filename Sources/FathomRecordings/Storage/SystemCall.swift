import Foundation

/// System calls that reading and writing share.
package enum SystemCall {
  /// Returns the system's message for the last error.
  package static func lastError() -> String { String(cString: strerror(errno)) }

  /// Opens a new temporary file without a name; negative on failure, with the reason in `errno`.
  package static func unnamedFile() -> Int32 {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array("\(folder)/fathom-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    if descriptor >= 0 { unlink(template) }
    return descriptor
  }

  /// Appends up to `limit` bytes of `descriptor` to `bytes`; returns whether the end was reached.
  static func append(
    upTo limit: Int, of descriptor: Int32, _ path: String, to bytes: inout [UInt8]
  ) throws(RecordingError) -> Bool {
    let end = bytes.count + limit
    var isEnd = false
    var failure: String?
    while bytes.count < end, !isEnd, failure == nil {
      let capacity = min(end - bytes.count, 1 << 16)
      bytes += [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
        let result = Foundation.read(descriptor, buffer.baseAddress, capacity)
        if result < 0, errno != EINTR { failure = lastError() }
        isEnd = result == 0
        initialized = max(0, result)
      }
    }
    if let failure { throw .noInput(path: path, reason: failure) }
    return isEnd
  }

  /// Writes all of `bytes`; returns false on failure, with the reason in `errno`.
  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var left = bytes
    while !left.isEmpty {
      let written = write(descriptor, left.baseAddress, left.count)
      if written < 0, errno == EINTR { continue }
      guard written >= 0 else { return false }
      left = UnsafeRawBufferPointer(rebasing: left[written...])
    }
    return true
  }
}
