import Fathom

/// A recording on its way from its file to its results, in memory that does not depend on its length.
///
/// It is looked through once (``RecordingSurvey``), then its ranges are read again, stretch by stretch, and
/// what comes of them is written at once. While the ranges of one stretch are processed, tag by tag side by
/// side, the next one is read and what came of the one before is put into words; nobody gets further ahead
/// than that. The results are those of ``Recording/processed(with:)``, byte for byte, whatever the number
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
    var omitted = 0
    let spares = SpareTexts()
    func write(_ text: consuming ResultText) throws(RecordingError) {
      try text.write(to: output)
      omitted += text.tracks.omitted
      spares.give(text)
    }

    var ranges = try survey.ranges(blockSize: blockSize)
    var cursor = Cursor()
    var next = try cursor.stretch(&ranges, outline)
    var done: ProcessedStretch?
    var texts: [ResultText] = []
    while let stretch = next {
      let (previous, ready) = (done, texts)
      // What the thread that reads and writes does meanwhile.
      func readAndWrite() -> Result<TimedStretch?, RecordingError> {
        do throws(RecordingError) {
          for text in ready { try write(text) }
          return .success(try cursor.stretch(&ranges, outline))
        } catch {
          return .failure(error)
        }
      }
      let following: Result<TimedStretch?, RecordingError>
      var processed: [PieceResults] = []
      if width == 1 {
        texts =
          previous.map {
            [wording.textOfPositions($0, from: spares), wording.textOfDistances($0, from: spares)]
          } ?? []
        following = readAndWrite()
        processed = pieces.map { $0.withLock { $0.process(stretch) } }
      } else {
        (processed, texts, following) = await withTaskGroup(
          of: Product.self,
          returning: ([PieceResults], [ResultText], Result<TimedStretch?, RecordingError>).self
        ) { group in
          // The longest first, so that threads have done at about the same time.
          for piece in pieces {
            group.addTask { .piece(piece.withLock { $0.process(stretch) }) }
          }
          if let previous {
            group.addTask { .text(wording.textOfPositions(previous, from: spares)) }
            group.addTask { .text(wording.textOfDistances(previous, from: spares)) }
          }
          let following = readAndWrite()
          var processed: [PieceResults] = []
          var texts: [ResultText] = []
          for await product in group {
            switch product {
            case .text(let text): texts.append(text)
            case .piece(let piece): processed.append(piece)
            }
          }
          return (processed, texts, following)
        }
      }
      done = gather(processed, stretch, &run)
      progress(stretch.ranges.count)
      next = try following.get()
    }
    if let source = ranges.source, source != outline.sources.first {
      throw .noInput(path: source.path, reason: "changed while it was read")
    }
    for text in texts { try write(text) }
    if let done {
      try write(wording.textOfPositions(done, from: spares))
      try write(wording.textOfDistances(done, from: spares))
    }
    run.lanes = pieces.flatMap { $0.withLock { $0.lanes } }
    run.finish()
    let rest = PositionsByTag(run.lanes.indices.map { run.lanes[$0].takePositions() })
    var counts = ResultCounts()
    for positions in rest.tags { counts.add([], positions) }
    let zones = run.take(counts, rest, [])
    var last = wording.text(of: rest)
    last.zones = wording.text(of: zones)
    try write(last)
    return (run.summarised(), omitted)
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
    case text(ResultText)
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
