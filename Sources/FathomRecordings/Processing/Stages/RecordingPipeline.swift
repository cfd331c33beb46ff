import Fathom

/// The pipelines of all tags of a recording, with counts of their results.
struct RecordingPipeline: Sendable {
  let outline: RecordingOutline
  let settings: ProcessingSettings
  /// One pipeline per tag.
  var pipelines: [any TagPipeline]
  /// The counts so far.
  private(set) var counts = ResultCounts()
  /// The errors of the ranges that the method `fix` found; nil if it found none.
  var errors: RangeErrorEstimate?
  private var zoneEvents: [LinkZoneEvent] = []
  /// Number of zone events beyond the limit of the summary.
  private var omittedZoneEvents = 0
  private var zones: ZoneMonitor?

  /// The largest number of zone events listed.
  ///
  /// It bounds the memory for a tag that stays on a boundary.
  static let mostZoneEvents = 10_000

  /// Creates a pipeline from the pipelines of the tags of `outline`.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings, pipelines: [any TagPipeline]) {
    self.outline = outline
    self.settings = settings
    self.pipelines = pipelines
    zones = ZoneMonitor(outline, settings)
  }

  /// Returns the pipeline of the tag at index `tag` of `outline`, calibrated on its first ranges.
  static func pipeline(
    tag: Int, of outline: RecordingOutline, _ settings: ProcessingSettings,
    calibrationRanges: [RangeMeasurement], errors: RangeErrorEstimate? = nil
  ) -> any TagPipeline {
    let stage =
      outline.anchors.isEmpty
      ? nil
      : TagStage(
        tag: tag, of: outline, calibrationRanges: calibrationRanges, settings, errors: errors)
    return settings.pipeline(tag: tag, of: outline, stage: stage)
  }

  /// Outputs the remaining positions, and computes the tracks of the method `smooth`.
  mutating func finish() {
    for tag in pipelines.indices { pipelines[tag].stage?.finish() }
    let stages = pipelines.compactMap(\.stage)
    guard stages.count == pipelines.count, settings.method == .smooth else { return }
    for (tag, track) in TagStage.solved(stages).enumerated() {
      pipelines[tag].stage?.finish(with: track)
    }
  }

  /// Adds the results since the last call to the summary.
  ///
  /// - Parameters:
  ///   - counts: the counts of the results.
  ///   - positions: the positions output.
  ///   - events: the entries into and exits from zones around anchors.
  /// - Returns: The entries into and exits from zones on the floor plan by these positions.
  mutating func take(
    _ counts: ResultCounts, _ positions: PositionsByTag, _ events: [LinkZoneEvent]
  ) -> ZoneColumns {
    self.counts.add(counts)
    let listed = events.prefix(Self.mostZoneEvents - zoneEvents.count)
    zoneEvents += listed
    omittedZoneEvents += events.count - listed.count
    return zones?.take(positions) ?? ZoneColumns()
  }

  /// Returns the summary; call once, at the end.
  mutating func summarised() -> RecordingSummary {
    var summary = RecordingSummary(outline, settings)
    summary.links = pipelines.indices.flatMap { pipelines[$0].links() }
      .sorted { $0.ordinal < $1.ordinal }.map(\.link)
    summary.decisions = counts.decisions
    summary.positions = counts.positions
    summary.zoneEvents = zoneEvents.sorted { $0.ordinal < $1.ordinal }.map(\.event)
    if omittedZoneEvents > 0 {
      summary.notes.append("\(omittedZoneEvents) more zone events are not listed")
    }
    summary.zones = zones?.counts
    let stages = pipelines.compactMap(\.stage)
    if settings.method == .filter {
      summary.consistency = RecordingSummary.FilterConsistency(stages.compactMap(\.innovations))
    }
    if settings.method == .fix {
      let counts = stages.compactMap(\.undetermined)
      summary.undeterminedEpochs = counts.isEmpty ? nil : counts.reduce(0, +)
      if let errors { summary.add(errors, settings, anchorNames: outline.anchorNames) }
    } else if !stages.isEmpty {
      summary.calibration = stages.compactMap { $0.calibration(anchorNames: outline.anchorNames) }
    }
    if !outline.anchors.isEmpty {
      summary.addDirectionNotes(in: outline, counts: stages.compactMap(\.directionCounts))
    }
    summary.add(outline, settings)
    summary.warn(about: outline)
    return summary
  }
}
