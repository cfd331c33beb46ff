import Foundation

/// Lets sets of files appear one set at a time, until it is closed for good.
///
/// A program that is interrupted closes the writer before it ends: a set that is getting its names gets all
/// of them, nothing else appears any more, and what was being written is taken away.
public final class AtomicFileWriter: Sendable {
  private struct State {
    var isClosed = false
    /// Files in the making, by their temporary paths.
    var parts: Set<String> = []
  }

  private let state = Locked(State())

  /// An open writer.
  public init() {}

  /// Whether ``close()`` was called.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Writes `files` whole or not at all, see ``OutputFile/write(_:)``.
  ///
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)``, also where the writer is closed;
  ///   ``RecordingError/writingFailed(path:reason:)``.
  public func write(_ files: [OutputFile]) throws(RecordingError) {
    var parts: [PendingFile] = []
    for file in files {
      let part = try PendingFile(for: file.path, through: self)
      try part.append(file.bytes)
      parts.append(part)
    }
    try publish(parts)
  }

  /// Lets `parts` appear, all of them or none, in their order.
  ///
  /// The last one is the one to look for: where it is, the others are too, unless the program or the
  /// machine was stopped while they were replaced.
  ///
  /// - Parameters:
  ///   - parts: files that are written to their end.
  ///   - superseded: files that go when these come.
  ///   - done: called when all are in their places, before the writer can be closed; it must not use the
  ///     writer.
  /// - Throws: ``RecordingError/writingFailed(path:reason:)`` where the disk does not take a file;
  ///   ``RecordingError/cannotWrite(path:reason:)`` where the writer is closed, and where a file cannot be
  ///   renamed, which takes a fault of the disk or of another process; those before it have appeared
  ///   then.
  package func publish(
    _ parts: [PendingFile], removing superseded: [String] = [], then done: () -> Void = {}
  ) throws(RecordingError) {
    // All are written before the first is waited for: the disk is then asked once, not for each.
    for part in parts { try part.synchronize() }
    try state.withLock { state throws(RecordingError) in
      if state.isClosed {
        throw .cannotWrite(path: parts.first?.path ?? "", reason: Self.interrupted)
      }
      // First, so that no summary stands beside files that it does not know.
      for path in superseded { unlink(path) }
      for part in parts {
        try part.appear()
        state.parts.remove(part.temporaryPath)
      }
      done()
    }
  }

  /// Waits for the set that is getting its names, lets no other do so, and takes away what is being
  /// written.
  public func close() {
    state.withLock { state in
      state.isClosed = true
      for part in state.parts { unlink(part) }
      state.parts = []
    }
  }

  private static let interrupted = "interrupted"

  /// Begins the file `part` with `open`, unless the writer is closed.
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

  /// Takes the file `part` away, if it has not appeared.
  func discard(_ part: String) {
    state.withLock { state in
      if state.parts.remove(part) != nil { unlink(part) }
    }
  }
}

/// A file to be written, complete.
public struct OutputFile: Sendable, Equatable {
  /// Where it goes.
  public var path: String
  /// What is in it.
  public var bytes: [UInt8]

  /// The file at `path` with the given content.
  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}

extension OutputFile {
  /// The path of the file `name` in `folder`, as the folder was given: relative where it is; an empty
  /// folder is the working one.
  package static func path(of name: String, in folder: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The first of `paths` that exists already, or nil; a link counts, wherever it points.
  package static func conflict(among paths: [String]) -> String? {
    paths.first { path in
      var status = stat()
      return lstat(path, &status) == 0
    }
  }

  /// Writes `files` so that they appear whole or not at all.
  ///
  /// Each is written beside its place first, given to the disk, and renamed only when all are complete, in
  /// their order. Missing folders are made.
  ///
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)`` and
  ///   ``RecordingError/writingFailed(path:reason:)``; nothing was replaced then, unless a rename
  ///   itself failed after others had succeeded, which takes a fault of the disk or of another process.
  public static func write(_ files: [OutputFile]) throws(RecordingError) {
    try AtomicFileWriter().write(files)
  }
}
