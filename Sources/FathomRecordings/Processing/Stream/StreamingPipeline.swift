/// Passes the slices of a recording through its pipelines, the formatter and the output.
///
/// On one thread, each slice passes through all steps in turn, so its results are still in the
/// cache when they are written. On several threads, the tags of one slice are processed
/// concurrently. Meanwhile the next slice is read, and the results of up to three slices before are
/// formatted and written. No step gets further ahead.
struct StreamingPipeline<Output: ResultOutput> {
  private var slices: RecordingSliceReader
  /// The pipeline without its tag pipelines, which are in ``tagGroups``.
  private var run: RecordingPipeline
  private let tagGroups: [Locked<TagPipelineGroup>]
  private let isAlone: Bool
  private let formatter: ResultFormatter
  private let output: Output
  private var texts = OrderedResultQueue()

  /// Creates the flow of `slices` through the pipelines of `run` to `output`, on `width` threads,
  /// at least one.
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

  /// The source file with the checksum of the bytes read so far; nil if no file is read.
  var source: SourceFile? { slices.source }

  /// Processes all slices.
  ///
  /// - Parameter progress: called with the number of ranges processed since the last call.
  /// - Throws: ``RecordingError`` if the file cannot be read, or the results cannot be written.
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
          // This thread writes and reads while the tasks process the slice.
          try texts.write(to: output)
          next = try slices.next()
          var processed: [TagPipelineGroup.Results] = []
          // Threads that would otherwise be idle format texts, so a text may arrive late. If more
          // than two slices are blocked by a missing text, wait for it; otherwise the waiting texts
          // would fill the memory.
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

  /// Joins the results of all groups for `slice` in the order of the tags, and adds them to the
  /// counts.
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

  /// Writes the remaining results; call once, after the last slice.
  ///
  /// - Returns: The summary, and the number of positions omitted from tracks because they are
  ///   incomplete.
  /// - Throws: ``RecordingError`` if the results cannot be written.
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

/// The result of a task.
private enum StreamTaskResult: Sendable {
  case text(FormattedResults, of: Int)
  case tagGroup(TagPipelineGroup.Results)
}

/// Some pipelines of a recording, used by one thread at a time.
///
/// The pipelines stay in the group from the first slice to the last. A second reference to a
/// pipeline would make every change copy it, with all state of its links.
struct TagPipelineGroup: Sendable {
  private let tags: Range<Int>
  private(set) var pipelines: [any TagPipeline]

  /// The results for some tags of a slice.
  struct Results: Sendable {
    /// The index of the first tag.
    var first: Int
    /// The results of the ranges of each tag.
    var ranges: [[RangeResult]] = []
    var positions: [[PositionRow]] = []
    var counts = ResultCounts()
    /// The entries into and exits from zones around anchors.
    var events: [LinkZoneEvent] = []
  }

  /// Divides the pipelines of all tags into enough groups to keep `width` threads busy.
  static func tagGroups(of pipelines: [any TagPipeline], width: Int) -> [Locked<TagPipelineGroup>] {
    let count = width == 1 ? 1 : min(pipelines.count, 4 * width)
    return (0..<count).map { tagGroup in
      let tags = pipelines.count * tagGroup / count..<pipelines.count * (tagGroup + 1) / count
      return Locked(TagPipelineGroup(tags: tags, pipelines: Array(pipelines[tags])))
    }
  }

  /// Processes the entries of `slice` that belong to these tags.
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
