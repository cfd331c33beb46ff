import Fathom

/// The pipelines of some tags of a recording, used by one thread at a time.
///
/// A pipeline exists from the first entry of its tag to the last: a recording can have very many
/// tags, of which few are there at the same time. It stays in the group for that time. A second
/// reference to a pipeline would make every change copy it, with all state of its links.
struct TagPipelineGroup: Sendable {
  private enum State { case waiting, active, done }

  private let tags: Range<Int>
  private let outline: RecordingOutline
  private let makePipeline: @Sendable (_ tag: Int) -> any TagPipeline
  private var states: [State]
  private var pipelines: [(any TagPipeline)?]
  private var finished: [FinishedTag?]

  /// The results for some tags of a slice.
  struct Results: Sendable {
    /// The index of the first tag.
    var first: Int
    /// The results of the ranges of each tag.
    var ranges: [[RangeResult]] = []
    var positions: [[PositionRow]] = []
    /// The decisions of the method `fix` that have become final, for each tag.
    var decisions: [[DistanceColumns.Decision]] = []
    var counts = ResultCounts()
    /// The entries into and exits from zones around anchors.
    var events: [LinkZoneEvent] = []
  }

  /// Creates the group of the tags at the indices `tags`; `makePipeline` returns the pipeline of a
  /// tag.
  init(
    tags: Range<Int>, of outline: RecordingOutline,
    makePipeline: @escaping @Sendable (_ tag: Int) -> any TagPipeline
  ) {
    self.tags = tags
    self.outline = outline
    self.makePipeline = makePipeline
    states = Array(repeating: .waiting, count: tags.count)
    pipelines = Array(repeating: nil, count: tags.count)
    finished = Array(repeating: nil, count: tags.count)
  }

  /// Divides all tags into enough groups to keep `width` threads busy.
  static func tagGroups(
    of outline: RecordingOutline, width: Int,
    makePipeline: @escaping @Sendable (_ tag: Int) -> any TagPipeline
  ) -> [Locked<TagPipelineGroup>] {
    let tags = outline.tagNames.count
    let count = width == 1 ? 1 : min(tags, 4 * width)
    return (0..<count).map { group in
      Locked(
        TagPipelineGroup(
          tags: tags * group / count..<tags * (group + 1) / count, of: outline,
          makePipeline: makePipeline))
    }
  }

  /// Processes the entries of `slice` that belong to these tags.
  ///
  /// With `delaysDecisions`, the results of ranges are counted later, with their decisions.
  mutating func process(_ slice: RecordingSlice, delaysDecisions: Bool) -> Results {
    var results = Results(first: tags.lowerBound)
    for (index, tag) in tags.enumerated() {
      let places = slice.places[tag]
      if states[index] == .done || (states[index] == .waiting && places.isEmpty) {
        results.ranges.append([])
        results.positions.append([])
        if delaysDecisions { results.decisions.append([]) }
        continue
      }
      begin(index)
      let ranges = pipelines[index]?.process(slice, at: places) ?? []
      // Nothing that follows belongs to the tag.
      let isDone = outline.ends[tag].map { $0 < slice.watermark } ?? false
      if isDone { pipelines[index]?.stage?.finish() }
      gather(index, delaysDecisions ? [] : ranges, into: &results)
      results.ranges.append(ranges)
      if delaysDecisions {
        results.decisions.append(
          pipelines[index]?.removeDecisions(before: isDone ? nil : slice.watermark) ?? [])
      }
      if isDone { finish(index) }
    }
    return results
  }

  /// Processes `slice`, which is the whole recording, tag by tag: one pipeline exists at a time.
  ///
  /// `checkpoint` is called before each part of at most 32,768 entries with their number; its error
  /// ends the processing. The results have the decisions about all ranges.
  mutating func processWhole<Failure: Error>(
    _ slice: RecordingSlice, checkpoint: (Int) throws(Failure) -> Void
  ) throws(Failure) -> (results: Results, tags: [FinishedTag]) {
    var results = Results(first: tags.lowerBound)
    for (index, tag) in tags.enumerated() {
      begin(index)
      let places = slice.places[tag]
      var ranges: [RangeResult] = []
      for first in stride(from: 0, to: places.count, by: Self.part) {
        let end = min(first + Self.part, places.count)
        try checkpoint(end - first)
        let part = end < places.count ? slice.upTo(slice.time(at: places[end])) : slice
        let found = pipelines[index]?.process(part, at: Array(places[first..<end])) ?? []
        if first == 0 { ranges = found } else { ranges += found }
      }
      pipelines[index]?.stage?.finish()
      for (place, decision) in (pipelines[index]?.stage?.decisions ?? []).enumerated() {
        ranges[place].decision = decision
      }
      gather(index, ranges, into: &results)
      results.ranges.append(ranges)
      finish(index)
    }
    return (results, finished.compactMap { $0 })
  }

  /// Returns the last results; call once, after the last slice.
  mutating func finish() -> (results: Results, tags: [FinishedTag]) {
    var results = Results(first: tags.lowerBound)
    for index in pipelines.indices {
      if states[index] == .done {
        results.positions.append([])
        results.decisions.append([])
        continue
      }
      // Tags of which there are only events have a summary too.
      begin(index)
      pipelines[index]?.stage?.finish()
      gather(index, [], into: &results)
      results.decisions.append(pipelines[index]?.removeDecisions(before: nil) ?? [])
      finish(index)
    }
    return (results, finished.compactMap { $0 })
  }

  /// Entries of a tag that are processed between two calls of a checkpoint.
  private static let part = 1 << 15

  /// Creates the pipeline of a tag before its first entry.
  private mutating func begin(_ index: Int) {
    guard states[index] == .waiting else { return }
    pipelines[index] = makePipeline(tags.lowerBound + index)
    states[index] = .active
  }

  /// Moves the positions and events of a tag into `results`, and counts them with its `ranges`.
  private mutating func gather(
    _ index: Int, _ ranges: [RangeResult], into results: inout Results
  ) {
    let positions = pipelines[index]?.removePositions() ?? []
    results.counts.add(ranges, positions)
    results.positions.append(positions)
    results.events += pipelines[index]?.removeZoneEvents() ?? []
  }

  private mutating func finish(_ index: Int) {
    guard var pipeline = pipelines[index] else { return }
    pipelines[index] = nil
    states[index] = .done
    finished[index] = FinishedTag(&pipeline, anchorNames: outline.anchorNames)
  }
}
