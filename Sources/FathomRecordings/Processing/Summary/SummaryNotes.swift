import Fathom

extension RecordingSummary {
  /// Creates a summary of the input; the results are added as they are computed.
  init(_ outline: RecordingOutline, _ settings: ProcessingSettings) {
    recording = outline.name
    version = FathomVersion.current
    sources = outline.sources.map { Source(path: $0.path, bytes: $0.bytes, xxh3: $0.xxh3) }
    self.settings = settings
    rows = Rows(
      read: outline.rowsRead, used: outline.usedCount,
      events: outline.events.count, rejected: outline.rejected.total,
      reasons: Dictionary(
        uniqueKeysWithValues: outline.rejected.reasons.map { ($0.reason, $0.rows) }))
    if let start = outline.first, let end = outline.last {
      time = Time(startS: start.seconds, endS: end.seconds, outOfOrder: outline.outOfOrder)
    }
    if let origin = outline.plane?.origin {
      self.origin = Origin(
        latitudeDeg: origin.latitude, longitudeDeg: origin.longitude,
        altitudeM: outline.isPlanar ? nil : origin.altitude)
    }
    links = []
    decisions = [:]
    positions = [:]
    zoneEvents = []
    remarks = outline.remarks
    notes = outline.notes
    warnings = outline.warnings
  }

  /// Adds warnings about likely problems.
  mutating func warn(about outline: RecordingOutline) {
    if outline.outOfOrder > 0 {
      let ranges = outline.outOfOrder == 1 ? "1 range was" : "\(outline.outOfOrder) ranges were"
      warnings.append("the file is not in order of time; \(ranges) sorted")
    }
    let isLocated = accessories != nil
    if outline.anchors.isEmpty, outline.rangeCount > 0, !outline.hasDirections, !isLocated {
      warnings.append(
        "there are no positions, because there are no anchors: add anchors.csv (id,x,y,z) beside the"
          + " ranges, or give --anchors FILE")
    }
    if settings.rateHz != nil, outline.anchors.isEmpty {
      warnings.append(
        "the output rate is ignored without anchors: relative positions keep the instants of"
          + " their ranges")
    }
    if settings.extraColumns?.contains(.geodetic) == true, outline.plane == nil {
      warnings.append(
        "the columns of --with geodetic are empty: the anchors have no latitude and longitude")
    }
    if settings.zones != nil, outline.anchors.isEmpty {
      warnings.append(
        "zones are ignored without anchors: relative positions have no place on a floor plan")
    }
    if let ambiguous = positions[PositionColumns.Status.ambiguous.word], !isLocated {
      let height = "a known height (--height, or height_m in recording.json)"
      // Anchors on a wall have no side above or below.
      let box = settings.boundsM == nil ? " or a box that contains the tags (--bounds)" : ""
      let remedy =
        switch (settings.heightM, settings.side) {
        case (nil, nil):
          "give their side of the anchors (--side above or --side below, or side in recording.json)"
            + "\(box.isEmpty ? " or" : ",") \(height)\(box)"
        case (nil, _): "give \(height)\(box)"
        default: "use ranges to more anchors, not all on one line,"
        }
      // Only single fixes can also differ in which ranges they exclude.
      let other =
        settings.method == .fix
        ? "another that explains the ranges equally well, a mirror image or the position with"
          + " another range wrong"
        : "a mirror image that explains the ranges equally well"
      warnings.append(
        (ambiguous == 1 ? "1 position has" : "\(ambiguous) positions have")
          + " \(other); \(remedy) to distinguish them")
    }
    if !outline.anchors.isEmpty, outline.rangeCount > 0 { warnAboutMissingPositions(outline) }
    guard let consistency else { return }
    if consistency.sigmaScale >= 2 {
      let scale = (10 * consistency.sigmaScale).rounded() / 10
      warnings.append(
        "ranges are noisier or more biased than assumed: their standard deviation was"
          + " increased by a factor of \(scale); if you know it, set it with --range-sigma")
    }
    if consistency.meanNormalizedSquare > 4 {
      let mean = (10 * consistency.meanNormalizedSquare).rounded() / 10
      warnings.append(
        "some ranges are outliers and were down-weighted (mean normalised innovation squared"
          + " \(mean) instead of 1)")
    }
  }
}

extension RecordingSummary {
  /// Adds a warning if no instant, or less than half of them, has a position.
  private mutating func warnAboutMissingPositions(_ outline: RecordingOutline) {
    let all = positions.values.reduce(0, +)
    let missing = positions[PositionColumns.Status.starting.word] ?? 0
    guard missing == all || 2 * missing > all else { return }
    // Another warning has the reason.
    let isExplained = outline.diagnoses.contains {
      $0.code == .geometryWeak || $0.code.invalidatesPositions
    }
    let found =
      missing == all
      ? "no position was determined" : "\(missing) of \(all) instants have no position"
    let advice =
      missing == all
      ? "check that there are enough anchors"
      : "check how often the anchors answer, and the unit of the times"
    warnings.append(isExplained ? found : "\(found); \(advice)")
  }

