/// How measured heights agree with the ranges of a tag.
public struct HeightAgreement: Sendable, Equatable, Codable {
  /// Whether the zero of the sensor is that of the anchors, as far as the ranges tell.
  public var isZeroKnown: Bool
  /// The gain in log-likelihood of the ranges by an unknown zero, in nats.
  public var gain: Double
}

extension TrackerCalibration {
  /// Standard deviation of a zero that is not that of the anchors, in metres: a storey.
  private static let unknownZero = 3.0

  /// Returns the same calibration with whether the zero of measured heights is known.
  ///
  /// A laser over the floor of the anchors has their zero; a barometer has that of the weather. Heights
  /// with a wrong zero draw a track to a wrong height for long. The ranges decide: if a track with an
  /// unknown zero predicts them decisively better, the heights only tell how the height changes, and
  /// the ranges tell its mean.
  ///
  /// - Parameters:
  ///   - readings: The readings of the sensors of the tag.
  ///   - ranges: The ranges of the tag, in order of time.
  ///   - anchors: The anchors, as given for the calibration.
  /// - Returns: The calibration, with ``heights`` and the settings for it; unchanged without heights or
  ///   without ``TrackerConfiguration/heights``.
  ///
  /// ## Cost
  /// Two passes of a tracker over at most 3000 ranges and the heights meanwhile.
  public func withHeights(
    _ readings: SensorReadings, on ranges: [RangeMeasurement], anchors: [Anchor]
  ) -> Self {
    guard !readings.heights.isEmpty, let errors = configuration.heights, errors.offsetSigma == nil,
      configuration.isValid(for: anchors)
    else { return self }
    let search = Search(
      stretch: Self.stretch(of: ranges, anchors: anchors), anchors: corrected(anchors),
      configuration: configuration)
    let heights = SensorReadings(heights: readings.heights)
    var open = configuration
    open.heights?.offsetSigma = Self.unknownZero
    let (known, unknown) = (
      search.measured(configuration, heights), search.measured(open, heights)
    )
    guard known.isFinite, unknown.isFinite else { return self }
    var result = self
    let gain = unknown - known
    result.heights = HeightAgreement(isZeroKnown: gain < Self.decisiveEvidence, gain: gain)
    if gain >= Self.decisiveEvidence { result.configuration = open }
    return result
  }
}
