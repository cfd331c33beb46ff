import Fathom

extension Recording {
  /// Processes the recording and returns its results.
  ///
  /// Processes ranges in order of time, whatever the order in the file. Each range passes through
  /// its link (smoothing, quality, zones), then contributes to the positions of its tag. With
  /// anchors, the positions are fixes or a track. Without anchors, they are positions of the
  /// accessories relative to the device, for rows with a direction. Deterministic: the same
  /// recording and settings give bit-identical results.
  public func processed(with settings: ProcessingSettings = ProcessingSettings())
    -> ProcessedRecording
  {
    processed(with: settings, outline: RecordingOutline(self))
  }

  /// Processes the recording with a precomputed outline.
  func processed(
    with settings: ProcessingSettings, outline: RecordingOutline
  ) -> ProcessedRecording {
    let timeline = Timeline(self)
    let settings = settings.completed(for: self, timeline: timeline)
    var outline = outline
    outline.diagnose(rangeSample(timeline), settings)
    let errors = rangeErrors(
      settings, timeline: timeline, excluding: outline.excludedAnchors)
    var run = RecordingPipeline(
      outline, settings,
      pipelines: tagNames.indices.map { [outline] in
        RecordingPipeline.pipeline(
          tag: $0, of: outline, settings, calibrationRanges: ranges(ofTag: $0), errors: errors)
      })
    run.errors = errors
    let slice = RecordingSlice(
      ranges: ranges, events: events, entries: timeline.entries, tagCount: tagNames.count,
      ordinal: 0, watermark: outline.last ?? Timestamp(nanoseconds: 0))
    var results = slice.places.enumerated().map { run.pipelines[$0].process(slice, at: $1) }
    run.finish()
    for tag in results.indices {
      guard let decisions = run.pipelines[tag].stage?.decisions else { continue }
      for index in decisions.indices { results[tag][index].decision = decisions[index] }
    }
    let positions = PositionsByTag(run.pipelines.indices.map { run.pipelines[$0].takePositions() })
    var counts = ResultCounts()
    for (results, positions) in zip(results, positions.tags) { counts.add(results, positions) }
    let events = run.pipelines.indices.flatMap { run.pipelines[$0].takeZoneEvents() }
    let zones = run.take(counts, positions, events)
    return ProcessedRecording(
      name: name, distances: distances(of: slice, results, in: settings.deviceFrame ?? .phone),
      positions: PositionColumns(positions, names: TargetNames(outline)), zones: zones,
      rejected: rejected, summary: run.summarised())
  }

  /// Returns the rows of `slice` with their results, which are grouped by tag.
  private func distances(
    of slice: RecordingSlice, _ results: [[RangeResult]], in frame: DeviceFrame
  ) -> DistanceColumns {
    var columns = DistanceColumns()
    var next = [Int](repeating: 0, count: results.count)
    for case .range(let index) in slice.entries {
      let tag = Int(ranges.tag[index])
      let result = results[tag][next[tag]]
      next[tag] += 1
      let angles = ranges.reportedAngles(at: index, in: frame)
      columns.time.append(ranges.time[index])
      columns.tag.append(tagNames[tag])
      columns.anchor.append(anchorNames[Int(ranges.anchor[index])])
      columns.distance.append(ranges.distance[index])
      columns.smoothed.append(result.smoothed)
      columns.sigma.append(result.sigma)
      columns.quality.append(result.quality)
      columns.zone.append(result.zone)
      columns.azimuth.append(angles.azimuth)
      columns.elevation.append(angles.elevation)
      columns.decision.append(result.decision)
    }
    return columns
  }
}
