import Fathom
import FathomEvaluation
import FathomRecordings
import TestSupport
import Testing

/// Truth moves along x at 1 m/s, with poses at 0, 1 and 2 s and, after a gap of three seconds, at 5
/// and 6 s.
@Suite struct MatchedPosesTests {
  static let truth = Truth(tracks: [
    "": PositionTrack(
      times: [0, 1, 2, 5, 6].map(instant), positions: [0, 1, 2, 5, 6].map { point($0, 0, 0) })
  ])
  static let seconds = [-0.5, 0.5, 1.5, 3, 5.5, 7]
  static let tracks = [
    "a": EstimatedTrack(
      times: seconds.map(instant),
      positions: [
        point(-0.5, 0, 0), point(0.8, 0.4, 1.2), point(1.5, .nan, 0), point(3, 0, 0),
        point(5.5, 0, .nan), point(7, 0, 0),
      ])
  ]

  @Test func everyEstimateIsCountedOnce() {
    let matched = MatchedPoses(Self.tracks, truth: Self.truth)
    #expect(matched.counts.matched == 1)
    #expect(matched.counts.beforeTruth == 1 && matched.counts.afterTruth == 1)
    #expect(matched.counts.undetermined == 2 && matched.counts.inGapOfTruth == 1)
    #expect(matched.counts.total == 6 && matched.counts.unmatched == 5)
    // At 0.5 truth is (0.5, 0, 0): the error is (0.3, 0.4, 1.2), of length 1.3.
    let error = matched.poses[0].error
    #expect(isClose(error.length, 1.3, within: 1e-15))
    #expect(matched.errors(EvaluationSettings()).count == 1)
  }

  @Test func horizontalComparisonNeedsNoHeight() {
    var settings = EvaluationSettings()
    settings.isHorizontal = true
    let matched = MatchedPoses(Self.tracks, truth: Self.truth, settings: settings)
    #expect(matched.counts.matched == 2 && matched.counts.undetermined == 1)
    // Without z the error is (0.3, 0.4) of length 0.5, and zero at 5.5.
    let errors = matched.errors(settings)
    #expect(isClose(errors[0], 0.5, within: 1e-15) && errors[1] == 0)
  }

  @Test func longestGapIsConfigurable() {
    var settings = EvaluationSettings()
    settings.longestGap = 3
    #expect(MatchedPoses(Self.tracks, truth: Self.truth, settings: settings).counts.matched == 2)
  }

  @Test func skipsTheBeginning() {
    var settings = EvaluationSettings()
    settings.skipFirst = 1.5
    let counts = MatchedPoses(Self.tracks, truth: Self.truth, settings: settings).counts
    // From -0.5 + 1.5 = 1 on.
    #expect(counts.skipped == 2 && counts.matched == 0 && counts.total == 6)
  }

  @Test func appliesTimeOffsetToTruth() {
    var settings = EvaluationSettings()
    settings.timeOffset = -0.5
    let matched = MatchedPoses(Self.tracks, truth: Self.truth, settings: settings)
    // Truth now begins at -0.5, the time of the first estimate, and is at x = 1 at time 0.5.
    #expect(matched.counts.beforeTruth == 0 && matched.counts.matched == 2)
    #expect(isClose(matched.poses[0].error[0], -0.5, within: 1e-15))
    #expect(isClose(matched.poses[1].error[0], -0.2, within: 1e-15))
  }

  @Test func usesNearestPoseOnRequest() {
    var settings = EvaluationSettings()
    settings.maximumDifference = 0.5
    let matched = MatchedPoses(Self.tracks, truth: Self.truth, settings: settings)
    // -0.5 and 0.5 are half a second from truth at 0 (the earlier one wins); 3 and 7 are at least a
    // second away.
    #expect(matched.poses.map { $0.truth[0] } == [0, 0])
    #expect(matched.counts.inGapOfTruth == 1 && matched.counts.afterTruth == 1)
  }

  @Test func matchesTagsWithTruth() {
    let one = Self.tracks["a"] ?? EstimatedTrack()
    let own = PositionTrack(times: [instant(0), instant(1)], positions: [.zero, .zero])
    let truth = Truth(tracks: ["a": own, "b": own])
    let counts = MatchedPoses(["a": one, "c": one], truth: truth).counts
    #expect(counts.withoutTruth == 4 && counts.undetermined == 4)
    // Without tag names, estimates are compared with the only truth track, not with one of two.
    let nameless = ["": one]
    #expect(MatchedPoses(nameless, truth: truth).counts.matched == 0)
    #expect(MatchedPoses(nameless, truth: Truth(tracks: ["b": own])).counts.matched == 1)
    var settings = EvaluationSettings()
    settings.tag = "c"
    #expect(MatchedPoses(["a": one, "c": one], truth: truth, settings: settings).counts.total == 6)
  }

  @Test func convertsColumnsToTracks() throws {
    let recording = try RecordingReader.read(
      Reference.packageRoot.appending(path: "Datasets/robot-2d").path(percentEncoded: false))
    let positions = recording.processed().positions
    let tracks = EstimatedTrack.tracks(of: positions)
    #expect(tracks.values.reduce(0) { $0 + $1.count } == positions.count)
    let track = try #require(tracks.values.first)
    #expect(track.covariances?.count == track.count)
    #expect(zip(track.times, track.times.dropFirst()).allSatisfy { $0 <= $1 })
  }
}
