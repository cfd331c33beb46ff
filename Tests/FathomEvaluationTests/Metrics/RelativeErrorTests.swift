import Fathom
import FathomEvaluation
import TestSupport
import Testing

@Suite struct RelativeErrorTests {
  /// A path along x in steps of 0.1 m and 0.1 s; the estimate is 1 % too long.
  private let poses = (0...100).map { step in
    MatchedPose(
      time: instant(Double(step) / 10), tag: "", estimate: point(0.101 * Double(step), 0, 0),
      truth: point(0.1 * Double(step), 0, 0))
  }

  /// 91 segments of 1 m (0 to 10, ..., 90 to 100), each 1 cm too long.
  @Test func computesDriftOverDistance() throws {
    let relative = RelativeError(overDistance: 1, poses, settings: EvaluationSettings())
    let drift = try #require(relative.drift)
    #expect(drift.n == 91 && relative.distanceM == 1 && relative.timeS == nil)
    #expect(isClose(drift.rmseM, 0.01, within: 1e-12) && isClose(drift.maxM, 0.01, within: 1e-12))
    #expect(isClose(try #require(relative.meanShare), 0.01, within: 1e-12))
  }

  @Test func computesDriftOverTime() throws {
    let relative = RelativeError(overTime: 2.5, poses, settings: EvaluationSettings())
    // From 0 to 7.5 s there is a pose 2.5 s later; 2.5 m of path are 2.5 cm too long.
    #expect(try #require(relative.drift).n == 76)
    #expect(isClose(try #require(relative.drift).medianM, 0.025, within: 1e-12))
    #expect(relative.meanShare == nil)
  }

  @Test func noSegmentCrossesAGapOrTags() throws {
    var broken = poses
    broken.removeSubrange(40..<70)
    let settings = EvaluationSettings()
    // Runs of 40 and 31 poses: 30 and 21 segments of 10 steps.
    #expect(RelativeError(overDistance: 1, broken, settings: settings).drift?.n == 51)
    var tagged = poses
    for index in 50...100 { tagged[index].tag = "b" }
    // Runs of 50 and 51.
    #expect(RelativeError(overTime: 1, tagged, settings: settings).drift?.n == 81)
  }

  @Test func windowsLongerThanThePathYieldNil() {
    let settings = EvaluationSettings()
    #expect(RelativeError(overDistance: 10.5, poses, settings: settings).drift == nil)
    #expect(RelativeError(overTime: 1, [], settings: settings).drift == nil)
    #expect(RelativeError(overTime: 1, Array(poses.prefix(1)), settings: settings).drift == nil)
    // Truth at rest has no path.
    let rest = poses.map { pose in
      MatchedPose(time: pose.time, tag: "", estimate: pose.estimate, truth: .zero)
    }
    #expect(RelativeError(overDistance: 1, rest, settings: settings).drift == nil)
    #expect(RelativeError(overTime: 1, rest, settings: settings).drift?.n == 91)
  }

  /// A constant offset causes no drift.
  @Test func constantOffsetsCauseNoDrift() throws {
    let moved = poses.map { pose in
      MatchedPose(
        time: pose.time, tag: "", estimate: pose.estimate + point(3, -2, 1), truth: pose.truth)
    }
    let settings = EvaluationSettings()
    let first = try #require(RelativeError(overDistance: 2, poses, settings: settings).drift)
    let second = try #require(RelativeError(overDistance: 2, moved, settings: settings).drift)
    #expect(isClose(first.rmseM, second.rmseM, within: 1e-12) && first.n == second.n)
  }
}
