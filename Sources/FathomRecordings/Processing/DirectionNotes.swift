extension RecordingSummary {
  /// Says what became of directions and attitudes.
  ///
  /// - Parameters:
  ///   - outline: the recording, with anchors.
  ///   - counts: of each tag, how many ranges had a direction with and without an attitude; none for tags
  ///     that do not use them.
  mutating func tellOfDirections(
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
