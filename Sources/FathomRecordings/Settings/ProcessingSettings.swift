import Fathom

/// How a recording is turned into results; the defaults need no tuning.
public struct ProcessingSettings: Sendable, Equatable, Codable {
  /// How positions are computed.
  public var method = PositionMethod.filter
  /// Positions on a fixed grid of this many per second instead of one per instant with ranges; without
  /// anchors there is no grid.
  public var rateHz: Double?
  /// For ``PositionMethod/fix``: how long a range counts towards an epoch, seconds; nil to take it
  /// from the recording, see `EpochWindow`.
  public var epochWindowS: Double?
  /// Known height of the tags, metres, instead of the recording's own.
  public var heightM: Double?
  /// Standard deviation of the height, metres: the height is then estimated as well; nil for one that is
  /// exact.
  public var heightSigmaM: Double?
  /// Two corners of a box that holds the tags, of two or three coordinates, metres: it chooses between
  /// mirror images.
  public var boundsM: [[Double]]?
  /// Zones on the floor plan, instead of the recording's own.
  public var zones: ZoneSettings?
  /// How distances are smoothed.
  public var smoothing = SmoothingMethod.kalmanVelocity
  /// Standard deviation of ranges that come without their own, metres.
  public var rangeSigmaM = RangingDefaults.rangeSigma
  /// Standard deviation of directions and angles, radians.
  public var angleSigmaRad = 5 * Double.pi / 180
  /// The frame in which a device counts its directions; nil for the recording's own, and
  /// ``DeviceFrame/phone`` where it does not say.
  public var deviceFrame: DeviceFrame?
  /// For positions from directions too: standard deviation of the heading that the attitudes
  /// in `poses.csv` share, radians, π where it is not known; nil for the recording's own, and for
  /// attitudes that are exact where it does not say.
  public var headingSigmaRad: Double?
  /// Density of the acceleration of the tags, (m/s²)/√Hz.
  public var accelerationDensity = RangingDefaults.accelerationDensity

  /// The defaults.
  public init() {}

  /// The tracker's configuration for tags at `height`, or anywhere in space.
  func tracker(height: Double?) -> Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.modes.motion = ConstantVelocity(
      horizontalDensity: accelerationDensity, verticalDensity: accelerationDensity)
    configuration.errors.sigma = rangeSigmaM
    configuration.height = height
    configuration.heightSigma = height == nil ? nil : heightSigmaM
    configuration.bounds = boundsM.flatMap(TagBounds.box)
    return configuration
  }
}

/// How positions are computed from ranges.
public enum PositionMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// Every epoch by itself: trilateration of the newest range of each anchor.
  case fix
  /// Forward in time: one update of a ``Tracker`` per range.
  case filter
  /// All ranges at once: a ``TrackSmoother`` over the whole recording.
  case smooth
}

/// The distance smoothers on offer, by the names of the command line.
public enum SmoothingMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// ``ScalarKalmanSmoother`` with a constant velocity: the default, with sigma and little lag.
  case kalmanVelocity = "kalman-velocity"
  /// ``ScalarKalmanSmoother`` with a constant position.
  case kalmanPosition = "kalman-position"
  /// ``ExponentialSmoother``.
  case exponential
  /// ``MovingMedian``.
  case median
  /// ``MedianAverageFilter``.
  case medianAverage = "median-average"
  /// ``HampelFilter``.
  case hampel
  /// ``AlphaBetaSmoother``.
  case alphaBeta = "alpha-beta"
  /// ``OneEuroFilter``.
  case oneEuro = "one-euro"
}

/// A box that holds the tags, as files and settings have it.
package enum TagBounds {
  /// The box between two corners.
  ///
  /// - Parameter corners: the least and the greatest coordinates, two or three each; without a third
  ///   the box goes all the way up.
  /// - Returns: The box; nil where the corners make none.
  package static func box(_ corners: [[Double]]) -> PositionBounds<3>? {
    guard corners.count == 2, corners[0].count == corners[1].count,
      (2...3).contains(corners[0].count),
      zip(corners[0], corners[1]).allSatisfy({ $0.isFinite && $1.isFinite && $0 <= $1 })
    else { return nil }
    var bounds = PositionBounds<3>(
      lower: Vector(repeating: -.infinity), upper: Vector(repeating: .infinity))
    for axis in corners[0].indices {
      bounds.lower[axis] = corners[0][axis]
      bounds.upper[axis] = corners[1][axis]
    }
    return bounds
  }
}
