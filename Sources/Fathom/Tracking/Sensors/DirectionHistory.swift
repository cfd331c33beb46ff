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
  /// The factor on the variance of directions.
  private var noise = NoiseScale()
  /// The time of the last prediction of the heading error.
  var drifted: Timestamp?
  /// The competing mirror hypothesis while it is being compared; at most one element.
  var hypotheses: [TrackHypothesis] = []
  /// Recent excess of directions with a large innovation over the usual number.
  private var outlierScore = 0.0
  /// The score from which the mirror hypothesis is tested.
  private var scoreThreshold = Self.leastThreshold

  private static let leastThreshold = 6.0
  private static let greatestThreshold = 48.0
  /// Reduction of the score by an angle within two standard deviations; one in four may lie beyond.
  private static let inlierCredit = 1.0 / 3

  /// Largest noise factor: noisier directions indicate another side or heading.
  private static let mostNoise = 16.0

  /// The present factor on the given variance of directions, at least 1.
  var noiseFactor: Double { min(Self.mostNoise, noise.factor) }

  /// Resets the noise estimate after a wrong track.
  mutating func forgetNoise() { noise = NoiseScale() }

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

  /// Records an angle with the normalised innovation squared `square`.
  ///
  /// - Returns: Whether recent outliers are frequent enough to test the mirror hypothesis.
  mutating func record(_ square: Double) -> Bool {
    noise.record(square)
    guard hypotheses.isEmpty else { return false }
    outlierScore = max(0, outlierScore + (square > 4 ? 1 : -Self.inlierCredit))
    guard outlierScore >= scoreThreshold else { return false }
    // Each test without success doubles the threshold of the next one.
    outlierScore = 0
    scoreThreshold = min(Self.greatestThreshold, 2 * scoreThreshold)
    return true
  }

  /// Resets the comparison after the end of a track.
  mutating func restart() {
    hypotheses = []
    outlierScore = 0
    scoreThreshold = Self.leastThreshold
  }
}

extension RangeErrors {
  /// Returns the factor on the variance of an angle that accounts for its correlated error.
  ///
  /// Angles are assumed to have the same correlated share and correlation time as ranges.
  ///
  /// - Parameter interval: The time since the last angle of the link in seconds; infinite without
  ///   one.
  /// - Returns: The factor, at least 1.
  func angleFactor(interval: Double) -> Double {
    effectiveVariance(interval: max(0, interval)) / (sigma * sigma)
  }
}
