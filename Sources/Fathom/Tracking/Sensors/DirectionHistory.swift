/// The history of the directions that a tag measured.
struct DirectionHistory: Sendable {
  /// The last direction of one anchor.
  struct Latest: Sendable {
    var azimuth: Angle?
    var elevation: Angle?
    var time: Timestamp
  }

  /// The last direction of each anchor; empty before the first direction.
  private var latest: [Latest?] = []
  /// Recent excess of directions with a large innovation over the usual number.
  private var outlierScore = 0.0
  /// The score from which the mirror image is tested.
  private var scoreThreshold = Self.leastThreshold

  private static let leastThreshold = 6.0
  private static let greatestThreshold = 48.0
  /// Reduction of the score by an angle within two standard deviations; one in four may lie beyond.
  private static let inlierCredit = 1.0 / 3

  /// Records a direction, unless it is a repeated reading of its anchor.
  ///
  /// Returns whether it is one, and the time since the anchor's last direction in seconds.
  mutating func record(_ direction: Latest, anchor: Int, of count: Int, errors: RangeErrors)
    -> (isRepeated: Bool, interval: Double)
  {
    if latest.isEmpty { latest = Array(repeating: nil, count: count) }
    let interval = latest[anchor].map { direction.time.seconds(since: $0.time) } ?? .infinity
    if let last = latest[anchor], last.azimuth == direction.azimuth,
      last.elevation == direction.elevation, errors.isRepetition(after: interval)
    {
      return (true, interval)
    }
    latest[anchor] = direction
    return (false, interval)
  }

  /// Records an angle with the normalised innovation squared `square`, while there is one hypothesis.
  ///
  /// - Returns: Whether recent outliers are frequent enough to test the mirror image.
  mutating func isTestDue(_ square: Double) -> Bool {
    outlierScore = max(0, outlierScore + (square > 4 ? 1 : -Self.inlierCredit))
    guard outlierScore >= scoreThreshold else { return false }
    // Each test without success doubles the threshold of the next one.
    outlierScore = 0
    scoreThreshold = min(Self.greatestThreshold, 2 * scoreThreshold)
    return true
  }

  /// Resets the comparison after the end of a track.
  mutating func restart() {
    outlierScore = 0
    scoreThreshold = Self.leastThreshold
  }
}

extension RangeErrors {
  /// Returns the factor, at least 1, on the variance of an angle that accounts for its correlated
  /// error.
  ///
  /// Angles are assumed to have the same correlated share and correlation time as ranges.
  /// `interval` is the time since the last angle of the link in seconds; infinite without one.
  func angleFactor(interval: Double) -> Double {
    effectiveVariance(interval: max(0, interval)) / (sigma * sigma)
  }
}
