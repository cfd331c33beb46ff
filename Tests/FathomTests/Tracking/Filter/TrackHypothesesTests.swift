import TestSupport
import Testing

@testable import Fathom

/// Competing hypotheses about one tag.
@Suite struct TrackHypothesesTests {
  private func estimate(x: Double, variance: Double = 0.01) -> TrackEstimate {
    TrackEstimate(
      time: Timestamp(nanoseconds: 0), position: Vector([x, 0, 0]), velocity: .zero,
      covariance: .diagonal(Vector([variance, variance, 0])), status: .tracking)
  }

  /// A hypothesis 2 m away with the odds 3 to 1 has a quarter of the probability: 0.01 + 0.25 x 4.
  @Test func covarianceContainsTheDistance() {
    var leading = estimate(x: 0)
    leading.add([(odds: 1.0986122886681098, estimate: estimate(x: 2))], isSupported: true)
    #expect((leading.covariance[0, 0] - 1.01).magnitude < 1e-12)
    #expect(leading.covariance[1, 1] == 0.01)
    #expect(leading.status == .ambiguous && leading.alternative == Vector([2, 0, 0]))
  }

  @Test func unlikelyHypothesesAreNotReported() {
    var leading = estimate(x: 0)
    leading.add([(odds: 6.1, estimate: estimate(x: 2))], isSupported: true)
    #expect(leading.status == .tracking && leading.alternative == nil)
    #expect(leading.covariance[0, 0] > 0.01)
  }

  private func filter(after nanoseconds: Int64) throws -> TrackFilter {
    var filter = TrackFilter(among: [Anchor(position: .zero)], validated: .withHeight(0))
    filter.time = Timestamp(nanoseconds: nanoseconds)
    return filter
  }

  /// The leading hypothesis and another one change places with their evidence, and the others keep theirs.
  @Test func likeliestHypothesisLeads() throws {
    var leading = try filter(after: 1)
    var hypotheses = TrackHypotheses()
    for evidence in [-2.0, 1] {
      hypotheses.add(
        try filter(after: 2), evidence: HypothesisEvidence(prior: evidence), from: 0)
    }
    hypotheses.lead(0, &leading)
    #expect(leading.time == Timestamp(nanoseconds: 2))
    #expect(hypotheses.others[0].filter.time == Timestamp(nanoseconds: 1))
    #expect(hypotheses.others.map(\.evidence.total) == [2, 3])
    #expect(hypotheses.identity == 1 && hypotheses.others.map(\.identity) == [0, 2])
  }

  @Test func leastLikelyHypothesisIsGivenUp() throws {
    var hypotheses = TrackHypotheses()
    for evidence in [3.0, 9, 1, 4] {
      hypotheses.add(
        try filter(after: 0), evidence: HypothesisEvidence(prior: evidence), from: 0)
    }
    #expect(hypotheses.others.map(\.evidence.total) == [3, 1, 4])
  }
}
