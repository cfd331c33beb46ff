import Foundation

/// The bytes of one input, whole and decompressed.
///
/// Files are read into memory rather than mapped: pipes work the same, and a file that another
/// program shortens meanwhile gives a short recording instead of a bus error.
package struct ByteSource: Sendable {
  /// The path as given; `-` is standard input.
  package let path: String
  /// The text, decompressed and without byte order mark.
  package let bytes: [UInt8]
  /// Bytes of the input as stored.
  package let storedCount: Int

  /// Reads the file at `path`, or standard input for `-`; gzip is recognised by content.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where it cannot be opened or read;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip, UTF-16 and binary data.
  package init(path: String) throws(RecordingError) {
    try self.init(path: path, stored: Self.readWhole(path))
  }

  /// The content `stored` of the input called `path`.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` for damaged gzip, UTF-16 and binary
  ///   data.
  package init(path: String, stored: [UInt8]) throws(RecordingError) {
    self.path = path
    storedCount = stored.count
    var bytes = stored
    if Gzip.isCompressed(stored) {
      do throws(Gzip.Failure) {
        bytes = try Gzip.decompress(stored)
      } catch {
        throw .badData(path: path, line: nil, reason: error.reason)
      }
    }
    if let reason = Self.reasonNotText(bytes) {
      throw .badData(path: path, line: nil, reason: reason)
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    self.bytes = bytes
  }

  /// Why `bytes` cannot be text in UTF-8, judged by their beginning; nil where they can.
  private static func reasonNotText(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return "the text is UTF-16; save it as UTF-8"
    }
    let head = bytes.prefix(4096)
    let zeros = head.count { $0 == 0 }
    // A stray NUL spoils one row; one in ten means another kind of file (UTF-16 without mark: half).
    if zeros * 10 > head.count {
      return "this is no text: \(zeros) of its first \(head.count) bytes are NUL"
    }
    return nil
  }

  private static func readWhole(_ path: String) throws(RecordingError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .noInput(path: path, reason: lastSystemError()) }
    defer { if path != "-" { close(descriptor) } }
    var status = stat()
    let expected = fstat(descriptor, &status) == 0 ? max(0, Int(status.st_size)) : 0
    var bytes: [UInt8] = []
    // One byte more than expected, so that the end of a file is met without growing.
    var room = expected + 1
    while true {
      let chunk = max(room, 1 << 16)
      var count = 0
      var failure: String?
      let appended = [UInt8](unsafeUninitializedCapacity: chunk) { buffer, initialized in
        while count < chunk {
          let result = read(descriptor, buffer.baseAddress.map { $0 + count }, chunk - count)
          if result < 0, errno == EINTR { continue }
          if result < 0 { failure = lastSystemError() }
          if result <= 0 { break }
          count += result
        }
        initialized = count
      }
      if let failure { throw .noInput(path: path, reason: failure) }
      if bytes.isEmpty { bytes = appended } else { bytes += appended }
      if count < chunk { return bytes }
      room = bytes.count
    }
  }

  private static func lastSystemError() -> String { String(cString: strerror(errno)) }
}
