import CStorage
import Foundation

/// A file in the making: written beside its place, where it appears when it is complete.
///
/// It is called `NAME.part-PROCESS` and locked as long as it is open, so that another run can tell
/// what is being written from what a run that was killed has left behind. It goes away with the last
/// reference to it unless it was published, see ``AtomicFileWriter/publish(_:then:)``. What is published has
/// been given to the disk before it gets its name: after a loss of power there is no file whose name is
/// there and whose content is not.
///
/// The final name's folder is made where it is not there. Writing costs one system call and one pass of
/// the check sum per block; nothing is buffered, so blocks should be large. The disk takes what has
/// been written while more of it comes, and has room set apart for what is next of a large file: that
/// takes a third off the time in the system.
package final class PendingFile {
  /// The place where it is to appear.
  package let path: String
  private let part: String
  private let writer: AtomicFileWriter
  private var descriptor: Int32
  private var hash = ContentHash()
  private var count = 0
  private let behind = WriteBehind()
  /// What has been written since the disk was last asked to take it.
  private var waiting = 0
  /// Whether room was set apart on the disk, behind the end of the file perhaps.
  private var hasRoom = false

  /// So many bytes are worth asking the disk for.
  private static let share = 1 << 24

  /// Begins the file that is to appear at `path`, empty.
  ///
  /// - Parameters:
  ///   - path: its place.
  ///   - writer: what it will go through; a writer that is closed takes it away.
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)`` where it cannot be made, a folder is in its
  ///   place or the writer is closed.
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

  /// Makes the folder and opens the file, which the process then holds a lock on.
  private static func open(_ part: String, for path: String) throws(RecordingError) -> Int32 {
    // Found out now, not by the rename, when other files are in their places already.
    var isFolder = ObjCBool(false)
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw .cannotWrite(path: path, reason: String(cString: strerror(EISDIR)))
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
    // Where a file system has no locks, the number of the process has to do.
    flock(descriptor, LOCK_EX | LOCK_NB)
    return descriptor
  }

  /// Writes the next bytes.
  ///
  /// - Throws: ``RecordingError/writingFailed(path:reason:)``, as on a full disk.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(RecordingError) {
    hash.update(bytes)
    count += bytes.count
    guard SystemCall.writeAll(bytes, to: descriptor) else {
      throw .writingFailed(path: path, reason: SystemCall.lastError())
    }
    waiting += bytes.count
    if waiting >= Self.share {
      waiting = 0
      behind.begin(descriptor)
      if fathom_set_room_apart(descriptor, Int64(count), Int64(Self.share)) { hasRoom = true }
    }
  }

  /// Writes the next bytes.
  ///
  /// - Throws: ``RecordingError/writingFailed(path:reason:)``, as on a full disk.
  package func append(_ bytes: [UInt8]) throws(RecordingError) {
    var failure: RecordingError?
    bytes.withUnsafeBytes { bytes in
      do throws(RecordingError) { try append(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Size and check sum of what was written so far.
  package var identity: FileIdentity { FileIdentity(bytes: count, xxh3: hash.text) }

  /// Waits until the disk has what was written; for the writer alone.
  ///
  /// Some file systems tell only now that they are full.
  func synchronize() throws(RecordingError) {
    if hasRoom, ftruncate(descriptor, off_t(count)) != 0 {
      throw .writingFailed(path: path, reason: SystemCall.lastError())
    }
    let earlier = behind.wait()
    let failure = earlier != 0 ? earlier : WriteBehind.synchronize(descriptor)
    if failure != 0 {
      throw .writingFailed(path: path, reason: String(cString: strerror(failure)))
    }
  }

  /// Gives the file its name; for the writer alone.
  func appear() throws(RecordingError) {
    guard rename(part, path) == 0 else {
      throw .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// The name that it has until it appears; for the writer alone.
  var temporaryPath: String { part }

  /// The system's own words for `error`, which Foundation wraps.
  private static func reason(_ error: any Error) -> String {
    if let cause = error as? POSIXError { return String(cString: strerror(cause.code.rawValue)) }
    guard let error = error as? CocoaError else { return error.localizedDescription }
    // A folder cannot be made where a file is.
    if error.code == .fileWriteFileExists { return String(cString: strerror(ENOTDIR)) }
    return error.underlying.map { reason($0) } ?? error.localizedDescription
  }
}

extension PendingFile {
  /// Removes what runs that were killed have left in `folder`.
  ///
  /// - Parameters:
  ///   - folder: the folder of the results; it need not exist.
  ///   - endings: endings of the names that parts of results have before `.part-`.
  /// - Returns: The names of the files removed.
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

  /// Whether nobody works on the part at `path` any more.
  ///
  /// Its process must be gone from this machine, and the lock be free, since the process may be one of
  /// another machine or container that shares the folder. One with the number of this process is from
  /// an earlier life: in a container numbers repeat.
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

/// Gives a file to the disk while more of it is being written.
///
/// What a system keeps in memory until a file is complete, the disk takes while everybody waits. Asked
/// for from time to time, it takes most of it while there is something else to do.
final class WriteBehind: Sendable {
  private struct State {
    var isRunning = false
    /// The first error that the system told of: it tells of each only once.
    var failure: Int32 = 0
  }

  private let state = Locked(State())
  private let group = DispatchGroup()

  /// Begins to give to the disk what was written to `descriptor`, unless that is going on still.
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

  /// Waits for what was begun; the descriptor may be closed then.
  ///
  /// - Returns: The error number of the first that failed, or 0.
  @discardableResult
  func wait() -> Int32 {
    group.wait()
    return state.withLock { $0.failure }
  }

  /// Waits until the disk has what was written to `descriptor`.
  ///
  /// - Parameter descriptor: of an open file.
  /// - Returns: The error number, or 0.
  static func synchronize(_ descriptor: Int32) -> Int32 {
    #if os(Linux)
      let result = fdatasync(descriptor)
    #else
      let result = fsync(descriptor)
    #endif
    return counted(result == 0 ? 0 : errno)
  }

  /// The error number `failure`, or 0 where it says that a file system cannot be told to do so.
  private static func counted(_ failure: Int32) -> Int32 {
    failure == EINVAL || failure == EOPNOTSUPP ? 0 : failure
  }
}
