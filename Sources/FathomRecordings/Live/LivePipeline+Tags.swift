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

  private func makeTag(_ tag: Int) -> LiveTag {
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
      if stage == nil {
        stage = TagStage(
          tag: tag, of: outline, calibrationRanges: [], settings,
          readings: isReplayed ? nil : SensorReadings())
      }
    }
    let (outline, settings) = (outline, settings)
    return LiveTag(
      stage: stage, anchors: outline.anchors, horizon: options.horizon, lag: options.lag,
      calibrates: calibrates, adoptsKinds: adoptsKinds && !isReplayed,
      replayed: isReplayed ? outline.readings(of: tag) : SensorReadings()
    ) { settings.pipeline(tag: tag, of: outline, stage: $0) }
  }

  func stageMaker(of tag: Int) -> LiveTagCalibration.StageMaker {
    let (outline, settings, common, isReplayed) = (outline, settings, common, isReplayed)
    var calibrates = true
    if case .none = options.calibration { calibrates = false }
    return { [calibrates] in
      TagStage(
        tag: tag, of: outline, calibrationRanges: $0, settings, common: common,
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
