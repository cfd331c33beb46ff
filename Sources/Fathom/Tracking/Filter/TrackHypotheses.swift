import RealModule

/// What else a tag's measurements leave open, beside the leading hypothesis of its ``Tracker``.
///
/// Every hypothesis is a ``TrackFilter`` that processes the same measurements: the image of a track behind
/// the plane of its anchors, or another place that the ranges to other tags explain. The evidence is that of
/// ``HypothesisEvidence``. The leading hypothesis stays until the measurements have decided against it: less
/// evidence is what persistent errors imitate, and a track that changes sides with it would be of no use.
struct TrackHypotheses: Sendable {
  /// A hypothesis that competes with the leading one.
  struct Hypothesis: Sendable {
    var filter: TrackFilter
    /// The evidence for the leading hypothesis against this one.
    var evidence: HypothesisEvidence
    /// The plane in which it is the image of the leading hypothesis; nil for another place.
    var mirror: Mirror?
    /// The number of comparisons in succession in which it was no other track than a likelier one.
    var meetings = 0
    /// How far the track has been outside of the box, as minus the logarithm of a probability.
    var outside = 0.0
    /// The number of the hypothesis, and that of the one from which it branched.
    var identity: Int
    var origin: Int
  }

  /// The competing hypotheses.
  var others: [Hypothesis] = []
  /// How far the leading track has been outside of the box.
  var outside = 0.0
  /// The number of the leading hypothesis, and that of the one from which it branched; -1 for none.
  private(set) var identity = 0
  private(set) var origin = -1
  private var next = 1
  /// The number of hypotheses that have become one with another.
  private(set) var mergers = 0
  /// The time from which it is asked again whether two hypotheses have become one.
  private var merging = Timestamp(nanoseconds: .min)

  /// Whether there is only one hypothesis.
  @inline(__always)
  var isEmpty: Bool { others.isEmpty }

  /// The largest number of competing hypotheses: both sides, before and after a meeting.
  private static let most = 3
  /// The part outside of the box from which a hypothesis is given up, in nats: twice the decisive odds, since
  /// a box may be known to some decimetres only.
  static let finalOdds = 2 * HypothesisEvidence.decisiveOdds
  /// The time between two comparisons of the places of hypotheses, in seconds.
  private static let mergingInterval = 0.5
  /// The number of comparisons in succession after which two tracks at one place are one: the wide ones of a
  /// start separate soon.
  private static let mostMeetings = 2
  /// The squared Mahalanobis distance between two states, by their common covariance, below which they are
  /// one.
  private static let leastDifference = 0.5

  /// Returns the logarithm of the odds of the leading hypothesis against another one.
  func odds(_ other: Hypothesis) -> Double { other.evidence.total + other.outside - outside }

  /// Whether no other hypothesis is likely enough to be reported.
  var isClear: Bool { others.allSatisfy { odds($0) >= HypothesisEvidence.decisiveOdds } }

  /// Adds a hypothesis that branched from the one with the number `origin`.
  mutating func add(
    _ filter: TrackFilter, evidence: HypothesisEvidence, mirror: Mirror? = nil,
    outside: Double = 0, from origin: Int
  ) {
    others.append(
      Hypothesis(
        filter: filter, evidence: evidence, mirror: mirror, outside: outside, identity: next,
        origin: origin))
    next += 1
    guard others.count > Self.most else { return }
    if let last = others.indices.max(by: { odds(others[$0]) < odds(others[$1]) }) {
      others.remove(at: last)
    }
  }

  /// Begins again, with a new leading track.
  mutating func restart() {
    others = []
    outside = 0
    (identity, origin) = (next, identity)
    next += 1
  }

  /// The evidence by which another hypothesis is likelier than the leading one, in nats.
  private static let leastLead = 1.0

  /// The number of the likeliest hypothesis: the leading one unless another is clearly ahead.
  var likeliest: Int {
    let best = others.min { odds($0) < odds($1) }
    return best.map { odds($0) < -Self.leastLead ? $0.identity : identity } ?? identity
  }

