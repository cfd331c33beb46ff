/// Stretches of a recording on their way through its pipelines, into words, and to the files.
///
/// On one thread, one after the other: what came of a slice is still in the cache when it is written. On
/// several threads, while the ranges of one slice are processed, tag by tag side by side, the next one is
/// read and what came of the three before is put into words and written; nobody gets further ahead than
/// that.
struct StreamingPipeline<Output: ResultOutput> {
  private var slices: RecordingSliceReader
  /// Without its pipelines, which are in ``tagGroups``.
  private var run: RecordingPipeline
  private let tagGroups: [Locked<TagPipelineGroup>]
  private let isAlone: Bool
  private let formatter: ResultFormatter
  private let output: Output
  private var texts = OrderedResultQueue()

  /// The flow of `slices` through the pipelines of `run` to `output`, on `width` threads, at least one.
  init(
    _ slices: RecordingSliceReader, through run: RecordingPipeline, width: Int,
    formatter: ResultFormatter,
    to output: Output
  ) {
    self.slices = slices
    self.run = run
    tagGroups = TagPipelineGroup.tagGroups(of: run.pipelines, width: width)
    self.run.pipelines = []
    isAlone = width == 1
    self.formatter = formatter
    self.output = output
  }

  /// The file with the check sum of what was taken in so far; nil where no file is read.
  var source: SourceFile? { slices.source }

  /// Lets all slices through.
  ///
  /// - Parameter progress: called with the ranges done since.
  /// - Throws: ``RecordingError`` where the file cannot be read, or the results cannot be written.
  mutating func processAll(progress: (Int) -> Void) async throws(RecordingError) {
    if !isAlone { return try await processConcurrently(progress: progress) }
    while let slice = try slices.next() {
      let done = gather(tagGroups.map { $0.withLock { $0.process(slice) } }, slice)
      let number = texts.begin()
      texts.add(formatter.textOfPositions(done, from: texts.buffers), of: number)
      texts.add(formatter.textOfDistances(done, from: texts.buffers), of: number)
      try texts.write(to: output)
      progress(slice.ranges.count)
    }
  }

  private mutating func processConcurrently(
    progress: (Int) -> Void
  ) async throws(RecordingError) {
    let result = await withTaskGroup(
      of: StreamTaskResult.self, returning: Result<Void, RecordingError>.self
    ) { group in
      do throws(RecordingError) {
        var next = try slices.next()
        var done: ProcessedSlice?
        while let slice = next {
          for tagGroup in tagGroups {
            group.addTask { .tagGroup(tagGroup.withLock { $0.process(slice) }) }
          }
          if let done { beginTexts(of: done, in: &group) }
          // What this thread does meanwhile.
          try texts.write(to: output)
          next = try slices.next()
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
          done = gather(processed, slice)
          progress(slice.ranges.count)
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
    of done: ProcessedSlice, in group: inout TaskGroup<StreamTaskResult>
  ) {
    let (number, formatter, buffers) = (texts.begin(), formatter, texts.buffers)
    group.addTask { .text(formatter.textOfPositions(done, from: buffers), of: number) }
    group.addTask { .text(formatter.textOfDistances(done, from: buffers), of: number) }
  }

  /// The results of all tagGroups of `slice` in the order of the tags; the run takes note of them.
  private mutating func gather(
    _ tagGroups: [TagPipelineGroup.Results], _ slice: RecordingSlice
  ) -> ProcessedSlice {
    let tagGroups = tagGroups.sorted { $0.first < $1.first }
    var counts = ResultCounts()
    for tagGroup in tagGroups { counts.add(tagGroup.counts) }
    let positions = PositionsByTag(tagGroups.flatMap(\.positions))
    return ProcessedSlice(
      slice: slice, results: tagGroups.flatMap(\.ranges), positions: positions,
      zones: run.take(counts, positions, tagGroups.flatMap(\.events)))
  }

  /// Writes what is still due; call once, after the last slice.
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
private enum StreamTaskResult: Sendable {
  case text(FormattedResults, of: Int)
  case tagGroup(TagPipelineGroup.Results)
}

/// Some pipelines of a recording, on one thread at a time.
///
/// They stay where they are from the first slice to the last: a pipeline that is in two places is copied
/// when it changes, with all that its links remember.
struct TagPipelineGroup: Sendable {
  private let tags: Range<Int>
  private(set) var pipelines: [any TagPipeline]

  /// What came of the ranges of some tags in a slice.
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

  /// Takes in the entries of `slice` that are about these tags.
  mutating func process(_ slice: RecordingSlice) -> Results {
    var results = Results(first: tags.lowerBound)
    for (index, tag) in tags.enumerated() {
      let ranges = pipelines[index].process(slice, at: slice.places[tag])
      let positions = pipelines[index].takePositions()
      results.counts.add(ranges, positions)
      results.ranges.append(ranges)
      results.positions.append(positions)
      results.events += pipelines[index].takeZoneEvents()
    }
    return results
  }
}
