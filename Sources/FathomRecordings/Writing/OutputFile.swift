import Foundation

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
  public static func path(of name: String, in folder: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The first of `paths` that exists already, or nil; a link counts, wherever it points.
  public static func conflict(among paths: [String]) -> String? {
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
    try OutputGate().write(files)
  }
}
