import Fathom

/// A recording in memory that is processed tag by tag.
///
/// The memory beyond the ranges is that of the results: about 40 bytes per range and 140 per
/// position. One pipeline exists at a time.
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
    var finished: [FinishedTag] = []
    var counts = ResultCounts()
    var located: [[PositionRow]] = []
    var events: [LinkZoneEvent] = []
    let common =
      outline.anchors.isEmpty || settings.method == .fix
      ? nil
      : outline.commonCalibration(settings, tags: recording.tagNames.count) {
        slice.ranges(at: slice.places[$0])
      }
    var tied = slice.tiedStages(of: outline, settings, common)
    run.tagRanges = tied.counts
    for tag in recording.tagNames.indices {
      let places = slice.places[tag]
      let ranges =
        outline.anchors.isEmpty || settings.method == .fix ? [] : slice.ranges(at: places)
      let stage = tied.stages.removeValue(forKey: tag)
      var pipeline =
        stage.map { settings.pipeline(tag: tag, of: outline, stage: $0) }
        ?? RecordingPipeline.pipeline(
          tag: tag, of: outline, settings, calibrationRanges: ranges, errors: errors,
          common: common)
      // Its group has located a tied tag already.
      if stage != nil { pipeline.stage = nil }
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
      if let stage {
        pipeline.stage = stage
        for (index, decision) in (tied.decisions[tag] ?? []).enumerated() {
          results[index].decision = decision
        }
      } else {
        pipeline.stage?.finish()
      }
      if let decisions = pipeline.stage?.decisions {
        for index in decisions.indices { results[index].decision = decisions[index] }
      }
      located.append(pipeline.removePositions())
      counts.add(results, located[tag])
      events += pipeline.removeZoneEvents()
      self.results.append(results)
      finished.append(FinishedTag(&pipeline, anchorNames: outline.anchorNames))
    }
    positions = PositionsByTag(located)
    zones = run.add(counts, positions, events)
    summary = run.summarised(finished)
  }
}

extension RecordingSlice {
  /// The stages of tied tags, which have processed everything, by tag; the decisions about their ranges, and
  /// counts of the ranges between tags.
  struct Tied {
    var stages: [Int: TagStage] = [:]
    var decisions: [Int: [DistanceColumns.Decision]] = [:]
    var counts: TagRangeCounts?
  }

  /// Locates the tags that ranges between them tie; none for the method `fix` and without anchors.
  fileprivate func tiedStages(
    of outline: RecordingOutline, _ settings: ProcessingSettings, _ common: CommonCalibration?
  ) -> Tied {
    var tied = Tied()
    guard !outline.anchors.isEmpty, outline.tagRanges.count > 0 else { return tied }
    guard settings.method != .fix else {
      var counts = TagRangeCounts()
      counts.decisions[.unused] = outline.tagRanges.count
      tied.counts = counts
      return tied
    }
    var counts = TagRangeCounts()
    for members in outline.tagRanges.groups(tagCount: outline.tagNames.count) {
      var group = TiedTags(
        members,
        stages: members.map { tag in
          TagStage(
            tag: tag, of: outline, calibrationRanges: ranges(at: places[tag]), settings,
            common: common)
        }, of: outline, method: settings.method)
      for tag in members { tied.decisions[tag] = [] }
      for entry in entries {
        guard let (tag, decision) = group.add(entry, ranges, events) else { continue }
        tied.decisions[tag]?.append(decision)
      }
      group.finish()
      for (place, tag) in members.enumerated() { tied.stages[tag] = group.stages[place] }
      counts.add(group.counts)
    }
    tied.counts = counts
    return tied
  }

  /// Returns the ranges among the entries at `places`.
  fileprivate func ranges(at places: [Int32]) -> [RangeMeasurement] {
    places.compactMap { place in
      guard case .range(let index) = entries[Int(place)] else { return nil }
      return ranges.measurement(at: index)
    }
  }
}
