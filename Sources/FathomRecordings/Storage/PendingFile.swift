import CStorage
import Foundation

/// An output file that is written under a temporary name and renamed once it is complete.
///
/// The temporary name is `NAME.part-PROCESS`. The file is locked while it is open, so that another
/// run can distinguish an active file from one left behind by a killed run. It is deleted with its
/// last reference unless it was published; see ``AtomicFileWriter/publish(_:removing:replacing:then:)``. A
/// published file is synchronized to disk before it gets its name: after a power loss, no file
/// exists under its name without its content.
///
/// A missing folder is created. Each block costs one system call and one pass of the checksum;
/// nothing is buffered, so blocks should be large. Writing back to disk proceeds while further
/// blocks are written, and space for the next blocks of a large file is preallocated. Both together
/// reduce the system time by a third.
package final class PendingFile {
  /// Final path of the file.
  package let path: String
  private let part: String
  private let writer: AtomicFileWriter
  private var descriptor: Int32
  private var hash = ContentHash()
  /// Bytes written so far.
  private(set) var byteCount = 0
  private let behind = WriteBehind()
  /// Bytes written since write-back was last requested.
  private var waiting = 0
  /// Whether disk space was preallocated, possibly beyond the end of the file.
  private var isPreallocated = false

  /// Bytes after which write-back is requested and as much space preallocated.
  private static let share = 1 << 24

  /// Creates the empty temporary file for the final `path`; closing `writer`, which publishes it,
  /// deletes it.
  ///
  /// Throws when the file cannot be created, a folder has its name, or the writer is closed.
  package init(for path: String, through writer: AtomicFileWriter) throws(RecordingError) {
    self.path = path
    self.writer = writer
    let part = "\(path).part-\(getpid())"
    self.part = part
    descriptor = try writer.begin(part, for: path) { () throws(RecordingError) in
      try Self.open(part, for: path)
    }
  }

  deinit {
    behind.wait()
    if descriptor >= 0 { close(descriptor) }
    writer.discard(part)
  }

  /// Creates the folder, and opens and locks the file.
  private static func open(_ part: String, for path: String) throws(RecordingError) -> Int32 {
    // Detected now, because the rename would fail only after other files have been published.
    var status = stat()
    let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
    if kind == S_IFDIR {
      throw .cannotWrite(path: path, reason: String(cString: strerror(EISDIR)))
    }
    // A rename would put a file in the place of a device. A pipe is replaced.
    if kind == S_IFCHR || kind == S_IFBLK {
      throw .cannotWrite(path: path, reason: "is a device, which a file cannot replace")
    }
    do {
      try FileManager.default.createDirectory(
        at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: path, reason: reason(error))
    }
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
    let descriptor = Foundation.open(part, flags, 0o666)
    guard descriptor >= 0 else {
      throw .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
    // On a file system without locks, the process number in the name is the only protection.
    flock(descriptor, LOCK_EX | LOCK_NB)
    return descriptor
  }

  /// Writes the next bytes; throws ``RecordingError/writingFailed(path:reason:)``, for example when
  /// the disk is full.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(RecordingError) {
    hash.update(bytes)
    byteCount += bytes.count
    guard SystemCall.writeAll(bytes, to: descriptor) else {
      throw .writingFailed(path: path, reason: SystemCall.lastError())
    }
    waiting += bytes.count
    if waiting >= Self.share {
      waiting = 0
      behind.begin(descriptor)
      if fathom_set_room_apart(descriptor, Int64(byteCount), Int64(Self.share)) {
        isPreallocated = true
      }
    }
  }

  /// Writes the next bytes; throws ``RecordingError/writingFailed(path:reason:)``, for example when
  /// the disk is full.
  package func append(_ bytes: [UInt8]) throws(RecordingError) {
    try bytes.withBytes { (bytes) throws(RecordingError) in try append(bytes) }
  }

  /// Size and checksum of the bytes written so far.
  package var identity: FileIdentity { FileIdentity(bytes: byteCount, xxh3: hash.text) }

  /// Waits until the written bytes are on disk; called by the writer only.
  ///
  /// Some file systems report only now that they are full.
  func synchronize() throws(RecordingError) {
    if isPreallocated, ftruncate(descriptor, off_t(byteCount)) != 0 {
      throw .writingFailed(path: path, reason: SystemCall.lastError())
    }
    let earlier = behind.wait()
    let failure = earlier != 0 ? earlier : WriteBehind.synchronize(descriptor)
    if failure != 0 {
      throw .writingFailed(path: path, reason: String(cString: strerror(failure)))
    }
  }

  /// Renames the file to its final name; called by the writer only.
  ///
  /// A file that must not be replaced may have appeared since its absence was checked.
  func appear(replacing replaces: Bool) throws(RecordingError) {
    if !replaces {
      if link(part, path) == 0 {
        unlink(part)
        return
      }
      // Other errors mean that the file system has no links.
      if errno == EEXIST {
        throw .cannotWrite(path: path, reason: "was written by another run in the meantime")
      }
    }
    guard rename(part, path) == 0 else {
      throw .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// Path of the file until it is published; used by the writer only.
  var temporaryPath: String { part }

  /// Returns the system's message for `error`, which Foundation wraps.
  private static func reason(_ error: any Error) -> String {
    if let cause = error as? POSIXError { return String(cString: strerror(cause.code.rawValue)) }
    guard let error = error as? CocoaError else { return error.localizedDescription }
    // A folder cannot be created under the name of a file.
    if error.code == .fileWriteFileExists { return String(cString: strerror(ENOTDIR)) }
    return error.underlying.map { reason($0) } ?? error.localizedDescription
  }
}

extension PendingFile {
  /// Deletes the temporary files that killed runs have left in `folder`, and returns their names.
  ///
  /// The folder may be missing. `endings` are those of the names before `.part-`.
  @discardableResult
  package static func removeAbandoned(in folder: String, endings: [String]) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().filter { name in
      guard let mark = name.range(of: ".part-", options: .backwards),
        let process = pid_t(name[mark.upperBound...]), process > 0,
        endings.contains(where: { name[..<mark.lowerBound].hasSuffix($0) })
      else { return false }
      let path = OutputFile.path(of: name, in: folder)
      return isAbandoned(path, by: process) && unlink(path) == 0
    }
  }

  /// Whether no process is writing the temporary file at `path` any more.
  ///
  /// Its process must not run on this machine. Its lock must be free as well, because another
  /// machine or container may share the folder. A file with the number of this process comes from
  /// an earlier process: containers reuse numbers.
  private static func isAbandoned(_ path: String, by process: pid_t) -> Bool {
    if process != getpid() {
      guard kill(process, 0) != 0, errno == ESRCH else { return false }
    }
    let descriptor = Foundation.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }
}

/// Starts writing a file back to disk while more of it is being written.
///
/// Data that the system caches until a file is complete has to be written while the caller waits.
/// Regular requests move most of this work into the background.
final class WriteBehind: Sendable {
  private struct State {
    var isRunning = false
    /// First error reported by the system, which reports each error only once.
    var failure: Int32 = 0
  }

  private let state = Locked(State())
  private let group = DispatchGroup()

  /// Starts write-back of `descriptor`, unless write-back is in progress.
  func begin(_ descriptor: Int32) {
    let isFirst = state.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    DispatchQueue.global(qos: .utility).async(group: group) { [self] in
      let failure = Self.counted(fathom_begin_giving(descriptor))
      state.withLock { state in
        state.isRunning = false
        if state.failure == 0 { state.failure = failure }
      }
    }
  }

  /// Waits for write-back to finish, after which the descriptor may be closed; returns the error
  /// number of the first failure, or 0.
  @discardableResult
  func wait() -> Int32 {
    group.wait()
    return state.withLock { $0.failure }
  }

  /// Waits until the bytes written to the open `descriptor` are on disk; returns the error number,
  /// or 0.
  static func synchronize(_ descriptor: Int32) -> Int32 {
    #if os(Linux)
      let result = fdatasync(descriptor)
    #else
      let result = fsync(descriptor)
    #endif
    return counted(result == 0 ? 0 : errno)
  }

  /// Returns `failure`, or 0 when it means that the file system does not support the request.
  private static func counted(_ failure: Int32) -> Int32 {
    failure == EINVAL || failure == EOPNOTSUPP ? 0 : failure
  }
}
