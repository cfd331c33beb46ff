extension EpochLocator {
  /// The assumptions of a locator about the tag and its measurements.
  public struct Configuration: Sendable, Equatable {
    /// What is known of the positions, and the settings of the solvers.
    ///
    /// ``PositionOptions/rangeSigma`` applies to ranges without a standard deviation of their own and
    /// to the arrivals of time differences. ``PositionOptions/headingSigma`` is that of directions.
    /// Epochs with directions use the default ``PositionOptions/outliers``.
    public var options: PositionOptions
    /// A box that selects between a position and its alternatives; nil if unknown.
    public var bounds: PositionBounds<3>?
    /// The age up to which an epoch uses a range, in seconds; 0 for ranges of its own instant.
    public var window = 0.0
    /// The age up to which an epoch uses a time difference, in seconds; nil for ``window``, or for
    /// ``differenceWindow(for:)`` in ``EpochLocator/forEachEpoch(of:_:)``.
    public var differenceWindow: Double?
    /// The errors of ranges; nil if nothing is known of them.
    ///
    /// Ranges are corrected for what is corrected there, and covariances include what remains of errors
    /// common to all ranges. ``RangeErrorEstimate/wholeSigma`` applies only if
    /// ``PositionOptions/rangeSigma`` is ``RangeErrorEstimate/sigma``.
    public var errors: RangeErrorEstimate?
    /// The known bias of all ranges, in metres, in addition to that of each anchor.
    public var bias = 0.0
    /// The errors of heights, for those without a standard deviation of their own.
    public var heights = HeightErrors()

    /// Creates assumptions with the noise and the odds of wrong ranges of `errors`.
    ///
    /// - Parameter errors: The errors of ranges, such as
    ///   ``RangeErrorEstimate/estimated(from:anchors:within:options:searchesForCommonErrors:)`` finds them; nil
    ///   for the defaults of ``PositionOptions``.
    public init(errors: RangeErrorEstimate? = nil) {
      self.errors = errors
      options = PositionOptions()
      guard let errors else { return }
      options.rangeSigma = errors.sigma
      options.outliers = errors.outliers
    }

    /// Returns the age up to which epochs of these time differences use them, in seconds.
    ///
    /// - Parameter differences: The differences of one tag, in order of time.
    /// - Returns: ``differenceWindow``, or ``window`` if it is not zero. Otherwise 0 if most transmissions
    ///   have as many differences as there are unknowns, and else the time of four times as many
    ///   differences, at most 0.3 s.
    public func differenceWindow(for differences: [TimedDifference]) -> Double {
      if let differenceWindow { return differenceWindow }
      guard window == 0, let first = differences.first, let last = differences.last else {
        return window
      }
      let (count, unknowns) = (differences.count, options.unknowns)
      if count >= unknowns * Set(differences.map(\.time)).count { return 0 }
      let interval = last.time.seconds(since: first.time) / Double(max(1, count - 1))
      return min(EpochLocator.longestEpoch, 4 * Double(unknowns) * interval)
    }

    /// Throws if a locator among `anchors` cannot work with these settings.
    ///
    /// - Parameter anchors: The anchors.
    /// - Throws: The first setting that is invalid.
    public func validate(for anchors: [Anchor]) throws(ConfigurationError) {
      typealias Interval = ConfigurationError.Interval
      try ConfigurationError.check([
        ("options.rangeSigma", options.rangeSigma, Interval.sigma),
        ("options.differenceSigma", options.differenceSigma, Interval.optionalSigma),
        ("options.headingSigma", options.headingSigma?.radians, Interval.angle),
        ("options.height", options.height, Interval.coordinate),
        ("options.heightSigma", options.heightSigma, Interval.sigma),
        ("window", window, Interval.optionalTime),
        ("differenceWindow", differenceWindow, Interval.optionalTime),
        ("errors.sigma", errors?.sigma, Interval.sigma),
        ("errors.wholeSigma", errors?.wholeSigma, Interval.sigma),
        ("errors.correctedBias", errors?.correctedBias, Interval.coordinate),
        ("errors.correctedScale", errors?.correctedScale, Interval.scale),
        ("bias", bias, Interval.coordinate),
        ("heights.sigma", heights.sigma, Interval.sigma),
        ("heights.persistentShare", heights.persistentShare, Interval.share),
        ("heights.offsetSigma", heights.offsetSigma, Interval.optionalSigma),
      ])
      if options.heightSigma != nil, options.height == nil { throw .heightSigmaWithoutHeight }
      try ConfigurationError.check(bounds)
      try ConfigurationError.check(anchors)
    }
  }

  /// The longest automatic window of time differences, seconds: within it a tag at walking speed moves by
  /// some decimetres.
  private static let longestEpoch = 0.3
}
