import Foundation

/// The text of an input in blocks: decompressed, without byte order mark, each beginning with a line.
///
/// Whoever scans a block says how much of it he took; the next begins with the rest. Memory is that of a
/// block, however long the text; a line longer than that makes the block grow.
struct TextBlocks {
  /// The block at hand.
  private(set) var block: [UInt8] = []
  private var text: DecompressedText
  private var blockSize: Int
  /// Memory of a block that was taken.
  private var spare: [UInt8] = []

  /// The path as given; `-` is standard input.
  var path: String { text.path }
  /// Whether the text ends with the block at hand.
  var isLast: Bool { text.isEnd }
  /// Bytes of the input taken in so far.
  var storedCount: Int { text.storedCount }
  /// Their check sum.
  var storedHash: ContentHash { text.storedHash }

  /// Bytes of a block: with its rows, and with the results that are written eight times as long, it stays
  /// in the cache of a core.
  static let usualSize = 1 << 17

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
    text = try DecompressedText(input)
    self.blockSize = max(16, blockSize)
    // The kind of the text shows in its beginning, which must not depend on the size of blocks.
    try text.append(to: &block, upTo: max(self.blockSize, ByteSource.headCount))
    if let reason = ByteSource.reasonNotText(block) {
      throw .badData(path: path, line: nil, reason: reason)
    }
    if block.starts(with: [0xEF, 0xBB, 0xBF]) { block.removeFirst(3) }
  }

  /// Moves on: the next block begins with what of this one stands behind `taken` bytes.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the input cannot be read on;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip, and where a line is longer than
  ///   ``longestLine``.
  mutating func advance(taking taken: Int) throws(RecordingError) {
    if taken == 0 { try grow() }
    block.removeFirst(taken)
    try text.append(to: &block, upTo: blockSize)
  }

  /// Makes room, where not one line fits.
  private mutating func grow() throws(RecordingError) {
    guard block.count < Self.longestLine else {
      throw .badData(
        path: path, line: nil, reason: "a line is longer than \(Self.longestLine >> 20) MiB")
    }
    blockSize = max(blockSize, 2 * block.count)
  }

  // MARK: Reading ahead

  /// The block after the one at hand, which can be read while that is scanned.
  struct Ahead {
    fileprivate var text: DecompressedText
    fileprivate var block: [UInt8]
    fileprivate let previous: [UInt8]
    fileprivate let taken: Int
    fileprivate let blockSize: Int
    fileprivate var failure: RecordingError?

    /// Reads the block.
    mutating func read() {
      block.append(contentsOf: previous[taken...])
      do throws(RecordingError) {
        try text.append(to: &block, upTo: blockSize)
      } catch {
        failure = error
      }
    }
  }

  /// What reads the block that follows if `taken` bytes of the one at hand will be taken, more than none.
  mutating func ahead(taking taken: Int) -> Ahead {
    spare.removeAll(keepingCapacity: true)
    let memory = spare
    spare = []
    return Ahead(text: text, block: memory, previous: block, taken: taken, blockSize: blockSize)
  }

  /// Moves on to what was read ahead: but the next block begins behind `taken` bytes of this one, which
  /// may be fewer than expected.
  ///
  /// - Throws: as ``advance(taking:)``.
  mutating func advance(taking taken: Int, to ahead: consuming Ahead) throws(RecordingError) {
    if taken == 0 { try grow() }
    if let failure = ahead.failure { throw failure }
    text = ahead.text
    let missing = block[taken..<max(taken, ahead.taken)]
    if missing.isEmpty {
      spare = block
      block = ahead.block
    } else {
      block = missing + ahead.block
    }
    block.removeFirst(max(0, taken - ahead.taken))
  }
}

/// The text of an input from its beginning to its end: decompressed, with the check sum of what is stored.
struct DecompressedText {
  /// The path as given; `-` is standard input.
  let path: String
  /// Whether all of the text has been given out.
  private(set) var isEnd = false
  /// Bytes of the input taken in so far.
  private(set) var storedCount = 0
  /// Their check sum.
  private(set) var storedHash = ContentHash()

  private let input: StoredInput
  private let inflater: Inflater?
  /// Compressed bytes that were read, and how many of them are inflated.
  private var compressed: [UInt8] = []
  private var inflated = 0
  /// Bytes of text inflated so far.
  private var inflatedCount = 0

  /// The text of `input`, of which nothing is read yet; gzip is recognised by content.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where it cannot be read.
  init(_ input: StoredInput) throws(RecordingError) {
    self.input = input
    path = input.path
    var magic = [UInt8](repeating: 0, count: 2)
    let count = try Self.read(input, at: 0, into: &magic)
    inflater = count == 2 && Gzip.isCompressed(magic) ? try Self.inflater(path) : nil
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

  /// Appends text to `block` until it has `size` bytes or the text ends.
  ///
  /// - Throws: ``RecordingError/noInput(path:reason:)`` where the input cannot be read on;
  ///   ``RecordingError/badData(path:line:reason:)`` for damaged gzip.
  mutating func append(to block: inout [UInt8], upTo size: Int) throws(RecordingError) {
    while block.count < size, !isEnd {
      if let inflater {
        try inflate(with: inflater, size - block.count, to: &block)
      } else {
        let begin = block.count
        // No more memory than the input will fill; a byte behind its end shows that it has ended.
        let left = max(1 << 12, input.byteCount - storedCount + 1)
        let room = min(size - begin, left)
        let offset = storedCount
        try block.append(addingCapacity: room) { span throws(RecordingError) in
          try span.withUnsafeMutableBufferPointer { buffer, count throws(RecordingError) in
            count = try input.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
          }
        }
        let isEnd = block.count - begin < room
        try takeIn(block[begin...], isEnd: isEnd)
        self.isEnd = isEnd
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

  /// Appends about `room` bytes of inflated text to `block`.
  private mutating func inflate(
    with inflater: Inflater, _ room: Int, to block: inout [UInt8]
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
      self.isEnd = isEnd
      inflatedCount += block.count - before
      if let reason = Gzip.Limits.streamed.reason(inflatedCount, from: input.byteCount) {
        throw Gzip.Failure(reason: reason)
      }
    } catch {
      throw .badData(path: path, line: nil, reason: error.reason)
    }
  }
}
