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

  /// The first of `paths` that exists already, or nil.
  public static func conflict(among paths: [String]) -> String? {
    paths.first { FileManager.default.fileExists(atPath: $0) }
  }

  /// Writes `files` so that they appear whole or not at all.
  ///
  /// Each is written beside its place first, and renamed only when all are complete. Missing folders are
  /// made.
  ///
  /// - Throws: ``RecordingError/cannotWrite(path:reason:)``; nothing was replaced then, unless a rename
  ///   itself failed after others had succeeded, which takes a fault of the disk or of another process.
  public static func write(_ files: [OutputFile]) throws(RecordingError) {
    var parts: [String] = []
    do throws(RecordingError) {
      for file in files { parts.append(try file.writeBeside()) }
      for (file, part) in zip(files, parts) {
        guard rename(part, file.path) == 0 else {
          throw .cannotWrite(path: file.path, reason: String(cString: strerror(errno)))
        }
      }
    } catch {
      for part in parts { unlink(part) }
      throw error
    }
  }

  /// Writes the content beside the place of the file and returns where.
  private func writeBeside() throws(RecordingError) -> String {
    let folder = URL(filePath: path).deletingLastPathComponent()
    let part = "\(path).part-\(ProcessInfo.processInfo.processIdentifier)"
    do {
      // Found out now, not by the rename, when other files are in their places already.
      var isFolder = ObjCBool(false)
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
        throw POSIXError(.EISDIR)
      }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(filePath: part))
    } catch {
      unlink(part)
      throw .cannotWrite(path: path, reason: Self.reason(error))
    }
    return part
  }

  /// The system's own words for `error`, which Foundation wraps.
  private static func reason(_ error: any Error) -> String {
    if let cause = error as? POSIXError { return String(cString: strerror(cause.code.rawValue)) }
    guard let error = error as? CocoaError else { return error.localizedDescription }
    // A folder cannot be made where a file is.
    if error.code == .fileWriteFileExists { return String(cString: strerror(ENOTDIR)) }
    return error.underlying.map { reason($0) } ?? error.localizedDescription
  }
}
