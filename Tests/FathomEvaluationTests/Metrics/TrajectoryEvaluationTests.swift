import Fathom
import FathomEvaluation
import FathomRecordings
import TestSupport
import Testing

@Suite struct TrajectoryEvaluationTests {
  /// Errors (3, 4, 12) and (0, 0, 0): horizontal 5 and 0, vertical 12 and 0, spatial 13 and 0.
  private let tracks = [
    "a": EstimatedTrack(times: [instant(0)], positions: [point(3, 4, 12)]),
    "b": EstimatedTrack(times: [instant(1)], positions: [point(1, 0, 0)]),
  ]
  private let truth = Truth(tracks: [
    "": PositionTrack(times: [instant(0), instant(1)], positions: [.zero, point(1, 0, 0)])
  ])

  @Test func reportsEveryDirection() throws {
    let evaluation = TrajectoryEvaluation(tracks, truth: truth)
    #expect(evaluation.horizontal?.maxM == 5 && evaluation.vertical?.maxM == 12)
    #expect(evaluation.spatial?.maxM == 13 && evaluation.accuracy == evaluation.spatial)
    #expect(evaluation.accuracy?.meanM == 6.5 && evaluation.accuracy?.n == 2)
    #expect(evaluation.accuracyByTag["a"]?.rmseM == 13 && evaluation.accuracyByTag["b"]?.rmseM == 0)
    #expect(evaluation.consistency == nil && evaluation.latency == nil)
  }

  @Test func horizontalEvaluationHasNoVerticalAccuracy() {
    var settings = EvaluationSettings()
    settings.isHorizontal = true
    let evaluation = TrajectoryEvaluation(tracks, truth: truth, settings: settings)
    #expect(evaluation.accuracy?.maxM == 5 && evaluation.accuracy == evaluation.horizontal)
    #expect(evaluation.vertical == nil && evaluation.spatial == nil)
  }

  @Test func computesRequestedWindows() {
    var settings = EvaluationSettings()
    settings.relativeDistances = [1, 2]
    settings.relativeTimes = [3]
    let relative = TrajectoryEvaluation(tracks, truth: truth, settings: settings).relative
    #expect(relative.map(\.distanceM) == [1, 2, nil] && relative.map(\.timeS) == [nil, nil, 3])
  }

  @Test func disjointTracksYieldNoAccuracy() {
    let nothing = TrajectoryEvaluation([:], truth: truth)
    #expect(nothing.accuracy == nil && nothing.counts.total == 0)
    #expect(nothing.availability.coverage == 0 && nothing.consistency == nil)
    let alone = TrajectoryEvaluation(tracks, truth: Truth())
    #expect(alone.accuracy == nil && alone.counts.withoutTruth == 2)
    #expect(alone.availability.longestOutageS == nil && alone.availability.availability == nil)
    #expect(throws: AlignmentError.tooFewPoses(count: 2, needed: 3)) {
      try TrajectoryEvaluation.aligned(tracks, truth: truth)
    }
  }
}
