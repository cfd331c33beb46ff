import Fathom

extension RecordingOutline {
  /// Returns what the tags have in common for the methods `filter` and `smooth`.
  ///
  /// `ranges` returns those of a tag, in order of time.
  func commonCalibration(
    _ settings: ProcessingSettings, tags: Int, ranges: (Int) -> [RangeMeasurement]
  ) -> CommonCalibration {
    CommonCalibration(
      tags: tags, anchors: anchors, from: settings.tracker(height: settings.heightM),
      isSigmaKnown: settings.rangeSigmaIsGiven == true, searchesForCommonErrors: !isLayoutWrong
    ) { usable(ranges($0)) }
  }

  /// Returns the ranges of the anchors that are used.
  func usable(_ ranges: [RangeMeasurement]) -> [RangeMeasurement] {
    excludedAnchors.isEmpty ? ranges : ranges.filter { !excludedAnchors.contains($0.anchor) }
  }
}
