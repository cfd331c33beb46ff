import Foundation

/// An input as it is stored, which can be read from its beginning as often as needed.
///
/// A regular file is read where it lies. What comes through a pipe comes once: it is kept in memory, or,
/// beyond ``largestInMemory``, in a temporary file without a name, which is gone with the program.
package final class StoredInput: Sendable {
  /// The path as given; `-` is standard input.
  package let path: String
  /// Its size, bytes; of a regular file when it was opened.
  package let byteCount: Int
  private let descriptor: Int32
  private let kept: [UInt8]?

  /// The most of a pipe that is kept in memory, bytes.
  static let largestInMemory = 16 << 20

  /// Opens the file at `path`, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - mostBytes: how much of what is no regular file is kept.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where it cannot be opened or read;
  ///   ``RecordingError/badData(path:line:reason:)`` where it is no regular file, and no text by its
  ///   beginning or longer than `mostBytes`.
  package init(
    path: String, mostBytes: Int = RecordingLimits.mostBytes
  ) throws(RecordingError) {
    self.path = path
    let source = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .noInput(path: path, reason: SystemCall.lastError()) }
    var status = stat()
    if path != "-", fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      (descriptor, byteCount, kept) = (source, max(0, Int(status.st_size)), nil)
      return
    }
    defer { if path != "-" { close(source) } }
    var bytes: [UInt8] = []
    let isWhole = try SystemCall.append(upTo: Self.largestInMemory, of: source, path, to: &bytes)
    if isWhole {
      (descriptor, byteCount, kept) = (-1, bytes.count, bytes)
      return
    }
    // What has no end, such as a device, is judged by its beginning.
    if !Gzip.isCompressed(bytes), let reason = ByteSource.reasonNotText(bytes) {
      throw .badData(path: path, line: nil, reason: reason)
    }
    let spool = try Self.unnamedFile(path)
    do throws(RecordingError) {
      byteCount = try Self.copy(bytes, andRestOf: source, to: spool, path, mostBytes)
    } catch {
      close(spool)
      throw error
    }
    (descriptor, kept) = (spool, nil)
  }

  /// The content `bytes` of an input called `path`.
  package init(path: String, bytes: [UInt8]) {
    self.path = path
    (descriptor, byteCount, kept) = (-1, bytes.count, bytes)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads bytes from `offset` on into `buffer`, as many as there are and it holds.
  ///
  /// - Parameters:
  ///   - buffer: where the bytes go.
  ///   - offset: place of the first of them in the input.
  /// - Returns: how many bytes were read; fewer than the buffer holds only at the end.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the system cannot read.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(RecordingError) -> Int {
    guard let kept else {
      var count = 0
      while count < buffer.count {
        let result = pread(
          descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count,
          off_t(offset + count))
        if result < 0, errno == EINTR { continue }
        if result < 0 { throw .noInput(path: path, reason: SystemCall.lastError()) }
        if result == 0 { break }
        count += result
      }
      return count
    }
    let end = min(kept.count, offset + buffer.count)
    guard offset < end else { return 0 }
    buffer.copyBytes(from: kept[offset..<end])
    return end - offset
  }

  /// Makes sure that an end after `count` bytes is the end.
  ///
  /// A file that another program cuts off while it is read would pass for a short recording.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where there were more bytes at first.
  package func checkWhole(_ count: Int) throws(RecordingError) {
    guard count >= byteCount else {
      throw .noInput(
        path: path,
        reason: "became shorter while it was read: \(count) of \(byteCount) bytes")
    }
  }

  private static func unnamedFile(_ path: String) throws(RecordingError) -> Int32 {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var template = Array("\(folder)/fathom-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw .noInput(
        path: path, reason: "no temporary file to keep it in: \(SystemCall.lastError())")
    }
    template.withUnsafeBufferPointer { if let name = $0.baseAddress { _ = unlink(name) } }
    return descriptor
  }

  /// Writes `begin` and what follows in `source` to `spool`; returns how many bytes.
  private static func copy(
    _ begin: [UInt8], andRestOf source: Int32, to spool: Int32, _ path: String, _ mostBytes: Int
  ) throws(RecordingError) -> Int {
    var block = begin
    var total = 0
    while true {
      guard block.withUnsafeBytes({ SystemCall.writeAll($0, to: spool) }) else {
        throw .noInput(
          path: path, reason: "the temporary file to keep it in: \(SystemCall.lastError())")
      }
      total += block.count
      guard total <= mostBytes else { throw RecordingLimits.tooLong(path, mostBytes) }
      block.removeAll(keepingCapacity: true)
      _ = try SystemCall.append(upTo: 1 << 20, of: source, path, to: &block)
      if block.isEmpty { return total }
    }
  }
}
