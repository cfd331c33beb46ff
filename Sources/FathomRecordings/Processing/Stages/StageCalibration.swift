import Fathom

/// The calibrated settings of the tracker of a tag, and the measurements that it uses besides ranges.
struct StageCalibration {
  private(set) var calibration: TrackerCalibration
  private(set) var sensors = SensorReadings()
  /// Whether the odometry is that of poses.
  private(set) var usesPoses = false

  /// Calibrates the tag at index `tag` of `outline` on its `ranges`.
  ///
  /// - Parameters:
  ///   - tag: index of the tag.
  ///   - outline: the recording.
  ///   - ranges: its calibration ranges, without those of anchors that are not used.
  ///   - settings: the processing settings.
  ///   - common: what the tag has in common with others; nil to calibrate it by itself.
  ///   - readings: in a stream, the measurements that are no ranges so far; nil for those of `outline`.
  ///   - calibrates: whether the ranges decide which kinds help; otherwise all are used with their usual
  ///     errors.
  ///   - hasRowHeights: whether rows of ranges have heights.
  init(
    tag: Int, of outline: RecordingOutline, on ranges: [RangeMeasurement],
    _ settings: ProcessingSettings, common: CommonCalibration?,
    readings: SensorReadings?, calibrates: Bool, hasRowHeights: Bool
  ) {
    let anchors = outline.anchors
    let isSigmaKnown = settings.rangeSigmaIsGiven == true
    let common = common ?? outline.commonCalibration(settings, tags: 1) { _ in ranges }
    calibration = common.calibration(on: ranges)
      .withRSSIBiasCurve(
        on: ranges, anchors: anchors, from: settings.tracker(height: settings.heightM),
        isSigmaKnown: isSigmaKnown)
    sensors = readings ?? outline.readings(of: tag)
    let hasPoseHeights = addPoses(of: outline, settings, isStream: readings != nil)
    if !sensors.isEmpty || hasRowHeights {
      if settings.heightM == nil || settings.heightSigmaM != nil {
        calibration.configuration.heights =
          sensors.heights.isEmpty && !hasRowHeights
          ? nil : hasPoseHeights ? .ofPoses(settings.method) : .estimated(from: sensors.heights)
      }
      calibration = calibration.withHeights(sensors, on: ranges, anchors: anchors)
      let errors = usesPoses ? PoseErrors().odometry : OdometryErrors()
      if !calibrates, !sensors.odometry.isEmpty { calibration.configuration.odometry = errors }
      calibration = calibration.withOdometry(
        sensors, on: ranges, anchors: anchors,
        turnFactors: usesPoses ? [1] : outline.sensors.turnFactors, errors: errors)
    }
    if !sensors.differences.isEmpty {
      calibration.configuration.usesDifferences = true
      let isAlone =
        readings == nil
        ? outline.sensors.onlyDifferences != nil : calibrates && ranges.isEmpty
      if isAlone {
        calibration = calibration.withDifferences(
          sensors.differences, anchors: anchors, isSigmaKnown: isSigmaKnown)
      }
    }
    if !calibrates, !sensors.inertial.isEmpty, calibration.configuration.odometry == nil {
      calibration.configuration.inertial = InertialErrors()
    }
    calibration = calibration.withInertial(sensors, on: ranges, anchors: anchors)
  }

  /// Adds the motion of the poses of the only tag; returns whether the heights are those of poses.
  private mutating func addPoses(
    of outline: RecordingOutline, _ settings: ProcessingSettings, isStream: Bool
  ) -> Bool {
    let recorded = outline.sensors
    usesPoses =
      outline.tagNames.count == 1 && (isStream ? recorded.streamsPoses : recorded.usesPoses)
    guard usesPoses else { return false }
    if isStream { return recorded.streamsPoseHeights }
    return recorded.addPoses(
      to: &sensors, takesHeights: !outline.hasHeights && settings.heightM == nil)
  }
}
