import Fathom

/// The calibration of the tags of a live stream.
package enum LiveCalibration: Sendable {
  /// From the ranges so far, again and again as they double in number.
  case running
  /// None: the settings are used as they are.
  case none
  /// That of a recording made before, as `process` calibrates it.
  case recording(ReferenceCalibration)
}

/// The calibration ranges and the diagnosis of a recording, for the same tags and anchors.
package struct ReferenceCalibration: Sendable {
  /// The diagnosed recording.
  let outline: RecordingOutline
  /// What the tags have in common; nil without anchors.
  let common: CommonCalibration?
  private let ranges: CalibrationRanges

  /// Reads the recording at `path`; an anchors file at `anchors` replaces its own.
  package init(
    _ path: String, anchors: String?, options: RecordingOptions, settings: ProcessingSettings
  ) throws(RecordingError) {
    var prescan = try RecordingPrescan(
      try RecordingMetadata(path, anchors: anchors, options: options), options: options)
    var settings = settings
    settings.complete(from: prescan.outline)
    outline = prescan.outline.diagnosed(prescan.sample, settings)
    try prescan.leaveOut(outline.excluded)
    let ranges = prescan.calibrationRanges
    self.ranges = ranges
    settings.method = .filter
    common =
      outline.anchors.isEmpty
      ? nil : outline.commonCalibration(settings, tags: outline.tagNames.count) { ranges[$0] }
  }

  /// Returns the calibrated stage of the tag called `name`; nil if the recording lacks it.
  ///
  /// For a recording that is replayed, `replaying` is the tag and its outline, whose measurements the
  /// stage has from the beginning; other stages get them as they come.
  func stage(
    of name: String, _ settings: ProcessingSettings,
    replaying: (tag: Int, outline: RecordingOutline)?
  ) -> TagStage? {
    guard let tag = outline.tagNames.firstIndex(of: name) else { return nil }
    let ranges = ranges[tag]
    if let (tag, outline) = replaying {
      return TagStage(
        tag: tag, of: outline, calibrationRanges: ranges, settings, common: common)
    }
    var stage = TagStage(
      tag: tag, of: outline.ofStream, calibrationRanges: ranges, settings, common: common)
    stage.setReadings(SensorReadings())
    return stage
  }
}

/// What the ranges of a live stream show so far.
struct LiveFindings: Sendable {
  /// The outline with what contradicts what.
  let outline: RecordingOutline
  /// What the tags have in common; nil without `ranges`.
  let common: CommonCalibration?

  /// Diagnoses `sample`, and calibrates on the `ranges` of several tags.
  init(
    of sample: RangeSample, _ ranges: [[RangeMeasurement]], _ outline: RecordingOutline,
    _ settings: ProcessingSettings
  ) {
    self.outline = outline.diagnosed(sample, settings)
    common =
      ranges.isEmpty
      ? nil
      : self.outline.commonCalibration(settings, tags: ranges.count) { [outline = self.outline] in
        outline.usable(ranges[$0])
      }
  }
}
