import Fathom

/// A recording on its way from its file to its results, in memory that does not depend on its length.
///
/// It is looked through once (``RecordingSurvey``), then its ranges are read again, stretch by stretch, and
/// what comes of them is written at once. On several threads, while the ranges of one stretch are processed,
/// tag by tag side by side, the next one is read and what came of the two before is put into words and
/// written; nobody gets further ahead than that. The results are those of ``Recording/processed(with:)``, byte for byte, whatever the number
/// of threads and the size of the stretches.
///
/// Only for what goes forward in time: the method `filter`, and recordings without anchors.
struct RecordingStream {
  private let survey: RecordingSurvey
  private let settings: ProcessingSettings
  private let width: Int
  private let blockSize: Int
  private let formats: Set<ResultFormat>

  /// The stream of the recording that `survey` has looked through.
  ///
  /// - Parameters:
  ///   - survey: what was found.
  ///   - settings: how it is processed.
  ///   - width: on how many threads, at least 1.
  ///   - formats: in which forms it is written.
  ///   - blockSize: bytes of the ranges file that are looked at in one go.
  init(
    _ survey: RecordingSurvey, settings: ProcessingSettings, width: Int,
    formats: Set<ResultFormat> = [.csv], blockSize: Int = TextBlocks.usualSize
  ) {
    self.formats = formats
    self.survey = survey
    var settings = settings
    settings.complete(from: survey.outline)
    self.settings = settings
    self.width = width
    self.blockSize = blockSize
  }

  /// Whether the results of a recording with or without anchors can be streamed.
  static func suits(_ settings: ProcessingSettings, hasAnchors: Bool) -> Bool {
    settings.method == .filter || !hasAnchors
  }

