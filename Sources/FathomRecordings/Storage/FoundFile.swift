import Foundation

/// A file that is looked for by its name in a folder, not named by the user.
///
/// Only a file that does not exist is absent. A link into nothing, a circle of links and a folder
/// that cannot be searched are errors: the content that the user put there would be lost silently.
/// A named pipe or a device is an error too, because reading it could wait without end.
package enum FoundFile {
  /// Returns the path of the first of the files `names` in `folder`; nil when none of them exists.
  ///
  /// `folder` may be a zip archive; an empty path is the working directory. The path is that of a
  /// regular file or of a folder, or of a link to one. Throws when the file exists and is neither,
  /// or the system cannot say.
  package static func first(
    of names: some Sequence<String>, in folder: String
  ) throws(RecordingError) -> String? {
    if !folder.isEmpty, !isFolder(folder), let archive = try ArchivedPath(folder) {
      return names.first(where: archive.hasFile).map { OutputFile.path(of: $0, in: folder) }
    }
    for name in names {
      let path = OutputFile.path(of: name, in: folder)
      if try exists(path) { return path }
    }
    return nil
  }

  /// Whether there is a file at `path`.
  package static func exists(_ path: String) throws(RecordingError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT { return false }
      if code == ENOTDIR { return try ArchivedPath(path)?.member != nil }
      throw .noInput(path: path, reason: String(cString: strerror(code)))
    }
    guard stat(path, &status) == 0 else {
      throw .noInput(path: path, reason: SystemCall.lastError())
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR: return true
    default: throw .noInput(path: path, reason: "not a regular file")
    }
  }

  /// Whether `folder` may have a file of JSON besides `recording.json`, or anchors in YAML.
  ///
  /// Listing a folder once costs less than looking for every name that a table can have.
  static func mayHaveJSON(_ folder: String) -> Bool {
    guard let list = opendir(folder) else { return true }
    defer { closedir(list) }
    while let entry = readdir(list) {
      let isJSON = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 1) {
          strstr($0, ".json") != nil && strcmp($0, "recording.json") != 0
            || strstr($0, "anchors.y") != nil
        }
      }
      if isJSON { return true }
    }
    return false
  }

  /// Whether `path` is a folder or a link to one.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether the files of a recording can be in `path`: it is a folder, a zip archive, or a folder in
  /// one.
  package static func isFolderOrArchive(_ path: String) -> Bool {
    isFolder(path) || ArchivedPath.isFolder(path)
  }

  /// Whether `path` is a regular file, in a folder or an archive, or a link to one.
  package static func isRegular(_ path: String) -> Bool { FileIdentity.size(of: path) != nil }
}
