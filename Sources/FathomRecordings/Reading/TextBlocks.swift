import Foundation

/// The text of an input in blocks: decompressed, without byte order mark, each beginning with a line.
///
/// Whoever scans a block says how much of it he took; the next begins with the rest. Memory is that of a
/// block, however long the text; a line longer than that makes the block grow.
struct TextBlocks {
  /// The block at hand.
  private(set) var block: [UInt8] = []
  private var text: InflatedText
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
    text = try InflatedText(input)
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
    fileprivate var text: InflatedText
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
