/// Texts of results on their way to their files, which they reach in the order of their slices.
///
/// There are two of each slice, its positions and its distances, in whatever order they come.
struct OrderedResultQueue {
  /// What is there of the slices that are not written, by their numbers.
  private var waiting: [Int: [FormattedResults]] = [:]
  /// Stretches that were begun.
  private var begun = 0
  /// Stretches that were written.
  private var written = 0
  /// Positions in the texts written that no track has since they are not complete.
  private(set) var omitted = 0
  /// Where memory for texts is taken from.
  let buffers = ResultBufferPool()

  /// Begins the texts of the next slice.
  ///
  /// - Returns: Its number.
  mutating func begin() -> Int {
    defer { begun += 1 }
    return begun
  }

  /// Takes one of the texts of the slice with that number.
  mutating func add(_ text: FormattedResults, of slice: Int) {
    waiting[slice, default: []].append(text)
  }

  /// Stretches that were begun and cannot be written: a text of theirs, or of one before, is missing.
  var blocked: Int {
    let ready = (written..<begun).prefix { waiting[$0]?.count == 2 }
    return begun - ready.endIndex
  }

  /// Writes those whose turn it is.
  ///
  /// - Parameter output: where they go.
  /// - Throws: what `output` throws.
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

/// The memory of texts that were written, which waits to be used again.
///
/// It goes from the task that writes to the one that puts results into words, which is another one: what
/// a closure holds on to could not be written over without a copy. Tables of positions and of distances
/// are kept apart: one that had been both would have room for both.
final class ResultBufferPool: Sendable {
  private let positions = Locked<[CSVBuffer]>([])
  private let distances = Locked<[CSVBuffer]>([])

  /// An empty text for positions.
  func takeForPositions() -> FormattedResults {
    var text = FormattedResults()
    if let row = positions.withLock({ $0.popLast() }) { text.positions = row }
    return text
  }

  /// An empty text for distances.
  func takeForDistances() -> FormattedResults {
    var text = FormattedResults()
    if let row = distances.withLock({ $0.popLast() }) { text.distances = row }
    return text
  }

  /// Gives a text that is needed no more.
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
