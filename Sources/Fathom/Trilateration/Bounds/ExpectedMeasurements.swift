/// What an anchor is expected to measure of a tag, and how well: what a ``CramerRaoBound`` is
/// computed from before anything has been measured.
public struct ExpectedMeasurements: Sendable, Hashable {
  /// Kinds of measurement.
  public struct Kinds: OptionSet, Sendable, Hashable {
    /// One bit per kind.
    public let rawValue: UInt8

    /// The kinds whose bits are set.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The distance, as two-way ranging has it.
    public static let range = Kinds(rawValue: 1)
    /// The distance plus an offset that is unknown and common to all anchors.
    ///
    /// That is what a one-way arrival says while the clock of the tag is unknown. Time differences
    /// are differences of arrivals, and their bound is that of the arrivals, whichever anchor is
    /// the reference: see ``CramerRaoBound``.
    public static let arrival = Kinds(rawValue: 2)
    /// The angle about the vertical, counter-clockwise, in the world frame.
    public static let azimuth = Kinds(rawValue: 4)
    /// The angle above the horizontal plane through the anchor.
    public static let elevation = Kinds(rawValue: 8)
    /// Azimuth and elevation.
    public static let angles: Kinds = [.azimuth, .elevation]
  }

  /// What the anchor measures.
  public var kinds: Kinds
  /// Standard deviation of ranges and arrivals close to the anchor, metres, positive.
  public var rangeSigma = RangingDefaults.rangeSigma
  /// By how much the standard deviation of ranges and arrivals grows with distance, metres per
  /// metre, not negative: at the distance d it is √(``rangeSigma``² + (``rangeSigmaPerMetre`` d)²).
  public var rangeSigmaPerMetre = 0.0
  /// Standard deviation of the azimuth, positive.
  public var azimuthSigma = Angle(degrees: 3)
  /// Standard deviation of the elevation, positive.
  public var elevationSigma = Angle(degrees: 3)
  /// The distance beyond which the anchor hears nothing, metres, positive; nil for none.
  public var maximumRange: Double?
  /// How many rounds of measurements, at least 1, go into one position: their noise averages out,
  /// the error of the anchor's own position does not.
  public var rounds = 1

  /// Measurements of the given kinds with the default errors: 0.10 m, 3°, no limit of range, one
  /// round.
  public init(_ kinds: Kinds = .range) { self.kinds = kinds }

  /// Whether the standard deviations, the limit and the rounds are as they must be.
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