  /// Lets a hypothesis lead that the measurements have decided for, and removes those that they have decided
  /// against or that have diverged.
  mutating func settle(_ leading: inout TrackFilter) {
    others.removeAll { $0.filter.mixture.hasDiverged }
    if let best = others.indices.min(by: { odds(others[$0]) < odds(others[$1]) }),
      leading.mixture.hasDiverged || odds(others[best]) < -HypothesisEvidence.decisiveOdds
    {
      lead(best, &leading)
    }
    others.removeAll { [outside] in
      $0.evidence.isDecided || $0.outside - outside > Self.finalOdds
        || $0.filter.mixture.hasDiverged
    }
  }

  /// Makes the hypothesis at `index` the leading one in place of `leading`, which competes with it.
  mutating func lead(_ index: Int, _ leading: inout TrackFilter) {
    var other = others[index]
    let lead = other.evidence
    swap(&leading, &other.filter)
    swap(&outside, &other.outside)
    (identity, other.identity) = (other.identity, identity)
    (origin, other.origin) = (other.origin, origin)
    for place in others.indices where place != index {
      others[place].evidence = others[place].evidence.after(lead)
    }
    other.evidence = lead.reversed
    others[index] = other
  }

  /// Whether a track is another one than those of the hypotheses, by position and velocity.
  func isDistinct(_ filter: TrackFilter, from leading: TrackFilter) -> Bool {
    filter.isDistinct(from: leading, by: Self.leastDifference)
      && others.allSatisfy { filter.isDistinct(from: $0.filter, by: Self.leastDifference) }
  }

  /// Gives up the less likely of two hypotheses that have come to the same place and velocity;
  /// returns whether there were such.
  mutating func merge(_ leading: TrackFilter, at time: Timestamp) -> Bool {
    guard time >= merging else { return false }
    merging = time.advanced(bySeconds: Self.mergingInterval)
    let before = others
    others = []
    for var other in before.sorted(by: { odds($0) < odds($1) }) {
      other.meetings = isDistinct(other.filter, from: leading) ? 0 : other.meetings + 1
      if other.meetings < Self.mostMeetings { others.append(other) }
    }
    mergers += before.count - others.count
    return others.count < before.count
  }
}

extension TrackEstimate {
  /// Adds competing estimates of the same instant.
  ///
  /// The distance to each counts by its probability, so that the covariance is that of the error of
  /// the position, whichever is right. The likeliest is the alternative while its odds are above 1
  /// to 400. `odds` is the logarithm of the odds of this estimate against the other. With
  /// `isSupported`, such an alternative makes the status ``Status/ambiguous``.
  mutating func add(_ others: [(odds: Double, estimate: TrackEstimate)], isSupported: Bool) {
    let total = others.reduce(1) { $0 + Double.exp(-max(-50, $1.odds)) }
    var likeliest = HypothesisEvidence.decisiveOdds
    for (odds, other) in others {
      let offset = other.position - position
      let share = Double.exp(-max(-50, odds)) / total
      covariance.addOuterProduct(of: offset, times: share)
      guard odds < likeliest else { continue }
      likeliest = odds
      alternative = other.position
      if isSupported { status = .ambiguous }
    }
  }
}

extension TrackFilter {
  /// Whether two tracks differ in position or velocity, by more than `least` in the squared Mahalanobis
  /// distance of their common covariance.
  fileprivate func isDistinct(from other: TrackFilter, by least: Double) -> Bool {
    let (own, others) = (mixture.kinematics, other.mixture.kinematics)
    return (own.mahalanobis(from: others, own.covariance + others.covariance) ?? 0) > least
  }
}

extension Gaussian<6> {
  /// Returns the squared Mahalanobis distance between the means of two states; nil if it cannot be computed.
  func mahalanobis(from other: Self, _ covariance: Matrix<6, 6>) -> Double? {
    // Elements without variance are known, such as a height.
    var matrix = covariance
    for index in 0..<6 where !(matrix[index, index] > 0) { matrix[index, index] = 1 }
    let difference = mean - other.mean
    return Cholesky(matrix).map { difference.dot($0.solve(difference)) }
  }
}
