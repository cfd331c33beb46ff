/// The assumptions of a tracker about the tag and its ranges.
public struct TrackerConfiguration: Sendable, Equatable, Codable {
  /// The motion of the tag.
  public var modes = MotionModes()
  /// The errors of ranges; ``RangeErrors/sigma`` applies to ranges without a standard deviation of
  /// their own.
  public var errors = RangeErrors()
  /// The known height of the tag in metres.
  ///
  /// With an exact height the tag is tracked in the plane, without vertical motion.
  public var height: Double?
  /// Standard deviation of ``height`` in metres, positive; the tag is then tracked in space.
  ///
  /// nil for an exact height.
  public var heightSigma: Double?
  /// The side of the anchors on which the tag is; nil if unknown.
  ///
  /// It resolves the mirror ambiguity of anchors in a nearly horizontal plane, at the start and
  /// later. It has no effect with an exact ``height``.
  public var side: AnchorSide?
  /// A box that contains the tag.
  ///
  /// It resolves the mirror ambiguity at the start and later, and all estimates are in it.
  public var bounds: PositionBounds<3>?
  /// Standard deviation of the common error of the headings at which the tag measures directions,
  /// within (0, 180°]; the error is then estimated.
  ///
  /// nil for exact attitudes.
  ///
  /// Use 180° for headings with an arbitrary origin.
  public var headingSigma: Angle?
  /// The errors of measured heights, see ``Tracker/update(_:)-(HeightMeasurement)``; nil to ignore
  /// them.
  public var heights: HeightErrors?
  /// The errors of odometry, see ``Tracker/update(_:)-(OdometryIncrement)``; nil to ignore it.
  public var odometry: OdometryErrors?
  /// The errors of inertial data, see ``Tracker/update(_:)-(InertialMeasurement)``; nil to ignore
  /// them.
  ///
  /// They are ignored with ``odometry``, too.
  public var inertial: InertialErrors?
  /// Whether the track uses time differences, see ``Tracker/update(_:)-(TimedDifference)``.
  public var usesDifferences = false
  /// Maximum age of ranges used for the start, in seconds.
  public var startWindow = 2.0
  /// Standard deviation of each velocity component at the start and after a gap, in m/s.
  public var startVelocitySigma = 2.0
  /// Time after the last range from which an estimate is coasting, in seconds.
  public var coastAfter = 1.0
  /// The longest time without ranges over which the velocity is used, in seconds.
  public var longestGap = 3.0
  /// How far the clock must have stepped back for a restart, in seconds.
  ///
  /// Three ranges in a row that are so late confirm it. Other late ranges are discarded.
  public var clockStep = 10.0
  /// Whether the innovations scale the variance of ranges and the covariance of estimates.
  ///
  /// See ``Tracker/noiseFactor`` and ``Tracker/covarianceFactor``. If false, both are those of the
  /// filter.
  public var calibratesCovariance = true

  /// Creates the default assumptions: a walking person or a small robot, and ranges of 0.1 m.
  public init() {}
}

extension TrackerConfiguration {
  /// The errors of inertial data if they are used.
  var usedInertial: InertialErrors? { odometry == nil ? inertial : nil }

  /// The height if it is exact.
  var exactHeight: Double? { heightSigma == nil ? height : nil }

  /// The height and its standard deviation in metres, if it has one.
  var uncertainHeight: (value: Double, sigma: Double)? {
    guard let height, let heightSigma else { return nil }
    return (height, heightSigma)
  }
}
