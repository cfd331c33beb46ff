import Fathom

extension TagStage {
  /// Creates a stage of the chosen method for the tag at index `tag` of `outline`, calibrated on its
  /// first ranges, without those that are excluded.
  ///
  /// The method `fix` takes the errors of ranges from `errors`; the others take what the tag has in
  /// common with others from `common`, or calibrate it by itself. In a stream, whose outline has no
  /// measurements but ranges, `readings` are those on which the stage is calibrated; without `calibrates`
  /// they are used with their usual errors.
  init(
    tag: Int, of outline: RecordingOutline, calibrationRanges: [RangeMeasurement],
    _ settings: ProcessingSettings, errors: RangeErrorEstimate? = nil,
    common: CommonCalibration? = nil, readings: SensorReadings? = nil, calibrates: Bool = true
  ) {
    // A file of heights replaces those of the rows.
    let hasHeights = outline.hasHeights && outline.sensors.heights.isEmpty
    let schedule = OutputSchedule(
      end: outline.ends[tag], rateHz: settings.rateHz, continuesInGaps: settings.method != .fix)
    let differences =
      outline.sensors.onlyDifferences != nil ? outline.readings(of: tag).differences : []
    if settings.method == .fix {
      self.init(
        FixStage(tag: tag, of: outline, settings, errors: errors, differences: differences),
        TagEntries(schedule, excluded: outline.excluded, hasHeights: hasHeights),
        differences: differences, wrongTimes: outline.wrongTimes)
      return
    }
    let found = StageCalibration(
      tag: tag, of: outline, on: calibrationRanges, settings, common: common, readings: readings,
      calibrates: calibrates, hasRowHeights: hasHeights)
    let entries = TagEntries(
      schedule, excluded: outline.excluded,
      rssiBiasCurve: found.calibration.rssiBiasCurve, hasHeights: hasHeights)
    let method: any PositionStage =
      settings.method == .filter
      ? FilterStage(outline, found, settings)
      : SmoothStage(
        anchors: outline.anchors, calibration: found.calibration, sensors: found.sensors)
    self.init(
      method, entries, differences: differences, wrongTimes: outline.wrongTimes)
    self.tag = outline.tagNames[tag]
  }
}

extension FixStage {
  /// Creates the stage of the tag at index `tag` of `outline`, with the errors of ranges that were found.
  fileprivate init(
    tag: Int, of outline: RecordingOutline, _ settings: ProcessingSettings,
    errors: RangeErrorEstimate?, differences: [TimedDifference]
  ) {
    var sigma = settings.rangeSigma(errors)
    if !differences.isEmpty, settings.rangeSigmaIsGiven != true {
      sigma =
        TrackerCalibration(configuration: settings.tracker(height: settings.heightM))
        .withDifferences(differences, anchors: outline.anchors).configuration.errors.sigma
    }
    self = FixStage(StageContext(outline, settings), sigma: sigma, errors: errors)
      .withHeights(outline.readings(of: tag).heights).withDifferences(differences)
  }

  /// Creates a stage that uses ranges and directions with the given loss.
  package init(_ context: StageContext, loss: RobustLoss) {
    self.init(
      context, sigma: context.settings.rangeSigma(nil), loss: loss, errors: nil)
  }

  private init(
    _ context: StageContext, sigma: Double, loss: RobustLoss = .cauchy,
    errors: RangeErrorEstimate?
  ) {
    let settings = context.settings
    self.init(
      anchors: context.anchors, height: settings.heightM,
      heightSigma: settings.heightSigmaM, side: settings.side,
      bounds: settings.boundsM.flatMap(TagBounds.box), window: settings.epochWindowS ?? 0,
      sigma: sigma, loss: loss, errors: errors, bias: settings.rangeBiasM ?? 0)
    if let attitudes = context.attitudes { self = withDirections(attitudes, settings) }
  }
}

extension FilterStage {
  /// Creates the calibrated stage of a tag of `outline`.
  fileprivate init(
    _ outline: RecordingOutline, _ found: StageCalibration, _ settings: ProcessingSettings
  ) {
    self.init(
      StageContext(outline, settings), found.calibration,
      sensors: found.sensors, framedPose: found.usesPoses ? outline.sensors.lastPose : nil)
  }

  /// Creates a stage that uses ranges and directions, with settings that are not calibrated.
  package init(_ context: StageContext, _ configuration: TrackerConfiguration) {
    self.init(context, TrackerCalibration(configuration: configuration))
  }

  private init(
    _ context: StageContext, _ calibration: TrackerCalibration,
    sensors: SensorReadings = SensorReadings(), framedPose: TimedPose? = nil
  ) {
    var calibration = calibration
    let directions = context.attitudes.map { TagDirections($0, context.settings) }
    if directions != nil {
      calibration.configuration.headingSigma = context.settings.headingSigmaRad.map {
        Angle(radians: $0)
      }
    }
    self.init(
      anchors: context.anchors, calibration: calibration, directions: directions, sensors: sensors,
      framedPose: framedPose)
  }
}
