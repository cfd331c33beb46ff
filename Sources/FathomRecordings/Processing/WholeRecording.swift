import Fathom

/// A recording in memory that is processed tag by tag.
///
/// The memory beyond the ranges is that of the results: about 40 bytes per range and 140 per
/// position. One pipeline exists at a time, except for the method `smooth` with few tags.
struct WholeRecording {
  /// The ranges and events in order of time.
  let slice: RecordingSlice
  /// The results of the ranges of each tag.
  private(set) var results: [[RangeResult]] = []
  private(set) var positions = PositionsByTag([])
  private(set) var zones = ZoneColumns()
  private(set) var summary: RecordingSummary
  /// The completed settings.
  let settings: ProcessingSettings

  /// Tags whose candidate tracks are held until the choice between them; with more tags, they are
  /// computed twice.
  private static let mostHeldTags = 64

  /// Ranges and events of a tag that are processed between two calls of a checkpoint.
  private static let part = 1 << 15

  /// Processes `recording`, which has the given outline.
  init(_ recording: Recording, _ whole: RecordingOutline, with settings: ProcessingSettings) {
    self.init(recording, whole, with: settings) { (_: Double) throws(Never) in }
  }

  /// Processes `recording`, which has the given outline.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - whole: its outline.
  ///   - settings: the settings.
  ///   - checkpoint: called from time to time with the share of the ranges that were processed; its
  ///     error ends the processing.
  /// - Throws: the error of `checkpoint`.
  init<Failure: Error>(
    _ recording: Recording, _ whole: RecordingOutline, with settings: ProcessingSettings,
    checkpoint: (Double) throws(Failure) -> Void
  ) throws(Failure) {
    let timeline = Timeline(recording)
    let settings = settings.completed(for: recording, timeline: timeline)
    self.settings = settings
    let outline = whole.diagnosed(recording.rangeSample(timeline), settings)
    let slice = RecordingSlice(
      ranges: recording.ranges, events: recording.events, entries: timeline.entries,
      tagCount: recording.tagNames.count, ordinal: 0,
      watermark: outline.last ?? Timestamp(nanoseconds: 0))
    self.slice = slice
    var run = RecordingPipeline(outline, settings)
    let errors = recording.rangeErrors(
      settings, timeline: timeline, of: outline)
    run.errors = errors

    var entriesDone = 0.0
    let entryCount = Double(max(1, timeline.entries.count))

    /// Returns the pipeline of a tag after its last entry, with the results of its ranges.
    func processed(
      _ tag: Int
    ) throws(Failure) -> (pipeline: any TagPipeline, results: [RangeResult]) {
      let places = slice.places[tag]
      let ranges =
        outline.anchors.isEmpty || settings.method == .fix ? [] : slice.ranges(at: places)
      var pipeline = RecordingPipeline.pipeline(
        tag: tag, of: outline, settings, calibrationRanges: ranges, errors: errors)
      var results: [RangeResult] = []
      var begin = 0
      while begin < places.count {
        try checkpoint(min(1, entriesDone / entryCount))
        let end = min(begin + Self.part, places.count)
        entriesDone += Double(end - begin)
        if end - begin == places.count {
          results = pipeline.process(slice, at: places)
        } else {
          let part = end < places.count ? slice.upTo(slice.time(at: places[end])) : slice
          results += pipeline.process(part, at: Array(places[begin..<end]))
        }
        begin = end
      }
      if places.isEmpty { results = pipeline.process(slice, at: places) }
      pipeline.stage?.finish()
      return (pipeline, results)
    }

    // The choice between the candidate tracks of the method `smooth` needs those of all tags.
    let tags = recording.tagNames.indices
    var held: [(pipeline: any TagPipeline, results: [RangeResult], OffsetHypotheses?)] = []
    var evidence = 0.0
    let isSmoothed = settings.method == .smooth && !outline.anchors.isEmpty
    if isSmoothed, tags.count > 1 {
      for tag in tags {
        let (pipeline, results) = try processed(tag)
        let alternatives = pipeline.stage?.alternatives
        evidence += alternatives?.evidence ?? 0
        if tags.count <= Self.mostHeldTags { held.append((pipeline, results, alternatives)) }
      }
    }

    var finished: [FinishedTag] = []
    var counts = ResultCounts()
    var located: [[PositionRow]] = []
    var events: [LinkZoneEvent] = []
    for tag in tags {
      var (pipeline, results) =
        held.isEmpty ? try processed(tag) : (held[tag].pipeline, held[tag].results)
      if isSmoothed {
        let alternatives = held.isEmpty ? pipeline.stage?.alternatives : held[tag].2
        if !held.isEmpty { held[tag] = (pipeline, [], nil) }
        let sum = tags.count == 1 ? alternatives?.evidence ?? 0 : evidence
        pipeline.stage?.finish(with: alternatives?.chosen(byEvidence: sum))
      }
      if let decisions = pipeline.stage?.decisions {
        for index in decisions.indices { results[index].decision = decisions[index] }
      }
      located.append(pipeline.takePositions())
      counts.add(results, located[tag])
      events += pipeline.takeZoneEvents()
      self.results.append(results)
      finished.append(FinishedTag(&pipeline, anchorNames: outline.anchorNames))
    }
    positions = PositionsByTag(located)
    zones = run.take(counts, positions, events)
    summary = run.summarised(finished)
  }
}

extension RecordingSlice {
  /// Returns the ranges among the entries at `places`.
  fileprivate func ranges(at places: [Int32]) -> [RangeMeasurement] {
    places.compactMap { place in
      guard case .range(let index) = entries[Int(place)] else { return nil }
      return ranges.measurement(at: index)
    }
  }
}
