import Fathom
import Foundation

/// Size and checksum of a file, by which changes to it are detected.
package struct FileIdentity: Sendable, Equatable {
  /// Size, in bytes.
  package var bytes: Int
  /// ``ContentHash`` of the file, 16 hexadecimal digits.
  package var xxh3: String

  /// Creates an identity with the given size and checksum.
  package init(bytes: Int, xxh3: String) {
    self.bytes = bytes
    self.xxh3 = xxh3
  }

  /// Computes the identity of the file at `path` as stored, reading it in blocks.
  package init(of path: String) throws(RecordingError) {
    func failure() -> RecordingError {
      .noInput(path: path, reason: String(cString: strerror(errno)))
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOTDIR {
      let source = try ByteSource.readWhole(path, mostBytes: RecordingLimits.mostBytes)
      var hash = ContentHash()
      hash.update(source)
      (bytes, xxh3) = (source.count, hash.text)
      return
    }
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

  /// Returns the size of the regular file at `path`, in bytes, which can be in a zip archive; nil when
  /// there is no such file.
  package static func size(of path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return errno == ENOTDIR ? (try? StoredInput(path: path))?.byteCount : nil
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}

/// An input file, as a summary lists it.
public struct SourceFile: Sendable, Equatable {
  /// Path as given.
  public var path: String
  /// Size, in bytes.
  public var bytes: Int
  /// XXH3 of the bytes as stored, 16 hexadecimal digits; nil when it was not computed.
  public var xxh3: String?

  /// Creates an entry for the file at `path` of `bytes` bytes.
  public init(path: String, bytes: Int, xxh3: String? = nil) {
    self.path = path
    self.bytes = bytes
    self.xxh3 = xxh3
  }
}

/// The file from which a text was made: its entry in a summary, and its lines.
struct TextOrigin: Sendable {
  var file: SourceFile
  var lines: LineMap
  /// Whether the file has pairs of a key and a value; JSON otherwise.
  var hasPairs = false
}

/// The lines of a file from which the lines of a text were made.
///
/// It needs 4 bytes for each line of the text.
struct LineMap: Sendable, Equatable {
  private var lines: [UInt32]

  /// Creates the map of an empty text.
  init() { self.init(lines: []) }

  private init(lines: [UInt32]) { self.lines = lines }

  /// Adds the next line of the text, which was made from `line` of the file.
  mutating func append(_ line: Int) { lines.append(UInt32(clamping: line)) }

  /// Returns the map of the text behind `count` lines more.
  func after(_ count: Int) -> LineMap {
    LineMap(lines: Array(repeating: lines.first ?? 1, count: count) + lines)
  }

  /// Returns the line of the file for `line` of the text, from 1; the last one for lines beyond the end.
  subscript(line: Int) -> Int {
    guard let last = lines.last else { return line }
    return Int(lines.indices.contains(line - 1) ? lines[line - 1] : last)
  }
}

extension RecordingError {
  /// Returns the error on the line of the file from which a text with the error was made.
  func onLine(of lines: LineMap) -> RecordingError {
    guard case .badData(let path, let line?, let reason) = self else { return self }
    return .badData(path: path, line: lines[line], reason: reason)
  }
}
