import Fathom

/// Settings for processing a recording; the defaults need no tuning.
public struct ProcessingSettings: Sendable, Equatable, Codable {
  /// Method for computing positions.
  public var method = PositionMethod.filter
  /// Output rate of positions at fixed intervals, in hertz; nil for one position per instant with
  /// ranges.
  ///
  /// Ignored without anchors.
  public var rateHz: Double?
  /// For ``PositionMethod/fix``: time for which a range belongs to an epoch, in seconds; nil to
  /// derive it from the recording, see `EpochWindow`.
  public var epochWindowS: Double?
  /// Known height of the tags, in metres, which overrides the recording's own.
  public var heightM: Double?
  /// Standard deviation of the height, in metres: the height is then estimated as well.
  ///
  /// Nil for an exact height.
  public var heightSigmaM: Double?
  /// Side of the anchors on which the tags are, which overrides the recording's own.
  ///
  /// It distinguishes mirror images above and below the anchors. It has no effect with an exact
  /// height.
  public var side: AnchorSide?
  /// Two corners of a box that contains the tags, with two or three coordinates each, in metres.
  ///
  /// It distinguishes mirror images.
  public var boundsM: [[Double]]?
  /// Zones on the floor plan, which override the recording's own.
  public var zones: ZoneSettings?
  /// Method for smoothing distances.
  public var smoothing = SmoothingMethod.kalmanVelocity
  /// Standard deviation of ranges without one of their own, in metres.
  ///
  /// ``PositionMethod/fix`` estimates it from the recording unless it is set, see
  /// ``rangeSigmaIsGiven``.
  public var rangeSigmaM = RangingDefaults.rangeSigma { didSet { rangeSigmaIsGiven = true } }
  /// Whether ``rangeSigmaM`` was set, so that it is used as it is; nil for the default value.
  public private(set) var rangeSigmaIsGiven: Bool?
  /// For ``PositionMethod/fix``: known bias of all ranges, in metres, in addition to the anchors'
  /// own; nil to correct a bias or scale if the recording proves one.
  public var rangeBiasM: Double?
  /// Names of anchors whose ranges are used even if they are wrong all the time; nil for none.
  ///
  /// See `RangeDiagnosis`.
  public var keptAnchors: [String]?
  /// Standard deviation of measured azimuths and elevations, in radians.
  public var angleSigmaRad = 5 * Double.pi / 180
  /// Frame in which a device reports directions; nil for the recording's own, or
  /// ``DeviceFrame/phone`` when the recording states none.
  public var deviceFrame: DeviceFrame?
  /// For positions from directions: standard deviation of the common heading error of the attitudes
  /// in `poses.csv`, in radians; π when the heading is unknown.
  ///
  /// Nil for the recording's own, or exact attitudes when the recording states none.
  public var headingSigmaRad: Double?
  /// Acceleration noise density of the tags, in (m/s²)/√Hz.
  public var accelerationDensity = RangingDefaults.accelerationDensity
  /// Columns that positions have in addition to the usual ones; nil for none.
  public var extraColumns: [ExtraColumns]?

  /// Creates the default settings.
  public init() {}

  /// The intervals of valid settings, units as in the names of the settings.
  package enum Bounds {
    package static let rateHz = 1e-3...1e6
    package static let epochWindowS = 0.0...1e6
    package static let heightM = -RecordingLimits.farthest...RecordingLimits.farthest
    package static let heightSigmaM = 1e-6...RecordingLimits.farthest
    package static let rangeSigmaM = 1e-6...1e6
    package static let rangeBiasM = -1e6...1e6
    package static let angleSigmaRad = 1e-8...Double.pi
    package static let headingSigmaRad = 1e-6...Double.pi
    package static let accelerationDensity = 0.0...1e6
  }

  /// The name of the first setting that is out of its bounds, as in a summary; nil when all are
  /// valid.
  ///
  /// The engine requires valid settings; those from a file must be checked.
  var invalid: String? {
    let values: [(String, Double?, ClosedRange<Double>)] = [
      ("rate_hz", rateHz, Bounds.rateHz), ("epoch_window_s", epochWindowS, Bounds.epochWindowS),
      ("height_m", heightM, Bounds.heightM),
      ("height_sigma_m", heightSigmaM, Bounds.heightSigmaM),
      ("range_sigma_m", rangeSigmaM, Bounds.rangeSigmaM),
      ("range_bias_m", rangeBiasM, Bounds.rangeBiasM),
      ("angle_sigma_rad", angleSigmaRad, Bounds.angleSigmaRad),
      ("heading_sigma_rad", headingSigmaRad, Bounds.headingSigmaRad),
      ("acceleration_density", accelerationDensity, Bounds.accelerationDensity),
    ]
    for (name, value, bounds) in values {
      if let value, !bounds.contains(value) { return name }
    }
    if let boundsM {
      let isNear = boundsM.joined().allSatisfy { $0.magnitude <= RecordingLimits.farthest }
      if !isNear || TagBounds.box(boundsM) == nil { return "bounds_m" }
    }
    return zones?.problem == nil ? nil : "zones"
  }

  /// Returns the tracker configuration for tags at `height`, or in three dimensions when it is nil.
  package func tracker(height: Double?) -> Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.modes.motion = ConstantVelocity(
      horizontalDensity: accelerationDensity, verticalDensity: accelerationDensity)
    configuration.errors.sigma = rangeSigmaM
    configuration.height = height
    configuration.heightSigma = height == nil ? nil : heightSigmaM
    configuration.side = side
    configuration.bounds = boundsM.flatMap(TagBounds.box)
    return configuration
  }
}

/// Columns of positions beyond the usual ones; raw values are the names on the command line.
public enum ExtraColumns: String, Sendable, Hashable, CaseIterable, Codable {
  /// Latitude and longitude on WGS84 in degrees, and altitude in metres, for anchors given so.
  case geodetic
  /// The other position of an ambiguous one, in metres.
  case alternative
}

/// A method for computing positions from ranges.
public enum PositionMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// Independent fixes: trilateration of the newest range of each anchor in every epoch.
  case fix
  /// Filtering: one update of a `Tracker` per range.
  case filter
  /// Smoothing: a `TrackSmoother` over the whole recording.
  case smooth
}

/// A method for smoothing distances; raw values are the names on the command line.
public enum SmoothingMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// `ScalarKalmanSmoother` with constant velocity: the default, with standard deviations and
  /// little lag.
  case kalmanVelocity = "kalman-velocity"
  /// `ScalarKalmanSmoother` with constant position.
  case kalmanPosition = "kalman-position"
  /// `ExponentialSmoother`.
  case exponential
  /// `MovingMedian`.
  case median
  /// `MedianAverageFilter`.
  case medianAverage = "median-average"
  /// `HampelFilter`.
  case hampel
  /// `AlphaBetaSmoother`.
  case alphaBeta = "alpha-beta"
  /// `OneEuroFilter`.
  case oneEuro = "one-euro"
}

/// Conversion of the box that contains the tags from files and settings.
package enum TagBounds {
  /// Returns the box between two corners.
  ///
  /// - Parameter corners: the smallest and the largest coordinates, two or three each; without a
  ///   third coordinate, the height is unbounded.
  /// - Returns: The box; nil when the corners are invalid.
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
