import Fathom

/// The results of all tags of a recording as they are computed, gathered for the summary.
struct RecordingPipeline: Sendable {
  let outline: RecordingOutline
  let settings: ProcessingSettings
  /// The counts so far.
  private(set) var counts = ResultCounts()
  /// The errors of the ranges that the method `fix` found; nil if it found none.
  var errors: RangeErrorEstimate?
  /// How the ranges between tags were used; nil without any.
  var tagRanges: TagRangeCounts?
  private var consistencies = LinkConsistencies()
  private var zoneEvents: [LinkZoneEvent] = []
  /// Number of zone events beyond the limit of the summary.
  private var omittedZoneEvents = 0
  private var zones: ZoneMonitor?

  /// The largest number of zone events listed: the first ones of the recording.
  ///
  /// It bounds the memory for a tag that stays on a boundary.
  static let mostZoneEvents = 10_000

  /// Creates a pipeline without results for the recording with the given outline.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    self.outline = outline
    self.settings = settings
    zones = ZoneMonitor(outline, settings)
  }

  /// Returns the pipeline of the tag at index `tag` of `outline`, calibrated on its first ranges.
  static func pipeline(
    tag: Int, of outline: RecordingOutline, _ settings: ProcessingSettings,
    calibrationRanges: [RangeMeasurement], errors: RangeErrorEstimate? = nil,
    common: CommonCalibration? = nil
  ) -> any TagPipeline {
    let stage =
      outline.anchors.isEmpty
      ? nil
      : TagStage(
        tag: tag, of: outline, calibrationRanges: calibrationRanges, settings, errors: errors,
        common: common)
    return settings.pipeline(tag: tag, of: outline, stage: stage)
  }

  /// Adds the results since the last call to the summary; `events` are those of zones around
  /// anchors.
  ///
  /// Returns the entries into and exits from zones on the floor plan by these positions.
  mutating func add(
    _ counts: ResultCounts, _ positions: PositionsByTag, _ events: [LinkZoneEvent]
  ) -> ZoneColumns {
    self.counts.add(counts)
    zoneEvents += events
    if zoneEvents.count > 2 * Self.mostZoneEvents { keepFirstZoneEvents() }
    return zones?.process(positions) ?? ZoneColumns()
  }

  /// Adds the final results of the ranges of a slice to the consistency of their links.
  mutating func add(_ slice: RecordingSlice, _ results: [[RangeResult]]) {
    // Without anchors there is no track.
    if outline.anchors.isEmpty { return }
    consistencies.add(slice, results, outline.excluded)
  }

  /// Drops zone events beyond the limit, whatever the order in which the tags were processed.
  private mutating func keepFirstZoneEvents() {
    zoneEvents.sort { $0.ordinal < $1.ordinal }
    let excess = max(0, zoneEvents.count - Self.mostZoneEvents)
    omittedZoneEvents += excess
    zoneEvents.removeLast(excess)
  }

  /// Returns the summary with the results of the tags, in their order; call once, at the end.
  mutating func summarised(_ tags: [FinishedTag]) -> RecordingSummary {
    var summary = RecordingSummary(outline, settings)
    summary.links = links(of: tags)
    summary.decisions = counts.decisions
    summary.positions = counts.positions
    keepFirstZoneEvents()
    summary.zoneEvents = zoneEvents.map(\.event)
    if omittedZoneEvents > 0 {
      summary.notes.append("\(omittedZoneEvents) more zone events are not listed")
    }
    summary.zones = zones?.counts
    if settings.method == .filter {
      summary.consistency = RecordingSummary.FilterConsistency(tags.compactMap(\.found.innovations))
    }
    if settings.method == .fix {
      let counts = tags.compactMap(\.found.undetermined)
      summary.undeterminedEpochs = counts.isEmpty ? nil : counts.reduce(0, +)
      if let errors { summary.add(errors, settings, anchorNames: outline.anchorNames) }
    } else if tags.contains(where: \.isLocated) {
      summary.calibration = tags.compactMap(\.found.calibration)
    }
    if !outline.anchors.isEmpty {
      summary.addDirectionNotes(in: outline, counts: tags.compactMap(\.found.directionCounts))
    }
    summary.addSensorNotes(in: outline)
    summary.addPoses(
      in: outline, accessories: tags.flatMap(\.accessories), frame: tags.first?.found.poseFrame)
    summary.addTagRanges(tagRanges, in: outline)
    summary.add(outline, settings.method == .fix ? errors : nil, settings)
    summary.warn(about: outline)
    return summary
  }
}

extension RecordingPipeline {
  /// Returns the summaries of all links in the order of their first entries.
  private func links(of tags: [FinishedTag]) -> [RecordingSummary.Link] {
    let anchors = Dictionary(
      zip(outline.anchorNames, outline.anchorNames.indices), uniquingKeysWith: { first, _ in first }
    )
    var links: [(ordinal: Int, link: RecordingSummary.Link)] = []
    for (tag, finished) in tags.enumerated() {
      for (ordinal, link) in finished.links {
        var link = link
        if let anchor = anchors[link.anchor] {
          link.add(consistencies.link(tag: tag, anchor: anchor))
        }
        links.append((ordinal, link))
      }
    }
    return links.sorted { $0.ordinal < $1.ordinal }.map(\.link)
  }
}

/// What remains of the pipeline of a tag after its last range: its part of the summary.
///
/// A pipeline needs some kilobytes, and a recording can have very many tags, most of which are done.
struct FinishedTag: Sendable {
  /// Summaries of the links, each with the index of its first entry.
  let links: [(ordinal: Int, link: RecordingSummary.Link)]
  /// What the stage found besides positions; empty without a stage.
  let found: StageFindings
  /// Places of accessories in the frame of the device's poses.
  let accessories: [RecordingSummary.Accessory]
  /// Whether the tag had a stage that computes positions.
  let isLocated: Bool

  /// Takes the results out of `pipeline`, which has processed everything.
  init(_ pipeline: inout some TagPipeline, anchorNames: [String]) {
    links = pipeline.links()
    accessories = pipeline.accessories()
    let stage = pipeline.stage
    isLocated = stage != nil
    var found = stage?.findings(anchorNames: anchorNames) ?? StageFindings()
    found.innovations?.timeline.releaseCapacity()
    self.found = found
  }
}
