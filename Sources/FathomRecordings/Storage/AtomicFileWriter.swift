import Foundation

/// Publishes sets of files atomically, one set at a time, until it is closed.
///
/// A program that is interrupted closes the writer before it ends. A set that is being published
/// then still gets all its names, later sets are refused, and unfinished files are deleted.
public final class AtomicFileWriter: Sendable {
  private struct State {
    var isClosed = false
    /// Unfinished files, by their temporary paths.
    var parts: Set<String> = []
  }

  private let state = Locked(State())

  /// Creates an open writer.
  public init() {}

  /// Whether ``close()`` has been called.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Writes `files`, all or none of them; see ``OutputFile/write(_:)``.
  ///
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)``, also when the writer is closed;
  ///   ``RecordingError/writingFailed(path:reason:)``.
  public func write(_ files: [OutputFile]) throws(RecordingError) {
    try write(files.map(\.path)) { (index, part) throws(RecordingError) in
      try part.append(files[index].bytes)
    }
  }

  /// Writes the files at `paths`, each by `body`, all or none of them.
  func write(
    _ paths: [String], _ body: (Int, PendingFile) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    removeAbandoned(for: paths)
    var parts: [PendingFile] = []
    for (index, path) in paths.enumerated() {
      let part = try PendingFile(for: path, through: self)
      try body(index, part)
      parts.append(part)
    }
    try publish(parts)
  }

  /// Deletes the unfinished files that killed runs have left for the same names.
  private func removeAbandoned(for paths: [String]) {
    var names: [String: [String]] = [:]
    for path in paths {
      let url = URL(filePath: path)
      names[url.deletingLastPathComponent().path(percentEncoded: false), default: []]
        .append(url.lastPathComponent)
    }
    for (folder, names) in names { PendingFile.removeAbandoned(in: folder, endings: names) }
  }

  /// Renames `parts` to their final names in order, all or none of them.
  ///
  /// The existence of the last file indicates that the set is complete, unless the program or the
  /// machine stopped during the renames.
  ///
  /// - Parameters:
  ///   - parts: complete files.
  ///   - superseded: paths of files to delete before the new files get their names.
  ///   - replaces: whether existing files are replaced.
  ///   - done: called when all files have their names, before the writer can be closed; it must not
  ///     use the writer.
  /// - Throws: ``RecordingError/writingFailed(path:reason:)`` when the disk does not accept a file;
  ///   ``RecordingError/cannotWrite(path:reason:)`` when the writer is closed, a rename fails,
  ///   or a file already exists that must not be replaced. The files before it then have their new
  ///   names; this happens only through a fault of the disk or another process.
  package func publish(
    _ parts: [PendingFile], removing superseded: [String] = [], replacing replaces: Bool = true,
    then done: () -> Void = {}
  ) throws(RecordingError) {
    // Starting every file before waiting for the first lets the disk flush them together.
    for part in parts { try part.synchronize() }
    try state.withLock { state throws(RecordingError) in
      if state.isClosed {
        throw .cannotWrite(path: parts.first?.path ?? "", reason: Self.interrupted)
      }
      // Deleted first, so that a summary never stands beside files it does not describe.
      for path in superseded { unlink(path) }
      for part in parts {
        try part.appear(replacing: replaces)
        state.parts.remove(part.temporaryPath)
      }
      done()
    }
  }

  /// Closes the writer: waits for a set that is being published, refuses later sets, and deletes
  /// unfinished files.
  public func close() {
    state.withLock { state in
      state.isClosed = true
      for part in state.parts { unlink(part) }
      state.parts = []
    }
  }

  private static let interrupted = "interrupted"

  /// Opens the temporary file `part` with `open`, unless the writer is closed.
  func begin(
    _ part: String, for path: String, open: () throws(RecordingError) -> Int32
  ) throws(RecordingError) -> Int32 {
    try state.withLock { state throws(RecordingError) in
      if state.isClosed { throw .cannotWrite(path: path, reason: Self.interrupted) }
      let descriptor = try open()
      state.parts.insert(part)
      return descriptor
    }
  }

  /// Deletes the temporary file `part`, unless it has been published.
  func discard(_ part: String) {
    state.withLock { state in
      if state.parts.remove(part) != nil { unlink(part) }
    }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes in memory.
  func withBytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var result: Result<Void, Failure> = .success(())
    withUnsafeBytes { bytes in
      do throws(Failure) { try body(bytes) } catch { result = .failure(error) }
    }
    try result.get()
  }
}

/// The path and complete content of a file to write.
public struct OutputFile: Sendable, Equatable {
  /// Path of the file.
  public var path: String
  /// Content of the file.
  public var bytes: [UInt8]

  /// Creates a file for `path` with the given content.
  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}

extension OutputFile {
  /// Returns the path of the file `name` in `folder`; relative if `folder` is.
  ///
  /// An empty `folder` is the working directory.
  package static func path(of name: String, in folder: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Returns the folder of the file at `path`; `.` for the working folder.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the first of `paths` that already exists, or nil; a symbolic link counts, whatever its
  /// target.
  package static func conflict(among paths: [String]) -> String? {
    paths.first { path in
      var status = stat()
      return lstat(path, &status) == 0
    }
  }

  /// Writes `files` so that all or none of them appear.
  ///
  /// Each file is first written under a temporary name in its folder and synchronized to disk. The
  /// files are renamed in order once all are complete. Missing folders are created.
  ///
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)`` and
  ///   ``RecordingError/writingFailed(path:reason:)``. No file has been replaced then, except when
  ///   a rename fails after others succeeded, through a fault of the disk or another process.
  public static func write(_ files: [OutputFile]) throws(RecordingError) {
    try AtomicFileWriter().write(files)
  }
}
