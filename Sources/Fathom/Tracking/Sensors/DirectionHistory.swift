/// What a tracker keeps of the directions that its tag measured.
struct DirectionHistory: Sendable {
  /// The last direction of one anchor.
  struct Latest: Sendable {
    var azimuth: Angle?
    var elevation: Angle?
    var time: Timestamp
  }

  /// Of each anchor; empty before the first direction.
  private var latest: [Latest?] = []
  /// How much larger the variance of directions is than given.
  private var noise = NoiseScale()
  /// When the error of headings last drifted.
  var drifted: Timestamp?
  /// The track on the other side of the mirror, while it may be the right one; one at most.
  var hypotheses: [TrackHypothesis] = []
  /// How many more directions than usual were far off of late.
  private var doubt = 0.0
  /// How much of that is enough to look at the other side.
  private var doubtThreshold = Self.leastThreshold

  private static let leastThreshold = 6.0
  private static let greatestThreshold = 48.0
  /// What an angle within two standard deviations takes from the doubt: one in four may lie beyond.
  private static let relief = 1.0 / 3

  /// Directions that look worse than this are those of another side or heading.
  private static let mostNoise = 16.0

  /// How much larger than given the variance of directions is taken to be at present, at least 1.
  var noiseFactor: Double { min(Self.mostNoise, noise.factor) }

  /// Forgets how directions looked from a track that was wrong.
  mutating func forgetNoise() { noise = NoiseScale() }

  /// Whether this direction says nothing that the last one of its link did not say; otherwise it is
  /// the last one from here on, and how long it is after the one before, seconds.
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

  /// Takes note of an angle whose normalised innovation squared is `square`.
  ///
  /// - Returns: Whether so many were far off of late that the other side of the mirror deserves a
  ///   look.
  mutating func record(_ square: Double) -> Bool {
    noise.record(square)
    guard hypotheses.isEmpty else { return false }
    doubt = max(0, doubt + (square > 4 ? 1 : -Self.relief))
    guard doubt >= doubtThreshold else { return false }
    // Where the other side turns out to be no better, the next look is farther off.
    doubt = 0
    doubtThreshold = min(Self.greatestThreshold, 2 * doubtThreshold)
    return true
  }

  /// Forgets what it knew of a track that has ended.
  mutating func restart() {
    hypotheses = []
    doubt = 0
    doubtThreshold = Self.leastThreshold
  }
}

extension RangeErrors {
  /// How many times larger the variance of an angle has to count because its error lasts: as much of
  /// it as of a range's, and as long.
  ///
  /// - Parameter interval: seconds since the last angle of the link, infinite where there was none.
  /// - Returns: The factor, at least 1.
  func angleFactor(interval: Double) -> Double {
    effectiveVariance(interval: max(0, interval)) / (sigma * sigma)
  }
}
