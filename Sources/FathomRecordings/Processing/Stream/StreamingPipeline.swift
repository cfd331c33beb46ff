/// Stretches of a recording on their way through its pipelines, into words, and to the files.
///
/// On one thread, one after the other: what came of a stretch is still in the cache when it is written. On
/// several threads, while the ranges of one stretch are processed, tag by tag side by side, the next one is
/// read and what came of the three before is put into words and written; nobody gets further ahead than
/// that.
struct StreamingPipeline<Output: ResultOutput> {
  private var stretches: RecordingSliceReader
  /// Without its pipelines, which are in ``tagGroups``.
  private var run: RecordingPipeline
  private let tagGroups: [Locked<TagPipelineGroup>]
  private let isAlone: Bool
  private let formatter: ResultFormatter
  private let output: Output
  private var texts = OrderedResultQueue()

  /// The flow of `stretches` through the pipelines of `run` to `output`, on `width` threads, at least one.
  init(
    _ stretches: RecordingSliceReader, through run: RecordingPipeline, width: Int,
    formatter: ResultFormatter,
    to output: Output
  ) {
    self.stretches = stretches
    self.run = run
    tagGroups = TagPipelineGroup.tagGroups(of: run.pipelines, width: width)
    self.run.pipelines = []
    isAlone = width == 1
    self.formatter = formatter
    self.output = output
  }

  /// The file with the check sum of what was taken in so far; nil where no file is read.
  var source: SourceFile? { stretches.source }

  /// Lets all stretches through.
  ///
  /// - Parameter progress: called with the ranges done since.
  /// - Throws: ``RecordingError`` where the file cannot be read, or the results cannot be written.
  mutating func processAll(progress: (Int) -> Void) async throws(RecordingError) {
    if !isAlone { return try await processConcurrently(progress: progress) }
    while let stretch = try stretches.next() {
      let done = gather(tagGroups.map { $0.withLock { $0.process(stretch) } }, stretch)
      let number = texts.begin()
      texts.add(formatter.textOfPositions(done, from: texts.buffers), of: number)
      texts.add(formatter.textOfDistances(done, from: texts.buffers), of: number)
      try texts.write(to: output)
      progress(stretch.ranges.count)
    }
  }

  private mutating func processConcurrently(
    progress: (Int) -> Void
  ) async throws(RecordingError) {
    let result = await withTaskGroup(
      of: Product.self, returning: Result<Void, RecordingError>.self
    ) { group in
      do throws(RecordingError) {
        var next = try stretches.next()
        var done: ProcessedSlice?
        while let stretch = next {
          for tagGroup in tagGroups {
            group.addTask { .tagGroup(tagGroup.withLock { $0.process(stretch) }) }
          }
          if let done { beginTexts(of: done, in: &group) }
          // What this thread does meanwhile.
          try texts.write(to: output)
          next = try stretches.next()
          var processed: [TagPipelineGroup.Results] = []
          // Texts may be late, being what threads do that would wait for the others; but where one is very
          // late, those that wait for it would fill the memory.
          while processed.count < tagGroups.count || texts.blocked > 2,
            let product = await group.next()
          {
            switch product {
            case .text(let text, let number): texts.add(text, of: number)
            case .tagGroup(let tagGroup): processed.append(tagGroup)
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
    of done: ProcessedSlice, in group: inout TaskGroup<Product>
  ) {
    let (number, formatter, buffers) = (texts.begin(), formatter, texts.buffers)
    group.addTask { .text(formatter.textOfPositions(done, from: buffers), of: number) }
    group.addTask { .text(formatter.textOfDistances(done, from: buffers), of: number) }
  }

  /// The results of all tagGroups of `stretch` in the order of the tags; the run takes note of them.
  private mutating func gather(
    _ tagGroups: [TagPipelineGroup.Results], _ stretch: RecordingSlice
  ) -> ProcessedSlice {
    let tagGroups = tagGroups.sorted { $0.first < $1.first }
    var counts = ResultCounts()
    for tagGroup in tagGroups { counts.add(tagGroup.counts) }
    let positions = PositionsByTag(tagGroups.flatMap(\.positions))
    return ProcessedSlice(
      stretch: stretch, results: tagGroups.flatMap(\.ranges), positions: positions,
      zones: run.take(counts, positions, tagGroups.flatMap(\.events)))
  }

  /// Writes what is still due; call once, after the last stretch.
  ///
  /// - Returns: The summary, and the positions that no track has since they are not complete.
  /// - Throws: ``RecordingError`` where the results cannot be written.
  mutating func finish() throws(RecordingError) -> (summary: RecordingSummary, omitted: Int) {
    run.pipelines = tagGroups.flatMap { $0.withLock { $0.pipelines } }
    run.finish()
    let rest = PositionsByTag(run.pipelines.indices.map { run.pipelines[$0].takePositions() })
    var counts = ResultCounts()
    for positions in rest.tags { counts.add([], positions) }
    let zones = run.take(counts, rest, [])
    var last = formatter.text(of: rest)
    last.zones = formatter.text(of: zones)
    try last.write(to: output)
    return (run.summarised(), texts.omitted + last.tracks.omitted)
  }
}

/// What a task of a flow gives back.
private enum Product: Sendable {
  case text(FormattedResults, of: Int)
  case tagGroup(TagPipelineGroup.Results)
}

/// Some pipelines of a recording, on one thread at a time.
///
/// They stay where they are from the first stretch to the last: a pipeline that is in two places is copied
/// when it changes, with all that its links remember.
struct TagPipelineGroup: Sendable {
  private let tags: Range<Int>
  private(set) var pipelines: [any TagPipeline]

  /// What came of the ranges of some tags in a stretch.
  struct Results: Sendable {
    /// The first of the tags.
    var first: Int
    /// Tag by tag.
    var ranges: [[RangeResult]] = []
    var positions: [[PositionRow]] = []
    var counts = ResultCounts()
    /// The zones that links have entered and left.
    var events: [LinkZoneEvent] = []
  }

  /// The pipelines of all tags in as many tagGroups as keep `width` threads busy.
  static func tagGroups(of pipelines: [any TagPipeline], width: Int) -> [Locked<TagPipelineGroup>] {
    let count = width == 1 ? 1 : min(pipelines.count, 4 * width)
    return (0..<count).map { tagGroup in
      let tags = pipelines.count * tagGroup / count..<pipelines.count * (tagGroup + 1) / count
      return Locked(TagPipelineGroup(tags: tags, pipelines: Array(pipelines[tags])))
    }
  }

  /// Takes in the entries of `stretch` that are about these tags.
  mutating func process(_ stretch: RecordingSlice) -> Results {
    var results = Results(first: tags.lowerBound)
    for (index, tag) in tags.enumerated() {
      let ranges = pipelines[index].process(stretch, at: stretch.places[tag])
      let positions = pipelines[index].takePositions()
      results.counts.add(ranges, positions)
      results.ranges.append(ranges)
      results.positions.append(positions)
      results.events += pipelines[index].takeZoneEvents()
    }
    return results
  }
}
