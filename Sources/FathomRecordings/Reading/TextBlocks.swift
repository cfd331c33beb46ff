import Foundation

/// The text of an input in blocks: decompressed, without byte order mark, each beginning with a line.
///
/// Whoever scans a block says how much of it he took; the next begins with the rest. Memory is that of a
/// block, however long the text; a line longer than that makes the block grow.
struct TextBlocks {
  /// The path as given; `-` is standard input.
  let path: String
  /// The block at hand.
  private(set) var block: [UInt8] = []
  /// Whether the text ends with the block at hand.
  private(set) var isLast = false
  /// Bytes of the input taken in so far.
  private(set) var storedCount = 0
  /// Their check sum.
  private(set) var storedHash = ContentHash()

  private let input: StoredInput
  private let inflater: Inflater?
  private var blockSize: Int
  /// Compressed bytes that were read, and how many of them are inflated.
  private var compressed: [UInt8] = []
  private var inflated = 0
  /// Bytes of text inflated so far.
  private var inflatedCount = 0

  /// Bytes of a block: it stays in the cache of a core.
  static let usualSize = 1 << 19

  /// The longest line that is read, bytes.
  static let longestLine = RecordingLimits.longestLine

  /// The first block of `input`; gzip is recognised by content.
  ///
  /// - Parameters:
  ///   - input: what is read.
  ///   - blockSize: bytes of a block, at least 16.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where it cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip, UTF-16 and binary data.
  init(_ input: StoredInput, blockSize: Int = usualSize) throws(RecordingError) {
    self.input = input
    self.blockSize = max(16, blockSize)
    path = input.path
    var magic = [UInt8](repeating: 0, count: 2)
    let count = try Self.read(input, at: 0, into: &magic)
    inflater = count == 2 && Gzip.isCompressed(magic) ? try Self.inflater(path) : nil
    // The kind of the text shows in its beginning, which must not depend on the size of blocks.
    try fill(to: max(self.blockSize, ByteSource.headCount))
    if let reason = ByteSource.reasonNotText(block) {
      throw .badData(path: path, line: nil, reason: reason)
    }
    if block.starts(with: [0xEF, 0xBB, 0xBF]) { block.removeFirst(3) }
  }

  /// Moves on: the next block begins with what of this one stands behind `taken` bytes.
  ///
  /// - Throws: as ``init(_:blockSize:)``; also where a line is longer than ``longestLine``.
  mutating func advance(taking taken: Int) throws(RecordingError) {
    if taken == 0 {
      // Not one line fits.
      guard block.count < Self.longestLine else {
        throw .badData(
          path: path, line: nil,
          reason: "a line is longer than \(Self.longestLine >> 20) MiB")
      }
      blockSize = max(blockSize, 2 * block.count)
    }
    block.removeFirst(taken)
    try fill(to: blockSize)
  }

  private static func inflater(_ path: String) throws(RecordingError) -> Inflater {
    guard let inflater = Inflater() else {
      throw .badData(path: path, line: nil, reason: "zlib cannot start")
    }
    return inflater
  }

  /// Overwrites `bytes` from place `begin` on; returns how many of them.
  private static func read(
    _ input: StoredInput, at offset: Int, into bytes: inout [UInt8], from begin: Int = 0
  ) throws(RecordingError) -> Int {
    var result: Result<Int, RecordingError> = .success(0)
    bytes.withUnsafeMutableBytes { buffer in
      do throws(RecordingError) {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[begin...])
        result = .success(try input.read(into: part, at: offset))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  /// Appends text to the block until it has `size` bytes or the text ends.
  private mutating func fill(to size: Int) throws(RecordingError) {
    while block.count < size, !isLast {
      if let inflater {
        try inflate(with: inflater, size - block.count)
      } else {
        let begin = block.count
        let room = size - begin
        block.append(contentsOf: repeatElement(0, count: room))
        let count = try Self.read(input, at: storedCount, into: &block, from: begin)
        block.removeLast(room - count)
        try takeIn(block[begin...], isEnd: count < room)
        isLast = count < room
      }
    }
  }

  /// Counts `bytes` of the input, which may be its last.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the file has become shorter.
  private mutating func takeIn(
    _ bytes: ArraySlice<UInt8>, isEnd: Bool
  ) throws(RecordingError) {
    bytes.withUnsafeBytes { storedHash.update($0) }
    storedCount += bytes.count
    if isEnd { try input.checkWhole(storedCount) }
  }

  /// Appends about `room` bytes of inflated text.
  private mutating func inflate(
    with inflater: Inflater, _ room: Int
  ) throws(RecordingError) {
    if inflated == compressed.count {
      let capacity = 1 << 16
      compressed = [UInt8](repeating: 0, count: capacity)
      let count = try Self.read(input, at: storedCount, into: &compressed)
      compressed.removeLast(capacity - count)
      try takeIn(compressed[...], isEnd: count < capacity)
      inflated = 0
    }
    do throws(Gzip.Failure) {
      let isEnd = compressed.isEmpty
      let before = block.count
      try inflater.inflate(
        compressed, from: &inflated, isEnd: isEnd, upTo: room, into: &block)
      isLast = isEnd
      inflatedCount += block.count - before
      if let reason = Gzip.Limits.streamed.reason(inflatedCount, from: input.byteCount) {
        throw Gzip.Failure(reason: reason)
      }
    } catch {
      throw .badData(path: path, line: nil, reason: error.reason)
    }
  }
}
