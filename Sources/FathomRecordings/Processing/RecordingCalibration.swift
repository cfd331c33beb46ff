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

  /// Returns those of the ranges of a tag that are used.
  func usable(_ ranges: [RangeMeasurement]) -> [RangeMeasurement] {
    if excluded.isEmpty { return ranges }
    var filter = RangeFilter(excluded)
    return ranges.filter { filter.admits($0.distance, to: $0.anchor) }
  }
}
