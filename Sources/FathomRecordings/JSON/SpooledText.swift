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

  /// Appends `more`.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when the temporary file cannot be written.
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

  /// Returns the text as an input and ends it.
  ///
  /// - Parameter origin: the file from which the text was made.
  /// - Returns: The input.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when the temporary file cannot be written.
  func input(_ origin: TextOrigin) throws(RecordingError) -> StoredInput {
    guard descriptor >= 0 else { return StoredInput(path: path, bytes: bytes, origin: origin) }
    try write()
    let file = descriptor
    descriptor = -1
    return StoredInput(path: path, spool: file, byteCount: spooled, origin: origin)
  }
}

extension SpooledText {
  /// Returns a text made from `input` block by block, as an input whose lines are those of the file.
  ///
  /// - Parameters:
  ///   - input: the file.
  ///   - hasPairs: whether it has pairs of a key and a value; JSON otherwise.
  ///   - transform: returns the text made from the beginning of a block, and the number of bytes used,
  ///     which are all in the last block.
  /// - Returns: The input.
  /// - Throws: ``RecordingError`` when the file cannot be read, or a temporary file not be written.
  static func transformed(
    _ input: StoredInput, hasPairs: Bool = false,
    _ transform: (_ block: [UInt8], _ isLast: Bool) -> (text: [UInt8], end: Int)
  ) throws(RecordingError) -> StoredInput {
    let spool = SpooledText(path: input.path)
    var text = try TextBlocks(input, blockSize: JSONTables.blockSize)
    while true {
      let made = transform(text.block, text.isLast)
      try spool.append(made.text)
      if text.isLast { break }
      try text.advance(taking: made.end)
    }
    let file = SourceFile(path: input.path, bytes: text.storedCount, xxh3: text.storedHash.text)
    return try spool.input(TextOrigin(file: file, lines: LineMap(), hasPairs: hasPairs))
  }
}
