import Foundation

/// The text of an input in blocks: decompressed and without byte order mark.
///
/// Each block begins at the start of a line.
///
/// The code that scans a block reports how many bytes it has processed; the next block begins with
/// the rest. Memory is that of one block, whatever the length of the text. A line longer than a
/// block makes the block grow.
struct TextBlocks {
  /// Current block.
  private(set) var block: [UInt8] = []
  private var text: DecompressedText
  private var blockSize: Int
  /// Memory of a processed block, for reuse.
  private var spare: [UInt8] = []

  /// Path as given; `-` is standard input.
  var path: String { text.path }
  /// Whether the text ends with the current block.
  var isLast: Bool { text.isEnd }
  /// Bytes of the input read so far, as stored.
  var storedCount: Int { text.storedCount }
  /// Checksum of the bytes read so far, as stored.
  var storedHash: ContentHash { text.storedHash }

  /// Bytes of a block: with its rows and its results, which are about eight times as long, it fits
  /// into the cache of a core.
  static let usualSize = 1 << 17

  /// Maximum length of a line, in bytes.
  static let longestLine = RecordingLimits.longestLine

  /// Reads the first block of `input`; detects gzip by content.
  ///
  /// `blockSize` is in bytes, at least 16; `isText` says whether the input must be text. Throws for
  /// damaged gzip, UTF-16 and binary data.
  init(
    _ input: StoredInput, blockSize: Int = usualSize, isText: Bool = true
  ) throws(RecordingError) {
    text = try DecompressedText(input)
    self.blockSize = max(16, blockSize)
    // Text is distinguished from binary data by a beginning of fixed length, independent of the
    // block size.
    try text.append(to: &block, upTo: max(self.blockSize, ByteSource.headCount))
    guard isText else { return }
    if let reason = ByteSource.reasonNotText(block) {
      throw .badData(path: path, line: nil, reason: reason)
    }
    if block.starts(with: [0xEF, 0xBB, 0xBF]) { block.removeFirst(3) }
  }

  /// Reads the next block, which begins with the current block's bytes from `taken` on.
  ///
  /// Damaged gzip and a line longer than ``longestLine`` are errors.
  mutating func advance(taking taken: Int) throws(RecordingError) {
    if taken == 0 { try grow() }
    block.removeFirst(taken)
    try text.append(to: &block, upTo: blockSize)
  }

  /// Enlarges the block, which does not hold one complete line.
  private mutating func grow() throws(RecordingError) {
    guard block.count < Self.longestLine else {
      throw .badData(
        path: path, line: nil, reason: "a line is longer than \(Self.longestLine >> 20) MiB")
    }
    blockSize = max(blockSize, 2 * block.count)
  }

  // MARK: Reading ahead

  /// The block after the current one, which can be read while the current one is scanned.
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

  /// Returns a reader of the next block for the case that `taken` bytes of the current one, at
  /// least one, will be processed.
  mutating func ahead(taking taken: Int) -> Ahead {
    spare.removeAll(keepingCapacity: true)
    let memory = spare
    spare = []
    return Ahead(text: text, block: memory, previous: block, taken: taken, blockSize: blockSize)
  }

  /// Moves on to the block that was read ahead; it begins after `taken` bytes of the current block,
  /// which may be fewer than expected.
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

/// A stream of the decompressed text of an input, with the checksum of the stored bytes.
struct DecompressedText {
  /// Path as given; `-` is standard input.
  let path: String
  /// Whether all of the text has been returned.
  private(set) var isEnd = false
  /// Bytes of the input read so far, as stored.
  private(set) var storedCount = 0
  /// Checksum of the bytes read so far, as stored.
  private(set) var storedHash = ContentHash()

  private let input: StoredInput
  private let inflater: Inflater?
  /// Compressed bytes read, and how many of them have been inflated.
  private var compressed: [UInt8] = []
  private var inflated = 0
  /// Bytes of text inflated so far.
  private var inflatedCount = 0

  /// Creates a stream at the beginning of `input`; detects gzip by content.
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

  /// Overwrites `bytes` from index `begin` on; returns the number of bytes read.
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
  mutating func append(to block: inout [UInt8], upTo size: Int) throws(RecordingError) {
    while block.count < size, !isEnd {
      if let inflater {
        try inflate(with: inflater, size - block.count, to: &block)
      } else {
        let begin = block.count
        // Not more memory than the input fills; one byte more, so that the end is detected.
        let left = max(1 << 12, input.byteCount - storedCount + 1)
        let capacity = min(size - begin, left)
        let offset = storedCount
        try block.append(addingCapacity: capacity) { span throws(RecordingError) in
          try span.withUnsafeMutableBufferPointer { buffer, count throws(RecordingError) in
            count = try input.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
          }
        }
        let isEnd = block.count - begin < capacity
        try record(block[begin...], isEnd: isEnd)
        self.isEnd = isEnd
      }
    }
  }

  /// Counts and hashes `bytes` of the input, its last if `isEnd`; throws when the file has been
  /// truncated.
  private mutating func record(
    _ bytes: ArraySlice<UInt8>, isEnd: Bool
  ) throws(RecordingError) {
    bytes.withUnsafeBytes { storedHash.update($0) }
    storedCount += bytes.count
    if isEnd { try input.checkWhole(storedCount) }
  }

  /// Appends up to `count` bytes of inflated text to `block`.
  private mutating func inflate(
    with inflater: Inflater, _ count: Int, to block: inout [UInt8]
  ) throws(RecordingError) {
    if inflated == compressed.count {
      let capacity = 1 << 16
      compressed = [UInt8](repeating: 0, count: capacity)
      let readCount = try Self.read(input, at: storedCount, into: &compressed)
      compressed.removeLast(capacity - readCount)
      try record(compressed[...], isEnd: readCount < capacity)
      inflated = 0
    }
    do throws(Gzip.Failure) {
      let isEnd = compressed.isEmpty
      let before = block.count
      try inflater.inflate(
        compressed, from: &inflated, isEnd: isEnd, upTo: count, into: &block)
      self.isEnd = isEnd
      inflatedCount += block.count - before
      // What is still to come compresses as well: it would be held in memory before it is refused.
      let used = storedCount - compressed.count + inflated
      if let reason = Gzip.Limits.streamed.reason(inflatedCount, from: used) {
        throw Gzip.Failure(reason: reason)
      }
    } catch {
      throw .badData(path: path, line: nil, reason: error.reason)
    }
  }
}
