/// How measured heights agree with the ranges of a tag.
public struct HeightAgreement: Sendable, Equatable, Codable {
  /// Whether the zero of the sensor is that of the anchors, as far as the ranges tell.
  public var isZeroKnown: Bool
  /// The zero of the sensor above that of the anchors in metres, according to the ranges.
  public var offset: Double
  /// Standard deviation of ``offset`` in metres.
  public var sigma: Double
}

extension TrackerCalibration {
  /// Standard deviation of a zero that is not that of the anchors, in metres: a storey.
  private static let unknownZero = 3.0
  /// How many standard deviations a known zero may seem to be away.
  private static let likelyZero = 3.0

  /// Returns the same calibration with whether the zero of measured heights is known.
  ///
  /// A laser over the floor of the anchors has their zero; a barometer has that of the weather. Heights
  /// with a wrong zero draw a track to a wrong height for long. The ranges decide: a track with an
  /// unknown zero finds where it is. If that contradicts the assumed errors, the heights only tell how the
  /// height changes, and the ranges tell its mean.
  ///
  /// - Parameters:
  ///   - readings: The readings of the sensors of the tag.
  ///   - ranges: The ranges of the tag, in order of time.
  ///   - anchors: The anchors, as given for the calibration.
  /// - Returns: The calibration, with ``heights`` and the settings for it; unchanged without heights,
  ///   without ``TrackerConfiguration/heights``, and if the ranges never start a track.
  ///
  /// ## Cost
  /// One pass of a tracker over at most 3000 ranges and the heights meanwhile.
  public func withHeights(
    _ readings: SensorReadings, on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> Self {
    guard !readings.heights.isEmpty, let errors = configuration.heights, errors.offsetSigma == nil,
      configuration.exactHeight == nil, configuration.isValid(for: anchors)
    else { return self }
    var open = configuration
    open.heights?.offsetSigma = Self.unknownZero
    let stretch = Self.stretch(of: ranges, anchors: anchors)
    var tracker = Tracker(among: corrected(anchors), validated: open)
    var sensors = SensorQueue(SensorReadings(heights: readings.heights))
    for range in stretch {
      while let reading = sensors.next(upTo: range.time) { _ = tracker.update(reading) }
      _ = tracker.update(range)
    }
    guard tracker.hasStarted, let first = stretch.first, let last = stretch.last else {
      return self
    }
    let (offset, variance) = tracker.leading.mixture.moments(
      of: tracker.leading.mixture.state.heightOffset)
    let persistent = open.errors.persistentSigma
    let expected =
      errors.offsetVariance + errors.driftVariance(over: last.time.seconds(since: first.time))
      + variance + persistent * persistent
    let isKnown = offset * offset <= Self.likelyZero * Self.likelyZero * expected
    var result = self
    result.heights = HeightAgreement(
      isZeroKnown: isKnown, offset: offset, sigma: variance.squareRoot())
    if !isKnown { result.configuration = open }
    return result
  }
}
