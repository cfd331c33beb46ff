import Fathom

/// A recording in memory that is processed tag by tag.
///
/// The memory beyond the ranges is that of the results: about 40 bytes per range and 140 per
/// position. One pipeline exists at a time.
struct WholeRecording {
  /// The ranges and events in order of time.
  let slice: RecordingSlice
  /// The results of the ranges of each tag.
  let results: [[RangeResult]]
  let positions: PositionsByTag
  let zones: ZoneColumns
  let summary: RecordingSummary
  /// The completed settings.
  let settings: ProcessingSettings

  /// Processes `recording`, which has the given outline.
  init(_ recording: Recording, _ whole: RecordingOutline, with settings: ProcessingSettings) {
    self.init(recording, whole, with: settings) { (_: Double) throws(Never) in }
  }

  /// Processes `recording`, which has the outline `whole`.
  ///
  /// `checkpoint` is called from time to time with the share of the ranges that were processed; its
  /// error ends the processing.
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

    let common =
      outline.anchors.isEmpty || settings.method == .fix
      ? nil
      : outline.commonCalibration(settings, tags: recording.tagNames.count) {
        slice.ranges(of: $0, in: outline)
      }
    let tied = slice.tiedStages(of: outline, settings, common)
    run.tagRanges = tied.counts
    var group = TagPipelineGroup(tags: recording.tagNames.indices, of: outline) { tag in
      if let stage = tied.stages[tag] {
        return settings.pipeline(tag: tag, of: outline, stage: TagStage(located: stage))
      }
      let needsRanges = !outline.anchors.isEmpty && settings.method != .fix
      return RecordingPipeline.pipeline(
        tag: tag, of: outline, settings,
        calibrationRanges: needsRanges ? slice.ranges(of: tag, in: outline) : [],
        errors: errors, common: common)
    }
    var entriesDone = 0
    let entryCount = max(1, timeline.entries.count)
    let (results, finished) = try group.processWhole(slice) { count throws(Failure) in
      try checkpoint(min(1, Double(entriesDone) / Double(entryCount)))
      entriesDone += count
    }
    self.results = results.ranges
    run.add(slice, results.ranges)
    positions = PositionsByTag(results.positions)
    zones = run.add(results.counts, positions, results.events)
    summary = run.summarised(finished)
  }
}

extension RecordingSlice {
  /// The results of tied tags, by tag, and counts of the ranges between them.
  struct Tied {
    var stages: [Int: LocatedStage] = [:]
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
            tag: tag, of: outline, calibrationRanges: ranges(of: tag, in: outline), settings,
            common: common)
        }, of: outline, method: settings.method)
      var decisions: [Int: [DistanceColumns.Decision]] = [:]
      for entry in entries {
        guard let (tag, decision) = group.add(entry, ranges, events) else { continue }
        decisions[tag, default: []].append(decision)
      }
      group.finish()
      for (place, tag) in members.enumerated() {
        tied.stages[tag] = LocatedStage(
          &group.stages[place], decisions: decisions[tag] ?? [], anchorNames: outline.anchorNames)
      }
      counts.add(group.counts)
    }
    tied.counts = counts
    return tied
  }

  /// Returns the ranges of a tag of `outline` that are not excluded.
  fileprivate func ranges(of tag: Int, in outline: RecordingOutline) -> [RangeMeasurement] {
    outline.usable(
      places[tag].compactMap { place in
        guard case .range(let index) = entries[Int(place)] else { return nil }
        return ranges.measurement(at: index)
      })
  }
}
