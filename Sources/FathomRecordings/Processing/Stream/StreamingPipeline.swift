/// Stretches of a recording on their way through its lanes, into words, and to the files.
///
/// On one thread, one after the other: what came of a stretch is still in the cache when it is written. On
/// several threads, while the ranges of one stretch are processed, tag by tag side by side, the next one is
/// read and what came of the three before is put into words and written; nobody gets further ahead than
/// that.
struct StretchFlow<Output: ResultOutput> {
  private var stretches: StretchCursor
  /// Without its lanes, which are in ``pieces``.
  private var run: ProcessingRun
  private let pieces: [Locked<LanePiece>]
  private let isAlone: Bool
  private let wording: ResultWording
  private let output: Output
  private var texts = OrderedTexts()

  /// The flow of `stretches` through the lanes of `run` to `output`, on `width` threads, at least one.
  init(
    _ stretches: StretchCursor, through run: ProcessingRun, width: Int, wording: ResultWording,
    to output: Output
  ) {
    self.stretches = stretches
    self.run = run
    pieces = LanePiece.pieces(of: run.lanes, width: width)
    self.run.lanes = []
    isAlone = width == 1
    self.wording = wording
    self.output = output
  }

  /// The file with the check sum of what was taken in so far; nil where no file is read.
  var source: SourceFile? { stretches.source }

  /// Lets all stretches through.
  ///
  /// - Parameter progress: called with the ranges done since.
  /// - Throws: ``RecordingError`` where the file cannot be read, or the results cannot be written.
  mutating func goOn(progress: (Int) -> Void) async throws(RecordingError) {
    if !isAlone { return try await goOnSideBySide(progress: progress) }
    while let stretch = try stretches.next() {
      let done = gather(pieces.map { $0.withLock { $0.process(stretch) } }, stretch)
      let number = texts.begin()
      texts.add(wording.textOfPositions(done, from: texts.spares), of: number)
      texts.add(wording.textOfDistances(done, from: texts.spares), of: number)
      try texts.write(to: output)
      progress(stretch.ranges.count)
    }
  }

  private mutating func goOnSideBySide(
    progress: (Int) -> Void
  ) async throws(RecordingError) {
    let result = await withTaskGroup(
      of: Product.self, returning: Result<Void, RecordingError>.self
    ) { group in
      do throws(RecordingError) {
        var next = try stretches.next()
        var done: ProcessedStretch?
        while let stretch = next {
          for piece in pieces {
            group.addTask { .piece(piece.withLock { $0.process(stretch) }) }
          }
          if let done { beginTexts(of: done, in: &group) }
          // What this thread does meanwhile.
          try texts.write(to: output)
          next = try stretches.next()
          var processed: [LanePiece.Results] = []
          // Texts may be late, being what threads do that would wait for the others; but where one is very
          // late, those that wait for it would fill the memory.
          while processed.count < pieces.count || texts.blocked > 2,
            let product = await group.next()
          {
            switch product {
            case .text(let text, let number): texts.add(text, of: number)
            case .piece(let piece): processed.append(piece)
            }
          }
          done = gather(processed, stretch)
          progress(stretch.ranges.count)
        }
        if let done { beginTexts(of: done, in: &group) }
        for await case .text(let text, let number) in group { texts.add(text, of: number) }
        return .success(try texts.write(to: output))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private mutating func beginTexts(
    of done: ProcessedStretch, in group: inout TaskGroup<Product>
  ) {
    let (number, wording, spares) = (texts.begin(), wording, texts.spares)
    group.addTask { .text(wording.textOfPositions(done, from: spares), of: number) }
    group.addTask { .text(wording.textOfDistances(done, from: spares), of: number) }
  }

  /// The results of all pieces of `stretch` in the order of the tags; the run takes note of them.
  private mutating func gather(
    _ pieces: [LanePiece.Results], _ stretch: TimedStretch
  ) -> ProcessedStretch {
    let pieces = pieces.sorted { $0.first < $1.first }
    var counts = ResultCounts()
    for piece in pieces { counts.add(piece.counts) }
    let positions = PositionsByTag(pieces.flatMap(\.positions))
    return ProcessedStretch(
      stretch: stretch, results: pieces.flatMap(\.ranges), positions: positions,
      zones: run.take(counts, positions, pieces.flatMap(\.events)))
  }

  /// Writes what is still due; call once, after the last stretch.
  ///
  /// - Returns: The summary, and the positions that no track has since they are not complete.
  /// - Throws: ``RecordingError`` where the results cannot be written.
  mutating func finish() throws(RecordingError) -> (summary: RecordingSummary, omitted: Int) {
    run.lanes = pieces.flatMap { $0.withLock { $0.lanes } }
    run.finish()
    let rest = PositionsByTag(run.lanes.indices.map { run.lanes[$0].takePositions() })
    var counts = ResultCounts()
    for positions in rest.tags { counts.add([], positions) }
    let zones = run.take(counts, rest, [])
    var last = wording.text(of: rest)
    last.zones = wording.text(of: zones)
    try last.write(to: output)
    return (run.summarised(), texts.omitted + last.tracks.omitted)
  }
}

/// What a task of a flow gives back.
private enum Product: Sendable {
  case text(ResultText, of: Int)
  case piece(LanePiece.Results)
}

/// Some lanes of a recording, on one thread at a time.
///
/// They stay where they are from the first stretch to the last: a lane that is in two places is copied
/// when it changes, with all that its links remember.
struct LanePiece: Sendable {
  private let tags: Range<Int>
  private(set) var lanes: [any TagLane]

  /// What came of the ranges of some tags in a stretch.
  struct Results: Sendable {
    /// The first of the tags.
    var first: Int
    /// Tag by tag.
    var ranges: [[ProcessedRange]] = []
    var positions: [[PositionRow]] = []
    var counts = ResultCounts()
    /// The zones that links have entered and left.
    var events: [LinkZoneEvent] = []
  }

  /// The lanes of all tags in as many pieces as keep `width` threads busy.
  static func pieces(of lanes: [any TagLane], width: Int) -> [Locked<LanePiece>] {
    let count = width == 1 ? 1 : min(lanes.count, 4 * width)
    return (0..<count).map { piece in
      let tags = lanes.count * piece / count..<lanes.count * (piece + 1) / count
      return Locked(LanePiece(tags: tags, lanes: Array(lanes[tags])))
    }
  }

  /// Takes in the entries of `stretch` that are about these tags.
  mutating func process(_ stretch: TimedStretch) -> Results {
    var results = Results(first: tags.lowerBound)
    for (index, tag) in tags.enumerated() {
      let ranges = lanes[index].process(stretch, at: stretch.places[tag])
      let positions = lanes[index].takePositions()
      results.counts.add(ranges, positions)
      results.ranges.append(ranges)
      results.positions.append(positions)
      results.events += lanes[index].takeZoneEvents()
    }
    return results
  }
}
