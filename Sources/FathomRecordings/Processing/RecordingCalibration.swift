import Fathom

extension RecordingOutline {
  /// Returns what the tags have in common for the methods `filter` and `smooth`.
  ///
  /// `ranges` returns those of a tag that are not excluded, in order of time.
  func commonCalibration(
    _ settings: ProcessingSettings, tags: Int, ranges: (Int) -> [RangeMeasurement]
  ) -> CommonCalibration {
    CommonCalibration(
      tags: tags, anchors: anchors, from: settings.tracker(height: settings.heightM),
      isSigmaKnown: settings.rangeSigmaIsGiven == true, searchesForCommonErrors: !isLayoutWrong,
      ranges: ranges)
  }
}
