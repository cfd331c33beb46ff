import Fathom

/// How an estimate is compared with truth; the defaults are those of common practice.
public struct EvaluationSettings: Sendable, Equatable, Codable {
  /// Truth is not interpolated over longer gaps than this, seconds.
  public var longestGap = 1.5
  /// Whether only x and y count, as where the height was given and not estimated.
  public var isHorizontal = false
  /// Seconds after the first instant of the estimates that are not scored.
  public var skipFirst = 0.0
  /// Seconds added to truth's time stamps.
  public var timeOffset = 0.0
  /// The only tag to judge; nil: all.
  public var tag: String?
  /// Instead of interpolating truth: its nearest pose in time, at most this far away, seconds.
  public var maximumDifference: Double?
  /// How old a position may be and still serve, seconds: what ``Availability/availability`` counts.
  public var maximumAge = 1.0
  /// The greatest delay looked for, either way, seconds.
  public var longestLatency = 2.0
  /// Path lengths over which the relative error is asked for, metres.
  public var relativeDistances: [Double] = []
  /// Spans of time over which the relative error is asked for, seconds.
  public var relativeTimes: [Double] = []

  /// The defaults.
  public init() {}

  /// The number of coordinates that count: 2 or 3.
  public var dimensions: Int { isHorizontal ? 2 : 3 }

  /// The coordinates of `vector` that count.
  func scored(_ vector: Vector<3>) -> [Double] { Array(vector.array.prefix(dimensions)) }

  /// Whether every coordinate of `position` that counts is determined.
  func isDetermined(_ position: Vector<3>) -> Bool {
    for axis in 0..<dimensions where !position[axis].isFinite { return false }
    return true
  }

  /// The length of `error` over the coordinates that count, metres.
  func magnitude(_ error: Vector<3>) -> Double {
    var sum = 0.0
    for axis in 0..<dimensions { sum += error[axis] * error[axis] }
    return sum.squareRoot()
  }
}
