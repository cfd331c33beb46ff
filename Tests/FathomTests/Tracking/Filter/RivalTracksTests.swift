import TestSupport
import Testing

@testable import Fathom

/// Competing tracks of one tag.
@Suite struct RivalTracksTests {
  private func estimate(x: Double, variance: Double = 0.01) -> TrackEstimate {
    TrackEstimate(
      time: Timestamp(nanoseconds: 0), position: Vector([x, 0, 0]), velocity: .zero,
      covariance: .diagonal(Vector([variance, variance, 0])), status: .tracking)
  }

  /// A rival 2 m away with the odds 3 to 1 has a quarter of the probability: 0.01 + 0.25 x 4.
  @Test func covarianceContainsTheDistance() {
    var leading = estimate(x: 0)
    leading.add([(odds: 1.0986122886681098, estimate: estimate(x: 2))], isSupported: true)
    #expect((leading.covariance[0, 0] - 1.01).magnitude < 1e-12)
    #expect(leading.covariance[1, 1] == 0.01)
    #expect(leading.status == .ambiguous && leading.alternative == Vector([2, 0, 0]))
  }

  @Test func tracksInOnePlaceAreNotAmbiguous() {
    var leading = estimate(x: 0)
    leading.add([(odds: 0, estimate: estimate(x: 0.4))], isSupported: true)
    #expect(leading.status == .tracking && leading.alternative == nil)
    #expect((leading.covariance[0, 0] - 0.09).magnitude < 1e-12)
  }

  @Test func whatIsOutOfTheQuestionIsNotReported() {
    var leading = estimate(x: 0)
    leading.add([(odds: 6.1, estimate: estimate(x: 2))], isSupported: true)
    #expect(leading.status == .tracking && leading.alternative == nil)
    #expect(leading.covariance[0, 0] > 0.01)
  }

  /// The leading track and a rival change places with their evidence, and the others keep theirs.
  @Test func likeliestTrackLeads() throws {
    var tracker = try Tracker(
      anchors: [Anchor(position: .zero)], configuration: .withHeight(0))
    var other = tracker
    tracker.time = Timestamp(nanoseconds: 1)
    other.time = Timestamp(nanoseconds: 2)
    var rivals = RivalTracks()
    rivals.add(other, evidence: -2, outside: 0, from: 0)
    rivals.add(other, evidence: 1, outside: 0, from: 0)
    rivals.lead(0, &tracker)
    #expect(tracker.time == Timestamp(nanoseconds: 2))
    #expect(rivals.others[0].tracker.time == Timestamp(nanoseconds: 1))
    #expect(rivals.others.map(\.evidence) == [2, 3])
    #expect(rivals.identity == 1 && rivals.others.map(\.identity) == [0, 2])
  }

  @Test func leastLikelyTrackIsGivenUp() throws {
    let tracker = try Tracker(
      anchors: [Anchor(position: .zero)], configuration: .withHeight(0))
    var rivals = RivalTracks()
    for evidence in [3.0, 9, 1, 4] { rivals.add(tracker, evidence: evidence, outside: 0, from: 0) }
    #expect(rivals.others.map(\.evidence) == [3, 1, 4])
  }
}
