import Fathom

/// The tags of a live stream, and whose measurements are whose.
extension LivePipeline {
  /// Creates what belongs to tags and anchors without ranges before.
  mutating func know() {
    zones?.know(tagNames: outline.tagNames)
    if outline.anchors.isEmpty {
      for tag in tags.indices { tags[tag].know(anchorNames: outline.anchorNames) }
    }
    while tags.count < outline.tagNames.count {
      places[outline.tagNames[tags.count]] = tags.count
      tags.append(makeTag(tags.count))
    }
  }

  /// Creates the tag at the index `tag`, which another had.
  mutating func know(_ tag: Int) {
    places[outline.tagNames[tag]] = tag
    tags[tag] = makeTag(tag)
    if outline.anchors.isEmpty { tags[tag].know(anchorNames: outline.anchorNames) }
  }

  private mutating func makeTag(_ tag: Int) -> LiveTag {
    let name = outline.tagNames[tag]
    var calibrates = false
    var adoptsKinds = false
    var stage: TagStage?
    if !outline.anchors.isEmpty {
      switch options.calibration {
      case .none: adoptsKinds = true
      case .running: (calibrates, adoptsKinds) = (true, true)
      case .recording(let reference):
        stage = reference.stage(of: name, settings, replaying: isReplayed ? (tag, outline) : nil)
        if stage == nil {
          (calibrates, adoptsKinds) = (true, true)
        }
      }
      if stage == nil { stage = freshStage(of: tag) }
    }
    let (outline, settings) = (outline, settings)
    return LiveTag(
      stage: stage, anchors: outline.anchors, horizon: options.horizon, lag: options.lag,
      calibrates: calibrates, adoptsKinds: adoptsKinds && !isReplayed,
      replayed: isReplayed ? outline.readings(of: tag) : SensorReadings()
    ) { settings.pipeline(tag: tag, of: outline, stage: $0) }
  }

  /// Returns a stage of the tag at the index `tag` before its first measurement.
  ///
  /// The tags of a stream share one: it has most of the memory of a tag that has few ranges. Poses are those of
  /// an only tag, and the measurements of a recording are those of each.
  private mutating func freshStage(of tag: Int) -> TagStage {
    if var stage = shared?.stage(for: outline) {
      stage.tag = outline.tagNames[tag]
      return stage
    }
    let stage = TagStage(
      tag: tag, of: outline, calibrationRanges: [], settings,
      readings: isReplayed ? nil : SensorReadings())
    if !isReplayed, outline.tagNames.count > 1, !outline.sensors.streamsPoses {
      shared = SharedStage(stage, of: outline)
    }
    return stage
  }

  /// The stage of every tag before its first measurement, and what it depends on.
  struct SharedStage: Sendable {
    private let stage: TagStage
    private let excluded: ExcludedRanges
    private let wrongTimes: ClosedRange<Timestamp>?
    private let hasHeights: Bool
    private let streamsPoses: Bool

    fileprivate init(_ stage: TagStage, of outline: RecordingOutline) {
      self.stage = stage
      excluded = outline.excluded
      wrongTimes = outline.wrongTimes
      hasHeights = outline.hasHeights
      streamsPoses = outline.sensors.streamsPoses
    }

    /// Returns the stage; nil if that of `outline` would be another.
    fileprivate func stage(for outline: RecordingOutline) -> TagStage? {
      excluded == outline.excluded && wrongTimes == outline.wrongTimes
        && hasHeights == outline.hasHeights && streamsPoses == outline.sensors.streamsPoses
        ? stage : nil
    }
  }

  func stageMaker(of tag: Int) -> LiveTagCalibration.StageMaker {
    let (outline, settings, common, isReplayed) = (outline, settings, common, isReplayed)
    var calibrates = true
    if case .none = options.calibration { calibrates = false }
    return { [calibrates] in
      TagStage(
        tag: tag, of: outline, calibrationRanges: outline.usable($0), settings, common: common,
        readings: isReplayed ? nil : $1, calibrates: calibrates)
    }
  }

  /// Whether heights are known without those of poses.
  var hasOtherHeights: Bool { outline.hasHeights || settings.heightM != nil }

  /// Returns the readings with the indices of their tags, and before them those that waited for a tag.
  mutating func addressed(_ readings: [LiveReading]) -> [LiveTagBatch.Reading] {
    var result: [LiveTagBatch.Reading] = []
    if tags.count != addressedCount {
      addressedCount = tags.count
      let waiting = unaddressed
      unaddressed = []
      for reading in waiting { address(reading, place: 0, to: &result) }
    }
    for reading in readings { address(reading, place: reading.place, to: &result) }
    return result
  }

  private mutating func address(
    _ reading: LiveReading, place: Int, to result: inout [LiveTagBatch.Reading]
  ) {
    if reading.isOfPoses, hasOtherHeights, reading.measurement.kind == .height { return }
    let tag = reading.tag.isEmpty ? onlyTag : places[reading.tag]
    if let tag {
      result.append(
        LiveTagBatch.Reading(tag: tag, place: place, measurement: reading.measurement))
    } else if unaddressed.count < Self.mostUnaddressed {
      unaddressed.append(reading)
    } else {
      unaddressedCount += 1
    }
  }

  /// Readings that wait for the first range of their tag.
  private static var mostUnaddressed: Int { 4096 }
}