  /// Adds notes about the use of directions and attitudes in a recording with anchors.
  ///
  /// `counts` has, for each tag that uses directions, the number of ranges that have a direction
  /// with and without an attitude.
  mutating func addDirectionNotes(
    in outline: RecordingOutline, counts: [(found: Int, missing: Int)]
  ) {
    guard let attitudes = outline.attitudes else {
      if outline.hasDirections, settings.method != .smooth {
        notes.append(
          "directions are not used for positions: there is no poses.csv with the device's attitude")
      }
      return
    }
    guard outline.hasDirections else {
      if outline.poses.isEmpty { notes.append("poses.csv is not used: there are no directions") }
      return
    }
    guard settings.method != .smooth else {
      notes.append(
        outline.poses.isEmpty
          ? "poses.csv is not used: --method smooth uses only ranges"
          : "directions are not used: --method smooth has none")
      return
    }
    guard outline.tagNames.count == 1 else {
      warnings.append("poses.csv is not used: it names no tag, and the recording has several")
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
      ? "no direction is within \(AttitudeTrack.reach) s of a pose: check that poses.csv and the"
        + " ranges use the same time"
      : "\(missing) of \(found + missing) directions are farther than \(AttitudeTrack.reach) s from"
        + " every pose and were not used"
    warnings.append(reason)
  }
}

extension RecordingSummary {
  /// Adds notes and warnings about the use of sensors; call with the calibration.
  mutating func addSensorNotes(in outline: RecordingOutline) {
    let sensors = outline.sensors
    guard !sensors.isEmpty else { return }
    if !sensors.heights.isEmpty, settings.heightM != nil, settings.heightSigmaM == nil {
      warnings.append("heights.csv is not used: the height is known (--height or height_m)")
    } else if !sensors.heights.isEmpty, settings.heightM != nil, settings.method == .fix {
      notes.append("heights.csv is not used: --method fix has a known height")
    }
    if !sensors.differences.isEmpty, sensors.onlyDifferences == nil, settings.method == .fix {
      notes.append("tdoa.csv is not used: --method fix uses ranges where there are any")
    }
    for tag in calibration ?? [] {
      guard let heights = tag.heights, !heights.isZeroKnown else { continue }
      notes.append(
        "the zero of the heights of tag \(tag.tag) is \((100 * heights.offsetM).rounded() / 100) m from that of"
          + " the anchors: they only tell how the height changes")
    }
    addInertialNotes(sensors)
    guard !sensors.odometry.isEmpty || sensors.usesPoses else { return }
    if settings.method == .fix {
      if sensors.usesPoses { return }
      notes.append("odometry.csv is not used: --method fix has no motion")
      return
    }
    for tag in calibration ?? [] {
      guard let found = tag.odometry else { continue }
      if outline.sensors.usesPoses {
        if !found.isUsed {
          warnings.append(
            "poses.csv is not used: the ranges contradict it; check its clock, its units and that z is"
              + " up")
        }
      } else if !found.isUsed {
        warnings.append(
          "odometry of tag \(tag.tag) is not used: the ranges contradict it; check its clock, its"
            + " units and which vehicle it belongs to")
      } else if found.turnFactor == -1 {
        warnings.append(
          "turns in odometry.csv are positive clockwise: their sign was changed (positive is"
            + " counter-clockwise)")
      } else if found.turnFactor != 1 {
        let side = found.turnFactor < 0 ? "; left and right are exchanged" : ""
        warnings.append(
          "wheel_distance_m in odometry.csv is half of the distance between the wheels: corrected"
            + side)
      }
    }
  }

  private mutating func addInertialNotes(_ sensors: RecordedSensors) {
    guard !sensors.inertial.isEmpty else { return }
    if settings.method == .fix {
      notes.append("imu.csv is not used: --method fix has no motion")
    } else if !sensors.odometry.isEmpty || sensors.usesPoses {
      notes.append(
        "imu.csv is not used: \(sensors.usesPoses ? "poses.csv" : "odometry.csv") tells more")
    }
    for tag in calibration ?? [] {
      guard let found = tag.inertial else { continue }
      if !found.isUsed {
        warnings.append(
          "inertial data of tag \(tag.tag) are not used: the ranges contradict them; check their"
            + " clock, and that their axes are right-handed")
      } else if found.accelerationFactor == -1 {
        notes.append("accelerations in imu.csv point down at rest: their sign was changed")
      }
    }
  }
}

extension RecordingSummary {
  /// Adds a warning if `settings`, as requested, have a standard deviation of an unknown height.
  mutating func noteIgnoredHeightSigma(_ settings: ProcessingSettings) {
    guard settings.heightSigmaM != nil, self.settings.heightM == nil else { return }
    warnings.append("the standard deviation of the height is ignored: no height was given")
  }
}

extension RecordingSummary {
  /// Adds the counts of the ranges between tags, with notes about their use.
  mutating func addTagRanges(_ counts: TagRangeCounts?, in outline: RecordingOutline) {
    let ranges = outline.tagRanges
    guard ranges.count > 0 else { return }
    tagRanges = counts?.decisions.named ?? [DistanceColumns.Decision.unused.word: ranges.count]
    let number = ranges.count == 1 ? "1 range between tags" : "\(ranges.count) ranges between tags"
    if settings.method == .fix {
      warnings.append(
        "\(number) not used: --method fix takes every tag alone; filter and smooth use them")
      return
    }
    if counts?.isTooLarge == true {
      warnings.append(
        "the ranges between tags are not used, because the joint equations would need more than 400 MB;"
          + " --method filter uses them")
      return
    }
    notes.append(
      "\(number), which tie the tracks of their tags; they count as used ranges of both")
    for (file, isUnused) in [
      ("odometry.csv", !outline.sensors.odometry.isEmpty),
      ("imu.csv", !outline.sensors.inertial.isEmpty),
    ] where settings.method == .smooth && isUnused {
      warnings.append(
        "\(file) is not used for tags with ranges between them: --method filter uses it")
    }
    let waiting = counts?.decisions[.starting] ?? 0
    if 2 * waiting > ranges.count {
      warnings.append(
        "\(waiting) of \(number) were not used, because the position of neither or of one tag was not known"
          + " yet; one of them needs ranges to more anchors")
    }
  }
}
