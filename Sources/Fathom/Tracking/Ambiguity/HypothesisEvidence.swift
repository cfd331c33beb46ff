/// The evidence of measurements for the leading hypothesis about a tag against another one.
///
/// A measurement has a density under either hypothesis; the difference of their logarithms is its evidence.
/// The errors of a source persist while the tag is in one place: what reflects a range there reflects the
/// next one as well. The measurements of a source from one place therefore count once, with their mean, and
/// those from another place count again.
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
  /// The evidence of each source at the present place of the tag.
  private var places: [Source: Place] = [:]

  private struct Place: Sendable {
    var offset: Vector<3>
    var sum = 0.0
    var count = 0.0
    /// The part of the evidence that comes from this place.
    var mean: Double { count > 0 ? sum / count : 0 }
  }

  /// Creates the evidence for the leading hypothesis, in nats, of what was measured so far.
  init(prior: Double = 0) {
    (total, self.prior) = (prior, prior)
  }

  /// Whether the measurements have decided against the other hypothesis.
  var isDecided: Bool { total - prior >= Self.decisiveOdds }

  /// Adds the evidence of a measurement by its readings under both hypotheses.
  ///
  /// A measurement that neither explains says nothing of them.
  ///
  /// - Parameters:
  ///   - own: The reading under the leading hypothesis.
  ///   - other: The reading under the other one.
  ///   - source: What it comes from; nil for a measurement whose errors do not persist.
  ///   - offset: The place of the tag from there, in metres.
  mutating func record(
    _ own: TrackMixture.Reading, against other: TrackMixture.Reading, source: Source?,
    offset: Vector<3>
  ) {
    guard min(own.normalizedSquare, other.normalizedSquare) < Self.likelySquare else { return }
    record(own.logLikelihood - other.logLikelihood, source: source, offset: offset)
  }

  /// Adds the difference of two log-likelihoods; ignored if not finite.
  mutating func record(_ advantage: Double, source: Source?, offset: Vector<3>) {
    guard advantage.isFinite else { return }
    let bounded = min(Self.most, max(-Self.most, advantage))
    guard let source else {
      total += bounded
      return
    }
    var found = places[source] ?? Place(offset: offset)
    let before = found.mean
    if found.count > 0, !((offset - found.offset).length < Self.placeSize) {
      total += bounded
      places[source] = Place(offset: offset, sum: bounded, count: 1)
      return
    }
    found.sum += bounded
    found.count += 1
    total += found.mean - before
    places[source] = found
  }

  /// Adds evidence without a bound: that of a measurement which decides alone.
  mutating func decide(_ advantage: Double) { total += advantage }

  /// Returns the same evidence with the other hypothesis leading.
  var reversed: Self {
    var result = self
    result.total = -total
    result.prior = max(0, -prior)
    for source in places.keys { result.places[source]?.sum.negate() }
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
