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

  /// Processes the recording, and calls `progress` from time to time with the share of the ranges of all tags
  /// that were processed; never for a single tag, most of whose work comes after its ranges.
  package func processed(
    with settings: ProcessingSettings, progress: (Double) -> Void
  ) -> ProcessedRecording {
    processed(with: settings, outline: RecordingOutline(self), progress: progress)
  }

  /// Processes the recording as ``RecordingBatch`` does, and returns the results in columns.
  ///
  /// `checkpoint` is called from time to time with the share of the ranges that were processed; its
  /// error ends the processing. Also throws ``RecordingError/badData(path:line:reason:)`` if no row
  /// can be used, and for a setting that is invalid or with which the recording cannot be
  /// processed.
  package func columns(
    with settings: ProcessingSettings, checkpoint: (Double) throws -> Void
  ) throws -> ResultColumns {
    if let reason = settings.fault(at: .keys) {
      throw RecordingError.badData(path: self.name, line: nil, reason: reason)
    }
    let outline = RecordingOutline(self)
    try outline.requireRows(settings, isStrict: false)
    let names = TargetNames(outline)
    guard names.areFew else {
      throw RecordingError.badData(
        path: outline.sources.first?.path ?? outline.name, line: nil,
        reason: "\(names.count) pairs of devices are too many for columns")
    }
    try requireShortEpochs(settings, outline)
    let whole = try WholeRecording(self, outline, with: settings, checkpoint: checkpoint)
    var summary = whole.summary
    summary.noteIgnoredHeightSigma(settings)
    return ResultColumns(
      positions: ColumnTable(whole.positions, names: names),
      distances: ColumnTable(
        whole.slice, whole.results, in: whole.settings.deviceFrame ?? .phone),
      zones: whole.zones, rejected: rejected, summary: summary, outline: outline,
      settings: whole.settings)
  }

  /// Throws if an epoch of the method `fix` can have too many ranges.
  private func requireShortEpochs(
    _ settings: ProcessingSettings, _ outline: RecordingOutline
  ) throws(RecordingError) {
    guard settings.method == .fix, anchors.count > RecordingLimits.mostEpochRanges else { return }
    let timeline = Timeline(self)
    let completed = settings.completed(for: self, timeline: timeline)
    var search = RangeErrorSearch(tags: tagNames.count, completed, of: outline)
    for case .range(let index) in timeline.entries { search.add(ranges, at: index) }
    try search.requireShortEpochs(of: outline, window: completed.epochWindowS ?? 0)
  }

  /// Processes the recording with a precomputed outline.
  func processed(
    with settings: ProcessingSettings, outline: RecordingOutline,
    progress: (Double) -> Void = { _ in }
  ) -> ProcessedRecording {
    let isShared = tagNames.count > 1
    let whole = WholeRecording(self, outline, with: settings) { (share: Double) throws(Never) in
      if isShared { progress(share) }
    }
    var distances = DistanceColumns()
    var results = ResultsByTag(whole.results)
    let frame = whole.settings.deviceFrame ?? .phone
    results.forEachRow(of: whole.slice.entries[...], in: ranges, frame) { row in
      distances.append(row, tag: tagNames[Int(row.tag)], anchor: anchorNames[Int(row.anchor)])
    }
    return ProcessedRecording(
      name: name, distances: distances,
      positions: PositionColumns(whole.positions, names: TargetNames(outline)), zones: whole.zones,
      rejected: rejected, summary: whole.summary)
  }
}
