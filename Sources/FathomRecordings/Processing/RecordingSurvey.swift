import Fathom

extension Recording {
  /// Returns the positions of all anchors, those without one found from the ranges.
  ///
  /// Rows whose tag has the name of an anchor are ranges between anchors; all others are those of tags
  /// that move. Without declared anchors, all are to be found.
  ///
  /// - Parameter settings: The height and the side of the tags and the standard deviation of ranges;
  ///   missing ones are completed from the recording.
  /// - Returns: The anchors in the order of ``anchorNames``, and the frame of their positions.
  /// - Throws: `SurveyError` if the data are not enough to begin.
  public func surveyed(
    with settings: ProcessingSettings = ProcessingSettings()
  ) throws(SurveyError) -> AnchorSurvey.Result {
    var settings = settings
    settings.complete(from: RecordingOutline(metadata: self))
    var sites = anchorNames.indices.map { index -> AnchorSurvey.Site in
      anchors.indices.contains(index) ? .known(anchors[index]) : .unknown(height: nil)
    }
    for anchor in unsurveyed { sites[anchor.index] = .unknown(height: anchor.height) }
    let places = Dictionary(
      zip(anchorNames, sites.indices), uniquingKeysWith: { first, _ in first })
    var tracks: [[RangeMeasurement]] = []
    var between: [AnchorSurvey.AnchorRange] = []
    for (tag, measured) in rangesByTag().enumerated() {
      if let own = places[tagNames[tag]] {
        between += measured.map { .init(own, $0.anchor, distance: $0.distance) }
      } else {
        tracks.append(measured)
      }
    }
    let survey = AnchorSurvey(sites, configuration: settings.tracker(height: settings.heightM))
    return try survey.result(tracks: tracks, anchorRanges: between)
  }
}
