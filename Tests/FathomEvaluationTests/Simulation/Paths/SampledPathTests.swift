import Fathom
import FathomRecordings
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct SampledPathTests {
  private func track(_ seconds: [Double], _ positions: [Vector<3>]) -> PositionTrack {
    PositionTrack(
      times: seconds.map { Timestamp(nanoseconds: Int64($0 * 1e9)) }, positions: positions)
  }

  @Test func linearInterpolationHasConstantVelocity() {
    // Times are relative to the first one: 100 s is the start.
    let path = SampledPath(
      track([100, 102, 103], [point(0, 0, 1), point(4, 0, 1), point(4, 3, 1)]),
      interpolation: .linear)
    #expect(path.motion(at: 0.5).position == point(1, 0, 1))
    #expect(path.motion(at: 0.5).velocity == point(2, 0, 0))
    #expect(path.motion(at: 2.5).position == point(4, 1.5, 1))
    #expect(path.motion(at: 2.5).ahead == point(0, 1, 0))
    #expect(path.motion(at: -1).position == point(0, 0, 1))
    #expect(path.motion(at: 9).position == point(4, 3, 1))
    #expect(path.motion(at: 9).velocity == .zero)
  }

  @Test func cubicReproducesAParabola() {
    // Inner points have the velocities of the parabola, and a cubic reproduces it.
    let times = [0.0, 0.7, 1, 1.9, 2.2, 3]
    let path = SampledPath(
      track(times, times.map { point($0 * $0, 2 * $0, 1 - $0 * $0) }), interpolation: .cubic)
    for time in stride(from: 0.7, through: 2.2, by: 0.05) {
      let motion = path.motion(at: time)
      #expect((motion.position - point(time * time, 2 * time, 1 - time * time)).length < 1e-7)
      #expect((motion.velocity - point(2 * time, 2, -2 * time)).length < 1e-6)
    }
  }

  @Test func cubicVelocityIsContinuous() {
    let path = SampledPath(
      track([0, 1, 2, 5], [point(0, 0, 0), point(1, 2, 0), point(-1, 2, 1), point(3, 3, 3)]),
      interpolation: .cubic)
    for time in [1.0, 2] {
      let before = path.motion(at: time - 1e-9)
      let after = path.motion(at: time + 1e-9)
      #expect((before.velocity - after.velocity).length < 1e-7)
      #expect((before.position - after.position).length < 1e-7)
    }
  }

  @Test func lastPositionAtATimeCounts() {
    let path = SampledPath(
      track([0, 1, 1, 2], [point(0, 0, 0), point(9, 9, 9), point(1, 0, 0), point(2, 0, 0)]),
      interpolation: .linear)
    #expect(path.motion(at: 1).position == point(1, 0, 0))
    let single = SampledPath(track([5], [point(1, 2, 3)]), interpolation: .cubic)
    #expect(single.motion(at: 7).position == point(1, 2, 3))
  }
}
