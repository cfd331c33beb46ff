import Fathom

/// The pipelines of all tags of a recording, and what is counted of their results.
struct RecordingPipeline: Sendable {
  let outline: RecordingOutline
  let settings: ProcessingSettings
  /// One per tag.
  var pipelines: [any TagPipeline]
  /// What was counted so far.
  private(set) var counts = ResultCounts()
  private var zoneEvents: [LinkZoneEvent] = []
  /// Zones entered and left that found no place in the summary.
  private var omittedZoneEvents = 0
  private var zones: ZoneMonitor?

  /// So many zone events are listed; a tag that stands on a boundary must not fill the memory.
  static let mostZoneEvents = 10_000

  /// A run with the pipelines of the tags of `outline`.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings, pipelines: [any TagPipeline]) {
    self.outline = outline
    self.settings = settings
    self.pipelines = pipelines
    zones = ZoneMonitor(outline, settings)
  }

  /// The pipeline of the tag at place `tag` of `outline`, whose ranges begin with `calibrationRanges`.
  static func pipeline(
    tag: Int, of outline: RecordingOutline, _ settings: ProcessingSettings,
    calibrationRanges: [RangeMeasurement]
  ) -> any TagPipeline {
    let stage =
      outline.anchors.isEmpty
      ? nil : TagStage(tag: tag, of: outline, calibrationRanges: calibrationRanges, settings)
    return settings.pipeline(tag: tag, of: outline, stage: stage)
  }

  /// Writes down what is still due, and smooths the tracks where that is asked for.
  mutating func finish() {
    for tag in pipelines.indices { pipelines[tag].stage?.finish() }
    let stages = pipelines.compactMap(\.stage)
    guard stages.count == pipelines.count, settings.method == .smooth else { return }
    for (tag, track) in TagStage.solved(stages).enumerated() {
      pipelines[tag].stage?.finish(with: track)
    }
  }

  /// Takes what was found since the last call into the summary.
  ///
  /// - Parameters:
  ///   - counts: of the results.
  ///   - positions: the positions written down.
  ///   - events: the zones that links have entered and left.
  /// - Returns: The zones on the floor plan that these positions enter and leave.
  mutating func take(
    _ counts: ResultCounts, _ positions: PositionsByTag, _ events: [LinkZoneEvent]
  ) -> ZoneColumns {
    self.counts.add(counts)
    let listed = events.prefix(Self.mostZoneEvents - zoneEvents.count)
    zoneEvents += listed
    omittedZoneEvents += events.count - listed.count
    return zones?.take(positions) ?? ZoneColumns()
  }

  /// The summary; call once, at the end.
  mutating func summarised() -> RecordingSummary {
    var summary = RecordingSummary(outline, settings)
    summary.links = pipelines.indices.flatMap { pipelines[$0].links() }
      .sorted { $0.ordinal < $1.ordinal }.map(\.link)
    summary.decisions = counts.decisions
    summary.positions = counts.positions
    summary.zoneEvents = zoneEvents.sorted { $0.ordinal < $1.ordinal }.map(\.event)
    if omittedZoneEvents > 0 {
      summary.notes.append("\(omittedZoneEvents) more zones entered and left are not listed")
    }
    summary.zones = zones?.counts
    let stages = pipelines.compactMap(\.stage)
    if settings.method == .filter {
      summary.consistency = RecordingSummary.Consistency(stages.compactMap(\.innovations))
    }
    if settings.method == .fix {
      let counts = stages.compactMap(\.undetermined)
      summary.undeterminedEpochs = counts.isEmpty ? nil : counts.reduce(0, +)
    } else if !stages.isEmpty {
      summary.calibration = stages.compactMap { $0.calibration(anchorNames: outline.anchorNames) }
    }
    if !outline.anchors.isEmpty {
      summary.addDirectionNotes(in: outline, counts: stages.compactMap(\.directionCounts))
    }
    summary.warn(about: outline)
    return summary
  }
}
