import Fathom

extension RecordingSummary {
  /// A summary of what was read; the results are filled in as they come.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    recording = outline.name
    version = FathomVersion.current
    sources = outline.sources.map { Source(path: $0.path, bytes: $0.bytes, xxh3: $0.xxh3) }
    self.settings = settings
    rows = Rows(
      read: outline.rowsRead, used: outline.rangeCount + outline.events.count,
      events: outline.events.count, setAside: outline.rejectedCount, reasons: outline.reasons)
    if let start = outline.first, let end = outline.last {
      time = Time(startS: start.seconds, endS: end.seconds, outOfOrder: outline.outOfOrder)
    }
    links = []
    decisions = [:]
    positions = [:]
    zoneEvents = []
    remarks = outline.remarks
    notes = outline.notes
    warnings = []
  }

  /// Adds warnings about what a user would otherwise have to find out.
  mutating func warn(about outline: RecordingOutline) {
    if outline.outOfOrder > 0 {
      let ranges = outline.outOfOrder == 1 ? "1 range" : "\(outline.outOfOrder) ranges"
      warnings.append("the file is not in order of time; sorted: \(ranges)")
    }
    if settings.rateHz != nil, outline.anchors.isEmpty {
      warnings.append(
        "no grid without anchors: relative positions keep the instants of their ranges")
    }
    if settings.zones != nil, outline.anchors.isEmpty {
      warnings.append("no zones without anchors: relative positions have no place on a floor plan")
    }
    if let ambiguous = positions[PositionColumns.Status.ambiguous.rawValue] {
      let remedy =
        settings.heightM == nil
        ? "a known height (--height, or height_m in recording.json) decides"
        : "ranges to more anchors, not all in one line, decide"
      warnings.append(
        (ambiguous == 1 ? "1 position has" : "\(ambiguous) positions have")
          + " a mirror image that explains the ranges as well; \(remedy) between them")
    }
    if !outline.anchors.isEmpty, outline.rangeCount > 0,
      positions.keys.allSatisfy({ $0 == PositionColumns.Status.starting.rawValue })
    {
      warnings.append("no position: the ranges never determine one; are there enough anchors?")
    }
    guard let consistency else { return }
    if consistency.sigmaScale >= 2 {
      let scale = (10 * consistency.sigmaScale).rounded() / 10
      warnings.append(
        "ranges are noisier or more biased than assumed: their standard deviation was taken"
          + " \(scale) times as large; if it is known, give it (--range-sigma)")
    }
    if consistency.meanNormalizedSquare > 4 {
      let mean = (10 * consistency.meanNormalizedSquare).rounded() / 10
      warnings.append(
        "some ranges lie far off and count less (mean normalised innovation squared \(mean)"
          + " instead of 1)")
    }
  }
}

extension RecordingSummary {
  /// Says what became of directions and attitudes.
  ///
  /// - Parameters:
  ///   - outline: the recording, with anchors.
  ///   - counts: of each tag, how many ranges had a direction with and without an attitude; none for tags
  ///     that do not use them.
  mutating func addDirectionNotes(
    in outline: RecordingOutline, counts: [(found: Int, missing: Int)]
  ) {
    guard let attitudes = outline.attitudes else {
      if outline.hasDirections, settings.method != .smooth {
        notes.append(
          "directions are not used for positions: no poses.csv says how the device was held")
      }
      return
    }
    guard outline.hasDirections else {
      notes.append("poses.csv is not used: there are no directions")
      return
    }
    guard settings.method != .smooth else {
      notes.append("poses.csv is not used: --method smooth takes ranges alone")
      return
    }
    guard outline.tagNames.count == 1 else {
      warnings.append("poses.csv is not used: it does not say which of several tags it is of")
      return
    }
    guard !attitudes.times.isEmpty else {
      warnings.append("directions are not used: poses.csv has no usable row")
      return
    }
    let (found, missing) = counts.reduce((0, 0)) { ($0.0 + $1.found, $0.1 + $1.missing) }
    notes.append("directions used, with the attitude in poses.csv: \(found)")
    guard missing > 0 else { return }
    let reason =
      found == 0
      ? "no direction is within \(AttitudeTrack.reach) s of a pose: is the time of poses.csv that of the ranges?"
      : "\(missing) of \(found + missing) directions are farther than \(AttitudeTrack.reach) s from every pose"
        + " and were not used"
    warnings.append(reason)
  }
}
