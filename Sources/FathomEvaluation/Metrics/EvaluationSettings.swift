import Fathom

/// The parameters of a comparison of estimates with truth; the defaults follow common practice.
public struct EvaluationSettings: Sendable, Equatable, Codable {
  /// Longest gap over which truth is interpolated, seconds.
  public var longestGap = 1.5
  /// Whether only x and y are scored, for example when the height is given and not estimated.
  public var isHorizontal = false
  /// Time after the first estimate that is not scored, seconds.
  public var skipFirst = 0.0
  /// Offset added to truth's time stamps, seconds.
  public var timeOffset = 0.0
  /// The only tag to evaluate; nil for all tags.
  public var tag: String?
  /// When set, each estimate is compared with the nearest truth pose at most this far away in time,
  /// seconds, instead of interpolated truth.
  public var maximumDifference: Double?
  /// Maximum age of an available position, seconds; see ``Availability/availability``.
  public var maximumAge = 1.0
  /// Maximum delay of the latency search in both directions, seconds.
  public var longestLatency = 2.0
  /// Path lengths for the relative error, metres.
  public var relativeDistances: [Double] = []
  /// Time spans for the relative error, seconds.
  public var relativeTimes: [Double] = []

  /// Creates the default settings.
  public init() {}

  /// Number of scored coordinates: 2 or 3.
  public var dimensions: Int { isHorizontal ? 2 : 3 }

  /// Returns whether every scored coordinate of `position` is determined.
  func isDetermined(_ position: Vector<3>) -> Bool {
    for axis in 0..<dimensions where !position[axis].isFinite { return false }
    return true
  }

  /// Returns the length of `error` over the scored coordinates, metres.
  func magnitude(_ error: Vector<3>) -> Double {
    var sum = 0.0
    for axis in 0..<dimensions { sum += error[axis] * error[axis] }
    return sum.squareRoot()
  }
}
