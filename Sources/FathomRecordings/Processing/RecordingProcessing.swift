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
    let whole = WholeRecording(self, outline, with: settings)
    return ProcessedRecording(
      name: name,
      distances: distances(
        of: whole.slice, whole.results, in: whole.settings.deviceFrame ?? .phone),
      positions: PositionColumns(whole.positions, names: TargetNames(outline)), zones: whole.zones,
      rejected: rejected, summary: whole.summary)
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
