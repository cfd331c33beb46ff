import Fathom
import Foundation

/// What tells whether a file is still the same: its size and the check sum of its content.
package struct FileIdentity: Sendable, Equatable {
  /// Its size, bytes.
  package var bytes: Int
  /// Its ``ContentHash``, 16 hexadecimal digits.
  package var xxh3: String

  /// The identity with the given size and check sum.
  package init(bytes: Int, xxh3: String) {
    self.bytes = bytes
    self.xxh3 = xxh3
  }

  /// The identity of the file at `path` as it is stored, which is read in blocks.
  ///
  /// - Parameter path: a file.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where it cannot be read.
  package init(of path: String) throws(RecordingError) {
    func failure() -> RecordingError {
      .noInput(path: path, reason: String(cString: strerror(errno)))
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    var hash = ContentHash()
    bytes = 0
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { block.deallocate() }
    while true {
      let count = read(descriptor, block.baseAddress, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { break }
      hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
      bytes += count
    }
    xxh3 = hash.text
  }

  /// The size of the file at `path`, bytes; nil where there is no such file.
  package static func size(of path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}

/// A file that was read.
public struct SourceFile: Sendable, Equatable {
  /// Its path as given.
  public var path: String
  /// Its size, bytes.
  public var bytes: Int
  /// XXH3 of its bytes as they are stored, 16 hexadecimal digits; nil where it was not taken.
  public var xxh3: String?

  /// The file at `path` of `bytes` bytes.
  public init(path: String, bytes: Int, xxh3: String? = nil) {
    self.path = path
    self.bytes = bytes
    self.xxh3 = xxh3
  }
}
