import Fathom

/// Passes the slices of a recording through its pipelines, the formatter and the output.
///
/// On one thread, each slice passes through all steps in turn, so its results are still in the
/// cache when they are written. On several threads, the tags of one slice are processed
/// concurrently. Meanwhile the next slice is read, and the results of up to three slices before are
/// formatted and written. No step gets further ahead.
struct StreamingPipeline<Output: ResultOutput> {
  private var slices: RecordingSliceReader
  private var run: RecordingPipeline
  private let tagGroups: [Locked<TagPipelineGroup>]
  private let isAlone: Bool
  private let formatter: ResultFormatter
  private let output: Output
  private var texts = OrderedResultQueue()
  /// Slices whose decisions are not final; nil when decisions are final at once.
  private var delayed: DelayedSlices?

  /// Creates the flow of `slices` through the pipelines of `tagGroups` to `output`.
  ///
  /// `run` gathers the results. With `isAlone`, everything runs on this thread.
  init(
    _ slices: RecordingSliceReader, through run: RecordingPipeline,
    _ tagGroups: [Locked<TagPipelineGroup>], isAlone: Bool, formatter: ResultFormatter,
    to output: Output
  ) {
    self.slices = slices
    self.run = run
    self.tagGroups = tagGroups
    self.isAlone = isAlone
    if run.settings.method == .fix, !run.outline.anchors.isEmpty {
      delayed = DelayedSlices(
        tags: run.outline.tagNames.count, window: run.settings.epochWindowS ?? 0)
    }
    self.formatter = formatter
    self.output = output
  }

  /// The source file with the checksum of the bytes read so far; nil if no file is read.
  var source: SourceFile? { slices.source }

  /// Processes all slices; calls `progress` with the number of ranges processed since the last
  /// call.
  mutating func processAll(progress: (Int) -> Void) async throws(RecordingError) {
    if !isAlone { return try await processConcurrently(progress: progress) }
    let isDelayed = delayed != nil
    while let slice = try slices.next() {
      let done = gather(
        tagGroups.map { $0.withLock { $0.process(slice, delaysDecisions: isDelayed) } }, slice)
      let number = texts.begin()
      texts.add(formatter.textOfPositions(done, from: texts.buffers), of: number)
      texts.add(formatter.textOfDistances(done.settled, from: texts.buffers), of: number)
      try texts.write(to: output)
      progress(slice.ranges.count)
    }
  }

  private mutating func processConcurrently(
    progress: (Int) -> Void
  ) async throws(RecordingError) {
    let isDelayed = delayed != nil
    let result = await withTaskGroup(
      of: StreamTaskResult.self, returning: Result<Void, RecordingError>.self
    ) { group in
      do throws(RecordingError) {
        var next = try slices.next()
        var done: GatheredSlice?
        while let slice = next {
          for tagGroup in tagGroups {
            group.addTask {
              .tagGroup(tagGroup.withLock { $0.process(slice, delaysDecisions: isDelayed) })
            }
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
    of done: GatheredSlice, in group: inout TaskGroup<StreamTaskResult>
  ) {
    let (number, formatter, buffers) = (texts.begin(), formatter, texts.buffers)
    group.addTask { .text(formatter.textOfPositions(done, from: buffers), of: number) }
    group.addTask { .text(formatter.textOfDistances(done.settled, from: buffers), of: number) }
  }

  /// Joins the results of all groups for `slice` in the order of the tags, and adds them to the
  /// counts.
  private mutating func gather(
    _ tagGroups: [TagPipelineGroup.Results], _ slice: RecordingSlice
  ) -> GatheredSlice {
    let tagGroups = tagGroups.sorted { $0.first < $1.first }
    var counts = ResultCounts()
    for tagGroup in tagGroups { counts.add(tagGroup.counts) }
    let positions = PositionsByTag(tagGroups.flatMap(\.positions))
    var settled = [ProcessedSlice(slice: slice, results: tagGroups.flatMap(\.ranges))]
    if delayed != nil {
      settled = settle(settled, tagGroups.flatMap(\.decisions), at: slice.watermark, &counts)
    }
    for done in settled { run.add(done.slice, done.results) }
    let zones = run.add(counts, positions, tagGroups.flatMap(\.events))
    return GatheredSlice(positions: positions, zones: zones, settled: settled)
  }

  /// Delays `slices`, and returns the delayed ones whose decisions are final.
  private mutating func settle(
    _ slices: [ProcessedSlice], _ decisions: [[DistanceColumns.Decision]], at time: Timestamp?,
    _ counts: inout ResultCounts
  ) -> [ProcessedSlice] {
    delayed?.append(slices, decisions)
    let settled = delayed?.settled(at: time) ?? []
    for slice in settled { for results in slice.results { counts.add(results, []) } }
    return settled
  }

  /// Writes the remaining results; call once, after the last slice.
  ///
  /// Returns the summary, and the number of positions omitted from tracks because they are
  /// incomplete.
  mutating func finish() throws(RecordingError) -> (summary: RecordingSummary, omitted: Int) {
    let last = tagGroups.map { $0.withLock { $0.finish() } }
    let rest = PositionsByTag(last.flatMap(\.results.positions))
    var counts = ResultCounts()
    for group in last { counts.add(group.results.counts) }
    if delayed != nil {
      let settled = settle([], last.flatMap(\.results.decisions), at: nil, &counts)
      for done in settled { run.add(done.slice, done.results) }
      // One by one, because the window of an epoch can be as long as the recording.
      for slice in settled {
        try formatter.textOfDistances([slice], from: texts.buffers).write(to: output)
      }
    }
    let zones = run.add(counts, rest, [])
    var text = formatter.text(of: rest)
    text.zones = formatter.text(of: zones)
    try text.write(to: output)
    return (
      run.summarised(last.flatMap(\.tags)), texts.omitted + text.tracks.omitted
    )
  }
}

/// Slices that wait until it is known how their ranges were used.
///
/// An epoch of the method `fix` contains ranges of the whole window before its end.
private struct DelayedSlices {
  private let window: Double
  private var waiting: [ProcessedSlice] = []
  /// The final decisions of each tag, in the order of its ranges, that no settled slice has.
  private var decisions: [[DistanceColumns.Decision]]

  init(tags: Int, window: Double) {
    self.window = window
    decisions = Array(repeating: [], count: tags)
  }

  mutating func append(_ slices: [ProcessedSlice], _ more: [[DistanceColumns.Decision]]) {
    waiting += slices
    for (tag, more) in more.enumerated() where !more.isEmpty { decisions[tag] += more }
  }

  /// Returns the slices whose ranges no epoch from `time` on contains, with their decisions; all
  /// slices without a time.
  mutating func settled(at time: Timestamp?) -> [ProcessedSlice] {
    let open = waiting.firstIndex { slice in
      guard let time, let last = slice.slice.ranges.time.last else { return false }
      return time.seconds(since: last) <= window
    }
    let count = open ?? waiting.count
    var settled = Array(waiting[..<count])
    waiting.removeFirst(count)
    for place in settled.indices {
      for tag in decisions.indices where !settled[place].results[tag].isEmpty {
        let ranges = settled[place].results[tag].count
        for index in 0..<ranges {
          settled[place].results[tag][index].decision = decisions[tag][index]
        }
        decisions[tag].removeFirst(ranges)
      }
    }
    return settled
  }
}

/// The result of a task.
private enum StreamTaskResult: Sendable {
  case text(FormattedResults, of: Int)
  case tagGroup(TagPipelineGroup.Results)
}
