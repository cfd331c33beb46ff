/// A queue that writes the texts of slices to their files in the order of the slices.
///
/// Each slice has two texts, its positions and its distances, which may arrive in any order.
struct OrderedResultQueue {
  /// The texts that have arrived of slices not yet written, by slice number.
  private var waiting: [Int: [FormattedResults]] = [:]
  /// Number of slices begun.
  private var begun = 0
  /// Number of slices written.
  private var written = 0
  /// Number of positions in the written texts that were omitted from the tracks because they are
  /// incomplete.
  private(set) var omitted = 0
  /// The pool that provides the memory of texts.
  let buffers = ResultBufferPool()

  /// Registers the next slice, and returns its number.
  mutating func begin() -> Int {
    defer { begun += 1 }
    return begun
  }

  /// Adds one of the two texts of the slice with the given number.
  mutating func add(_ text: FormattedResults, of slice: Int) {
    waiting[slice, default: []].append(text)
  }

  /// Number of slices that cannot be written yet, because a text of theirs or of an earlier slice
  /// is missing.
  var blocked: Int {
    let ready = (written..<begun).prefix { waiting[$0]?.count == 2 }
    return begun - ready.endIndex
  }

  /// Writes the texts of all slices that are complete and next in order.
  mutating func write(to output: some ResultOutput) throws(RecordingError) {
    while waiting[written]?.count == 2 {
      for text in waiting.removeValue(forKey: written) ?? [] {
        try text.write(to: output)
        omitted += text.tracks.omitted
        buffers.give(text)
      }
      written += 1
    }
  }
}

/// A pool that recycles the memory of texts after they are written.
///
/// The task that writes returns buffers, and the tasks that format take them. Buffers are passed
/// through the pool because a buffer captured by a closure could not be overwritten without a copy.
/// Buffers of positions and of distances are kept apart, so that each keeps the capacity that its
/// table needs.
final class ResultBufferPool: Sendable {
  private let positions = Locked<[CSVBuffer]>([])
  private let distances = Locked<[CSVBuffer]>([])

  /// Returns an empty text for positions.
  func textForPositions() -> FormattedResults {
    var text = FormattedResults()
    if let row = positions.withLock({ $0.popLast() }) { text.positions = row }
    return text
  }

  /// Returns an empty text for distances.
  func textForDistances() -> FormattedResults {
    var text = FormattedResults()
    if let row = distances.withLock({ $0.popLast() }) { text.distances = row }
    return text
  }

  /// Returns the memory of a text to the pool.
  func give(_ text: consuming FormattedResults) {
    keep(&text.positions, in: positions)
    keep(&text.distances, in: distances)
  }

  private func keep(_ row: inout CSVBuffer, in rows: Locked<[CSVBuffer]>) {
    if row.isEmpty { return }
    var empty = CSVBuffer(rows: 0, of: 0)
    swap(&empty, &row)
    empty.removeAll()
    let spare = empty
    rows.withLock { $0.append(spare) }
  }
}
