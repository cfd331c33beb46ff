import Foundation

/// A lock for the moment in which a run reads and replaces the manifest of a folder, to which
/// several runs may add results at the same time.
///
/// Its file is removed again. Without it, for example in a folder that is not writable, or after
/// five seconds, the run continues without protection.
struct ManifestLock {
  private let path: String
  private let descriptor: Int32

  /// Locks the manifest in `folder`.
  init(in folder: String) {
    path = OutputFile.path(of: ".\(BatchManifest.fileName).lock", in: folder)
    var held: Int32 = -1
    for attempt in 0..<100 where held < 0 {
      if attempt > 0 { usleep(50_000) }
      let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
      if opened < 0 { break }
      var status = stat()
      // The run that held the lock may have removed the file in the meantime.
      if flock(opened, LOCK_EX | LOCK_NB) == 0, fstat(opened, &status) == 0, status.st_nlink > 0 {
        held = opened
      } else {
        close(opened)
      }
    }
    descriptor = held
  }

  /// Ends the lock.
  func end() {
    guard descriptor >= 0 else { return }
    unlink(path)
    close(descriptor)
  }
}
