/// The evidence of measurements for the leading hypothesis about a tag against another one.
///
/// A measurement has a density under either hypothesis; the difference of their logarithms is its evidence.
/// The errors of a source persist while the tag is in one place: what reflects a range there reflects the
/// next one as well. The measurements of a source from one place therefore count once, with their mean, and
/// those from another place count again.
///
/// Some errors persist in all places: an anchor stands elsewhere, or has a delay. If the hypotheses expect
/// measurements that differ by Δ, a persistent error of the standard deviation σ can imitate either, however
/// many measurements there are. The evidence of a source is therefore at most Δ²/2σ².
struct HypothesisEvidence: Sendable {
  /// The logarithm of the odds that decide: 400 to 1.
  static let decisiveOdds = 6.0
  /// The largest evidence of one measurement, so that a single outlier cannot decide.
  private static let most = 2.0
  /// The distance beyond which the errors of a source differ, metres: reflections change within
  /// wavelengths of some centimetres to a metre.
  private static let placeSize = 1.0
  /// The normalised innovation squared up to which a measurement fits a hypothesis: three standard
  /// deviations.
  private static let likelySquare = 9.0

  /// What a measurement comes from, and how its errors persist.
  enum Source: Hashable {
    case anchor(Int)
    case tag(Int)
  }

  /// Log-likelihood of the leading hypothesis less that of the other one, in nats.
  private(set) var total: Double
  /// ``total`` at the beginning.
  private var prior: Double
  private var sources: [Source: SourceEvidence] = [:]

  /// The evidence of one source.
  private struct SourceEvidence: Sendable {
    /// The evidence from former places.
    var former = 0.0
    /// The present place, and the evidence from there.
    var offset: Vector<3>
    var sum = 0.0
    var count = 0.0
    /// The mean square of what both hypotheses expect differently, and its weight.
    var square = 0.0
    var weight = 0.0

    /// The evidence of the source, with persistent errors of the given variance in all places.
    func total(persistent variance: Double) -> Double {
      let all = former + (count > 0 ? sum / count : 0)
      guard variance > 0, weight > 0 else { return all }
      let most = 0.5 * square / (weight * variance)
      return min(most, max(-most, all))
    }
  }

  /// Creates the evidence for the leading hypothesis, in nats, of what was measured so far.
  init(prior: Double = 0) {
    (total, self.prior) = (prior, prior)
  }

  /// Whether the measurements have decided against the other hypothesis.
  var isDecided: Bool { total - prior >= Self.decisiveOdds }

  /// Adds the evidence of a measurement by its readings under both hypotheses.
  ///
  /// A measurement that neither explains is no evidence.
  ///
  /// - Parameters:
  ///   - own: The reading under the leading hypothesis.
  ///   - other: The reading under the other one.
  ///   - source: What it comes from; nil for a measurement whose errors do not persist.
  ///   - offset: The place of the tag from there, in metres.
  ///   - difference: By how much the measurements differ that both hypotheses expect, in metres.
  ///   - variance: The variance of the error of the source that persists in all places, in m².
  mutating func record(
    _ own: TrackMixture.Reading, against other: TrackMixture.Reading, source: Source?,
    offset: Vector<3>, difference: Double, persistent variance: Double
  ) {
    guard min(own.normalizedSquare, other.normalizedSquare) < Self.likelySquare else { return }
    record(
      own.logLikelihood - other.logLikelihood, source: source, offset: offset,
      difference: difference, persistent: variance)
  }

  /// Adds the difference of two log-likelihoods; ignored if not finite.
  ///
  /// `difference` is that of the measurements that both hypotheses expect, in metres.
  mutating func record(
    _ advantage: Double, source: Source?, offset: Vector<3>, difference: Double = 0,
    persistent variance: Double = 0
  ) {
    guard advantage.isFinite, difference.isFinite else { return }
    let bounded = min(Self.most, max(-Self.most, advantage))
    guard let source else {
      total += bounded
      return
    }
    var found = sources[source] ?? SourceEvidence(offset: offset)
    let before = found.total(persistent: variance)
    if found.count > 0, !((offset - found.offset).length < Self.placeSize) {
      found.former += found.sum / found.count
      (found.offset, found.sum, found.count) = (offset, 0, 0)
    }
    found.sum += bounded
    found.count += 1
    found.square += difference * difference
    found.weight += 1
    total += found.total(persistent: variance) - before
    sources[source] = found
  }

  /// Adds evidence without a bound: that of a measurement which decides alone.
  mutating func decide(_ advantage: Double) { total += advantage }

  /// Returns the same evidence with the other hypothesis leading.
  var reversed: Self {
    var result = self
    result.total = -total
    result.prior = max(0, -prior)
    for source in sources.keys {
      result.sources[source]?.sum.negate()
      result.sources[source]?.former.negate()
    }
    return result
  }

  /// Returns the evidence against the same hypothesis for another one, for which `lead` is the evidence
  /// against the present leading one.
  func after(_ lead: Self) -> Self {
    var result = Self(prior: total - lead.total)
    result.prior = max(0, prior)
    return result
  }
}

extension RangeErrors {
  /// The share of the standard deviation of ranges that persists in all places unless more is known: as much
  /// as the survey of an anchor and the delay of its antenna usually leave beside the noise.
  private static let persistentShare = 0.5

  /// The variance of an error of a link that persists in all places, when hypotheses are compared, in m².
  var comparedPersistentVariance: Double {
    let least = max(persistentSigma, Self.persistentShare * sigma)
    return least * least
  }
}
