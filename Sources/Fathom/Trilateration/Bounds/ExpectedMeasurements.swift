/// The expected measurements of an anchor and their errors: the input of a ``CramerRaoBound``.
public struct ExpectedMeasurements: Sendable, Hashable {
  /// Kinds of measurement.
  public struct Kinds: OptionSet, Sendable, Hashable {
    /// One bit per kind.
    public let rawValue: UInt8

    /// Creates the set of kinds whose bits are set.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The distance, as measured by two-way ranging.
    public static let range = Kinds(rawValue: 1)
    /// The distance plus an unknown offset that is common to all anchors.
    ///
    /// This is a one-way arrival with an unknown tag clock. Time differences are differences of
    /// arrivals; they have the same bound as the arrivals, for any reference anchor: see
    /// ``CramerRaoBound``.
    public static let arrival = Kinds(rawValue: 2)
    /// The angle about the vertical, counter-clockwise, in the world frame.
    public static let azimuth = Kinds(rawValue: 4)
    /// The angle above the horizontal plane through the anchor.
    public static let elevation = Kinds(rawValue: 8)
    /// Azimuth and elevation.
    public static let angles: Kinds = [.azimuth, .elevation]
  }

  /// The kinds of measurement of the anchor.
  public var kinds: Kinds
  /// Standard deviation of ranges and arrivals close to the anchor, metres, positive.
  public var rangeSigma = RangingDefaults.rangeSigma
  /// Growth of the standard deviation of ranges and arrivals with distance, metres per metre, not
  /// negative.
  ///
  /// At the distance d the standard deviation is √(``rangeSigma``² + (``rangeSigmaPerMetre`` d)²).
  public var rangeSigmaPerMetre = 0.0
  /// Standard deviation of the azimuth, positive.
  public var azimuthSigma = Angle(degrees: 3)
  /// Standard deviation of the elevation, positive.
  public var elevationSigma = Angle(degrees: 3)
  /// The distance beyond which the anchor receives nothing, metres, positive; nil for no limit.
  public var maximumRange: Double?
  /// Number of rounds of measurements per position, at least 1.
  ///
  /// Noise averages out over the rounds; the error of the anchor's own position does not.
  public var rounds = 1

  /// Creates measurements of the given kinds with the default errors: 0.10 m, 3°, no maximum range,
  /// one round.
  public init(_ kinds: Kinds = .range) { self.kinds = kinds }

  /// Whether the standard deviations, the maximum range and the rounds are within their limits.
  var isValid: Bool {
    let variances = [
      rangeSigma * rangeSigma, azimuthSigma.radians * azimuthSigma.radians,
      elevationSigma.radians * elevationSigma.radians,
    ]
    return rangeSigma > 0 && azimuthSigma > .zero && elevationSigma > .zero
      && variances.allSatisfy { $0 > 0 && $0.isFinite }
      && rangeSigmaPerMetre >= 0 && (rangeSigmaPerMetre * rangeSigmaPerMetre).isFinite
      && (maximumRange.map { $0 > 0 } ?? true) && rounds >= 1
  }

  /// The same geometry with errors of 1 m in every range and arrival, without angles.
  var unitRanges: Self {
    var unit = Self(kinds.intersection([.range, .arrival]))
    unit.rangeSigma = 1
    unit.maximumRange = maximumRange
    return unit
  }
}
