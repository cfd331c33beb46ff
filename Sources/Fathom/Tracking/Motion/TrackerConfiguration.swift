/// What a tracker assumes about the tag and its ranges.
public struct TrackerConfiguration: Sendable, Equatable {
  /// How the tag moves.
  public var modes = MotionModes()
  /// What is assumed about the errors of ranges; ``RangeErrors/sigma`` is for ranges that come
  /// without their own.
  public var errors = RangeErrors()
  /// The tag's known height, metres: it is tracked in the plane then, and taken not to move
  /// vertically.
  public var height: Double?
  /// Standard deviation of ``height``, metres, positive: the tag keeps to that height about so
  /// well, and is tracked in space; nil for a height that is exact.
  public var heightSigma: Double?
  /// A box that holds the tag: at the start it chooses between a position and its mirror image.
  public var bounds: PositionBounds<3>?
  /// Standard deviation of an error that all headings share under which the tag measures directions,
  /// within (0, 180°]: it is then estimated as well; nil for attitudes that are exact.
  ///
  /// Of headings that count from anywhere, give 180°.
  public var headingSigma: Angle?
  /// Ranges at most this old take part in the start, seconds.
  public var startWindow = 2.0
  /// Standard deviation of each component of the velocity at the start and after a gap, m/s.
  public var startVelocitySigma = 2.0
  /// How long after the last range an estimate counts as coasting, seconds.
  public var coastAfter = 1.0
  /// The longest time without ranges over which the velocity is still believed, seconds.
  public var longestGap = 3.0
  /// Whether the variance of ranges and the covariance of estimates are scaled by what the
  /// innovations say, see ``Tracker/noiseFactor`` and ``Tracker/covarianceFactor``; false for
  /// exactly those of the filter.
  public var calibratesCovariance = true

  /// The defaults: a walking person or a small robot, with ranges of 0.1 m.
  public init() {}
}

extension TrackerConfiguration {
  /// The height where it is exact.
  var exactHeight: Double? { heightSigma == nil ? height : nil }

  /// The height where it has an error, with its standard deviation, metres.
  var uncertainHeight: (value: Double, sigma: Double)? {
    guard let height, let heightSigma else { return nil }
    return (height, heightSigma)
  }
}
