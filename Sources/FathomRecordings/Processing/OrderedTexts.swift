/// Texts of results on their way to their files, which they reach in the order of their stretches.
///
/// There are two of each stretch, its positions and its distances, in whatever order they come.
struct OrderedTexts {
  /// What is there of the stretches that are not written, by their numbers.
  private var waiting: [Int: [ResultText]] = [:]
  /// Stretches that were begun.
  private var begun = 0
  /// Stretches that were written.
  private var written = 0
  /// Positions in the texts written that no track has since they are not complete.
  private(set) var omitted = 0
  /// Where memory for texts is taken from.
  let spares = SpareTexts()

  /// Begins the texts of the next stretch.
  ///
  /// - Returns: Its number.
  mutating func begin() -> Int {
    defer { begun += 1 }
    return begun
  }

  /// Takes one of the texts of the stretch with that number.
  mutating func add(_ text: ResultText, of stretch: Int) {
    waiting[stretch, default: []].append(text)
  }

  /// Stretches that were begun and of which a text is missing.
  var unfinished: Int { begun - written - waiting.values.count { $0.count == 2 } }

  /// Writes those whose turn it is.
  ///
  /// - Parameter output: where they go.
  /// - Throws: what `output` throws.
  mutating func write(to output: some ResultOutput) throws(RecordingError) {
    while waiting[written]?.count == 2 {
      for text in waiting.removeValue(forKey: written) ?? [] {
        try text.write(to: output)
        omitted += text.tracks.omitted
        spares.give(text)
      }
      written += 1
    }
  }
}

/// Texts that were written and whose memory waits to be used again.
///
/// They go from the task that writes to the one that puts results into words, which is another one: what
/// a closure holds on to could not be written over without a copy.
final class SpareTexts: Sendable {
  private let texts = Locked<[ResultText]>([])

  /// Takes an empty text.
  func take() -> ResultText { texts.withLock { $0.popLast() } ?? ResultText() }

  /// Gives a text that is needed no more.
  func give(_ text: consuming ResultText) {
    text.removeAll()
    let text = text
    texts.withLock { $0.append(text) }
  }
}
