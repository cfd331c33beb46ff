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
    for tag in recording.tagNames.indices {
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