  /// Processes the recording and writes its positions and distances.
  ///
  /// - Parameters:
  ///   - output: where the text goes.
  ///   - progress: called with the rows done since.
  /// - Returns: The summary, and the positions that no track has since they are not complete.
  /// - Throws: ``RecordingError`` where the file cannot be read again, has changed since it was looked
  ///   through, or the results cannot be written.
  func run(
    into output: some ResultOutput, progress: (Int) -> Void = { _ in }
  ) async throws(RecordingError) -> (summary: RecordingSummary, omitted: Int) {
    let outline = survey.outline
    var run = await prepared()
    let pieces = pieces(of: &run.lanes)
    let wording = ResultWording(outline, settings, formats: formats)
    try wording.headers.write(to: output)
    var ranges = try survey.ranges(blockSize: blockSize)
    var cursor = Cursor()
    var texts = OrderedTexts()
    if width == 1 {
      while let stretch = try cursor.stretch(&ranges, outline) {
        let done = gather(pieces.map { $0.withLock { $0.process(stretch) } }, stretch, &run)
        let number = texts.begin()
        texts.add(wording.textOfPositions(done, from: texts.spares), of: number)
        texts.add(wording.textOfDistances(done, from: texts.spares), of: number)
        try texts.write(to: output)
        progress(stretch.ranges.count)
      }
    } else {
      let result = await withTaskGroup(
        of: Product.self, returning: Result<Void, RecordingError>.self
      ) { group in
        func begin(_ done: ProcessedStretch) {
          let (number, spares) = (texts.begin(), texts.spares)
          group.addTask { .text(wording.textOfPositions(done, from: spares), of: number) }
          group.addTask { .text(wording.textOfDistances(done, from: spares), of: number) }
        }
        do throws(RecordingError) {
          var next = try cursor.stretch(&ranges, outline)
          var done: ProcessedStretch?
          while let stretch = next {
            for piece in pieces {
              group.addTask { .piece(piece.withLock { $0.process(stretch) }) }
            }
            if let done { begin(done) }
            // What this thread does meanwhile.
            try texts.write(to: output)
            next = try cursor.stretch(&ranges, outline)
            var processed: [PieceResults] = []
            // Texts of one stretch may be late: they are what threads do that would wait for the others.
            while processed.count < pieces.count || texts.unfinished > 1,
              let product = await group.next()
            {
              switch product {
              case .text(let text, let number): texts.add(text, of: number)
              case .piece(let piece): processed.append(piece)
              }
            }
            done = gather(processed, stretch, &run)
            progress(stretch.ranges.count)
          }
          if let done { begin(done) }
          for await case .text(let text, let number) in group { texts.add(text, of: number) }
          return .success(try texts.write(to: output))
        } catch {
          return .failure(error)
        }
      }
      try result.get()
    }
    if let source = ranges.source, source != outline.sources.first {
      throw .noInput(path: source.path, reason: "changed while it was read")
    }
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

  /// The lanes, each calibrated on the beginning of its ranges.
  private func prepared() async -> ProcessingRun {
    let outline = survey.outline
    var run = ProcessingRun(outline, settings, lanes: [])
    run.lanes = await withTaskGroup(of: (Int, any TagLane).self) { group in
      var lanes = [(any TagLane)?](repeating: nil, count: outline.tagNames.count)
      var next = 0
      func start() {
        guard next < lanes.count else { return }
        let tag = next
        next += 1
        group.addTask { [survey, settings] in
          let stretch = survey.stretches.indices.contains(tag) ? survey.stretches[tag].ranges : []
          return (tag, ProcessingRun.lane(tag: tag, of: outline, settings, stretch: stretch))
        }
      }
      for _ in 0..<width { start() }
      while let (tag, lane) = await group.next() {
        lanes[tag] = lane
        start()
      }
      return lanes.compactMap { $0 }
    }
    return run
  }

  // MARK: One stretch

  /// What a task of a stretch gives back.
  private enum Product: Sendable {
    case text(ResultText, of: Int)
    case piece(PieceResults)
  }

  /// Some lanes, on one thread at a time.
  ///
  /// They stay where they are from the first stretch to the last: a lane that is in two places is copied
  /// when it changes, with all that its links remember.
  private struct LanePiece: Sendable {
    let tags: Range<Int>
    var lanes: [any TagLane]

    mutating func process(_ stretch: TimedStretch) -> PieceResults {
      var piece = PieceResults(first: tags.lowerBound)
      for (index, tag) in tags.enumerated() {
        let results = lanes[index].process(stretch, at: stretch.places[tag])
        let positions = lanes[index].takePositions()
        piece.counts.add(results, positions)
        piece.results.append(results)
        piece.positions.append(positions)
        piece.events += lanes[index].takeZoneEvents()
      }
      return piece
    }
  }

  /// What came of the ranges of some tags in a stretch.
  private struct PieceResults: Sendable {
    var first: Int
    var results: [[ProcessedRange]] = []
    var positions: [[PositionRow]] = []
    var counts = ResultCounts()
    var events: [LinkZoneEvent] = []
  }

  /// The lanes, which are then here no longer, in as many pieces as keep all threads busy.
  private func pieces(of lanes: inout [any TagLane]) -> [Locked<LanePiece>] {
    let count = width == 1 ? 1 : min(lanes.count, 4 * width)
    defer { lanes = [] }
    return (0..<count).map { piece in
      let tags = lanes.count * piece / count..<lanes.count * (piece + 1) / count
      return Locked(LanePiece(tags: tags, lanes: Array(lanes[tags])))
    }
  }

  /// The results of `pieces` of `stretch` in the order of the tags; `run` takes note of them.
  private func gather(
    _ pieces: [PieceResults], _ stretch: TimedStretch, _ run: inout ProcessingRun
  ) -> ProcessedStretch {
    let pieces = pieces.sorted { $0.first < $1.first }
    var counts = ResultCounts()
    for piece in pieces { counts.add(piece.counts) }
    let positions = PositionsByTag(pieces.flatMap(\.positions))
    return ProcessedStretch(
      stretch: stretch, results: pieces.flatMap(\.results), positions: positions,
      zones: run.take(counts, positions, pieces.flatMap(\.events)))
  }

  /// Divides a recording into stretches.
  private struct Cursor {
    private var nextEvent = 0
    private var ordinal = 0
    private var isDone = false

    /// The stretch that follows; nil after the last.
    mutating func stretch(
      _ ranges: inout RangesInOrder, _ outline: RecordingOutline
    ) throws(RecordingError) -> TimedStretch? {
      if isDone { return nil }
      let columns = try ranges.next()
      isDone = columns == nil
      let timeline = Timeline(
        columns?.time ?? [], events: outline.events, next: &nextEvent, isLast: isDone)
      defer { ordinal += timeline.entries.count }
      let last = columns?.time.last ?? outline.last ?? Timestamp(nanoseconds: 0)
      return TimedStretch(
        ranges: columns ?? RangeColumns(), events: outline.events, entries: timeline.entries,
        tagCount: outline.tagNames.count, ordinal: ordinal, watermark: last)
    }
  }
}
