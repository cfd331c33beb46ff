import Foundation

/// A text that is written once and then read as an input, in memory while it is short and otherwise in
/// an unnamed temporary file.
final class SpooledText {
  private let path: String
  private var bytes: [UInt8] = []
  private var descriptor: Int32 = -1
  private var spooled = 0

  /// Bytes that are collected before they are written to the file.
  private static let mostPending = 1 << 20

  /// Creates an empty text, made from the file at `path`.
  init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends `more`; throws when the temporary file cannot be written.
  func append(_ more: [UInt8]) throws(RecordingError) {
    bytes += more
    let most = descriptor < 0 ? StoredInput.largestInMemory : Self.mostPending
    if bytes.count > most { try write() }
  }

  private func write() throws(RecordingError) {
    let isFirst = descriptor < 0
    if isFirst { descriptor = try StoredInput.unnamedFile(path) }
    let descriptor = descriptor
    guard bytes.withUnsafeBytes({ SystemCall.writeAll($0, to: descriptor) }) else {
      throw .noInput(
        path: path, reason: "cannot write to the temporary file: \(SystemCall.lastError())")
    }
    spooled += bytes.count
    // What is pending from now on is shorter.
    bytes.removeAll(keepingCapacity: !isFirst)
  }

  /// Returns the text as an input and ends it; `origin` is the file from which the text was made.
  func input(_ origin: TextOrigin) throws(RecordingError) -> StoredInput {
    guard descriptor >= 0 else { return StoredInput(path: path, bytes: bytes, origin: origin) }
    try write()
    let file = descriptor
    descriptor = -1
    return StoredInput(path: path, spool: file, byteCount: spooled, origin: origin)
  }
}
