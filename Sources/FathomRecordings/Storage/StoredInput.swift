import Foundation

/// An input as stored, which can be read repeatedly from any offset.
///
/// A regular file is read in place. A pipe can be read only once: its content is kept in memory or,
/// beyond ``largestInMemory``, in an unnamed temporary file, which disappears when the program
/// ends. So is a file in a zip archive.
package final class StoredInput: Sendable {
  /// Path as given; `-` is standard input.
  package let path: String
  /// Size in bytes; for a regular file, its size when it was opened.
  package let byteCount: Int
  private let descriptor: Int32
  /// Time of the last change of a regular file when it was opened.
  private let changed: timespec?
  private let kept: [UInt8]?
  /// The file from which the content was made; nil for content as it is stored.
  let origin: TextOrigin?

  /// Bytes of a pipe that are kept in memory at most.
  static let largestInMemory = 16 << 20

  /// Opens the file at `path`, or standard input for `-`.
  ///
  /// An input that is not a regular file is an error when it exceeds `mostBytes`, or exceeds
  /// ``largestInMemory`` and begins with neither text nor gzip.
  package init(
    path: String, mostBytes: Int = RecordingLimits.mostBytes
  ) throws(RecordingError) {
    self.path = path
    origin = nil
    let source = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else {
      let code = errno
      // A file of the path is an archive, or there is no such path.
      guard code == ENOTDIR, let content = try ArchivedPath.content(of: path) else {
        throw .noInput(path: path, reason: String(cString: strerror(code)))
      }
      changed = nil
      switch content {
      case .memory(let bytes): (descriptor, byteCount, kept) = (-1, bytes.count, bytes)
      case .spool(let file, let count): (descriptor, byteCount, kept) = (file, count, nil)
      }
      return
    }
    var status = stat()
    if path != "-", fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      let size = max(0, Int(status.st_size))
      if let text = try UTF16Text.content(of: source, size, path) {
        close(source)
        (descriptor, byteCount, kept, changed) = (-1, text.count, text, nil)
        return
      }
      (descriptor, byteCount, kept) = (source, size, nil)
      changed = status.timeOfChange
      return
    }
    changed = nil
    defer { if path != "-" { close(source) } }
    var bytes = path == "-" ? StandardInput.takeFirstBytes() : []
    let isWhole = try SystemCall.append(upTo: Self.largestInMemory, of: source, path, to: &bytes)
    if isWhole {
      if let text = UTF16Text.utf8(bytes) { bytes = text }
      (descriptor, byteCount, kept) = (-1, bytes.count, bytes)
      return
    }
    // An endless input, such as a device, is judged by its beginning.
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

  /// Creates an input called `path` with the content `bytes`.
  package convenience init(path: String, bytes: [UInt8]) {
    self.init(path: path, bytes: bytes, origin: nil)
  }

  /// Creates an input called `path` with the content `bytes`, which was made from a file.
  init(path: String, bytes: [UInt8], origin: TextOrigin?) {
    (self.path, self.origin) = (path, origin)
    (descriptor, byteCount, kept, changed) = (-1, bytes.count, bytes, nil)
  }

  /// Creates an input called `path` with the `byteCount` bytes in the file `spool`, which it closes.
  init(path: String, spool: Int32, byteCount: Int, origin: TextOrigin) {
    (self.path, self.origin) = (path, origin)
    (descriptor, self.byteCount, kept, changed) = (spool, byteCount, nil, nil)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads bytes from `offset` on into `buffer`, as many as are available and fit.
  ///
  /// Returns the number of bytes read, which is less than the buffer's size only at the end.
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

  /// Checks that an end of the input after `count` bytes is its real end, and that the input is
  /// still what it was when it was opened.
  ///
  /// A file that another program truncates, extends or overwrites while it is read would otherwise
  /// pass for a recording, although its parts do not belong together.
  package func checkWhole(_ count: Int) throws(RecordingError) {
    guard count >= byteCount else {
      throw .noInput(
        path: path,
        reason: "the file was truncated while it was read: \(count) of \(byteCount) bytes")
    }
    guard let changed else { return }
    var status = stat()
    guard count == byteCount, fstat(descriptor, &status) == 0,
      Int(status.st_size) == byteCount, status.timeOfChange.tv_sec == changed.tv_sec,
      status.timeOfChange.tv_nsec == changed.tv_nsec
    else { throw .changed(path) }
  }

  /// Opens a temporary file without a name.
  static func unnamedFile(_ path: String) throws(RecordingError) -> Int32 {
    let descriptor = SystemCall.unnamedFile()
    guard descriptor >= 0 else {
      throw .noInput(
        path: path, reason: "cannot create a temporary file: \(SystemCall.lastError())")
    }
    return descriptor
  }

  /// Writes `begin` and the rest of `source` to `spool`; returns the number of bytes.
  fileprivate static func copy(
    _ begin: [UInt8], andRestOf source: Int32, to spool: Int32, _ path: String, _ mostBytes: Int
  ) throws(RecordingError) -> Int {
    var block = begin
    var total = 0
    while true {
      guard block.withUnsafeBytes({ SystemCall.writeAll($0, to: spool) }) else {
        throw .noInput(
          path: path, reason: "cannot write to the temporary file: \(SystemCall.lastError())")
      }
      total += block.count
      guard total <= mostBytes else { throw RecordingLimits.tooLong(path, mostBytes) }
      block.removeAll(keepingCapacity: true)
      _ = try SystemCall.append(upTo: 1 << 20, of: source, path, to: &block)
      if block.isEmpty { return total }
    }
  }
}

/// Standard input, which can be a zip archive.
///
/// An archive is opened for each of its files. A pipe is therefore copied to an unnamed file, which takes its
/// place as standard input.
enum StandardInput {
  /// The first bytes of a pipe, which were looked at and are still to be read; nil before.
  private static let firstBytes = Locked<[UInt8]?>(nil)

  /// Removes and returns the bytes that were looked at.
  static func takeFirstBytes() -> [UInt8] {
    firstBytes.withLock { bytes in
      defer { if bytes != nil { bytes = [] } }
      return bytes ?? []
    }
  }

  /// Returns the path by which standard input is opened if it is an archive; nil otherwise.
  static func archivePath() throws(RecordingError) -> String? {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return nil }
    if status.st_mode & S_IFMT == S_IFREG {
      var head = [UInt8](repeating: 0, count: ZipArchive.signature.count)
      let isBegin = lseek(STDIN_FILENO, 0, SEEK_CUR) == 0
      let count = pread(STDIN_FILENO, &head, head.count, 0)
      return isBegin && count == head.count && head == ZipArchive.signature ? path : nil
    }
    return try firstBytes.withLock { bytes throws(RecordingError) in
      guard bytes == nil else { return nil }
      var head: [UInt8] = []
      _ = try SystemCall.append(
        upTo: ZipArchive.signature.count, of: STDIN_FILENO, "-", to: &head)
      bytes = head
      guard head == ZipArchive.signature else { return nil }
      bytes = []
      let spool = try StoredInput.unnamedFile("-")
      defer { close(spool) }
      _ = try StoredInput.copy(
        head, andRestOf: STDIN_FILENO, to: spool, "-", RecordingLimits.mostBytes)
      guard dup2(spool, STDIN_FILENO) >= 0, lseek(STDIN_FILENO, 0, SEEK_SET) == 0 else {
        throw .noInput(path: "-", reason: SystemCall.lastError())
      }
      return path
    }
  }

  /// The file that is standard input.
  static let path = "/dev/stdin"
}

extension stat {
  /// Time of the last change of the content.
  fileprivate var timeOfChange: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}

extension RecordingError {
  /// Returns the error for the input at `path`, which another program has changed.
  static func changed(_ path: String) -> RecordingError {
    .noInput(path: path, reason: "changed while it was read")
  }
}
