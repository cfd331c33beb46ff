import Foundation

/// A lock on an output folder, so that runs that replace results there do not mix theirs.
///
/// The lock is on the folder itself and ends with the program, however it ends; no file is left.
/// Runs that only add results share it. A folder that did not exist is created, and removed again
/// if it stays empty. On a file system without locks there is no protection.
package final class FolderLock: Sendable {
  private let path: String
  private let descriptor: Int32
  private let isNew: Bool

  /// Locks the folder at `path`; nil when it cannot be created or opened, which is reported when a
  /// file is created in it.
  ///
  /// Throws when another run has locked the folder, and one of both `replaces` files in it.
  package init?(_ path: String, replaces: Bool) throws(RecordingError) {
    isNew = !FoundFile.isFolder(path)
    if isNew {
      do {
        try FileManager.default.createDirectory(
          at: URL(filePath: path, directoryHint: .isDirectory), withIntermediateDirectories: true)
      } catch {
        return nil
      }
    }
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { return nil }
    if flock(descriptor, (replaces ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw .cannotWrite(
        path: path, reason: "another run is writing results into this folder; wait for its end")
    }
  }

  /// Removes the folder if the lock has created it and nothing was written.
  package func removeEmptyFolder() {
    if isNew { rmdir(path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
