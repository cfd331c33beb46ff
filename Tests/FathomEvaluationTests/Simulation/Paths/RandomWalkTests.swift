import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct RandomWalkTests {
  private func walk(
    seed: UInt64, duration: Double = 200, start: Vector<3>? = nil
  ) -> RandomWalk {
    let pace = RandomWalk.Pace(
      low: point(-2, 1, 0.5), high: point(8, 4, 0.5), start: start, speed: 0.6,
      correlationTime: 2)
    var generator = SeededGenerator(seed: seed)
    return RandomWalk(pace, duration: duration, using: &generator)
  }

  /// The walk stays in its box, is continuous, and its velocity is the derivative of its position.
  @Test(arguments: 1...20)
  func pathIsSmoothAndInsideTheBox(seed: UInt64) {
    let walk = walk(seed: seed)
    let step = 1e-3
    var worst = 0.0
    for index in 0..<1000 {
      let time = 0.05 + Double(index) * 0.1994
      let motion = walk.motion(at: time)
      let isInside =
        (-2...8).contains(motion.position[0]) && (1...4).contains(motion.position[1])
        && motion.position[2] == 0.5 && motion.velocity[2] == 0
      if !isInside { Issue.record("seed \(seed): outside after \(time) s") }
      let change = walk.motion(at: time + step).position - walk.motion(at: time - step).position
      worst = max(worst, ((1 / (2 * step)) * change - motion.velocity).length)
    }
    // Acceleration jumps at grid points, so central differences have errors of a h / 4 with a below
    // 10 m/s².
    #expect(worst < 0.002_5, "seed \(seed)")
  }

  @Test(.releaseOnly) func velocityHasGivenSpreadAndCorrelation() {
    // The box is so wide that it has no effect, and the velocity is the process itself. 4000
    // correlation times give about 4000 independent velocities per axis. The standard error of the
    // variance is 2.2 %; the tolerance is five of them.
    let pace = RandomWalk.Pace(
      low: point(-1e6, -1e6, 0), high: point(1e6, 1e6, 0), start: point(0, 0, 0), speed: 0.6,
      correlationTime: 2)
    var generator = SeededGenerator(seed: 4)
    let walk = RandomWalk(pace, duration: 8000, using: &generator)
    var (square, product) = (0.0, 0.0)
    // The grid is 0.2 s: times on it, and 2 s later.
    for index in 0..<39_900 {
      let (now, later) = (Double(index) * 0.2, Double(index + 10) * 0.2)
      let (first, second) = (walk.motion(at: now).velocity, walk.motion(at: later).velocity)
      square += first[0] * first[0] + first[1] * first[1]
      product += first[0] * second[0] + first[1] * second[1]
    }
    #expect(isClose(square / 79_800, 0.36, within: 0.04))
    // exp(-1) = 0.3679.
    #expect(isClose(product / square, 0.367_9, within: 0.08))
  }

  @Test func startsAtGivenPosition() {
    let start = point(7.5, 1.2, 0.5)
    #expect((walk(seed: 3, start: start).motion(at: 0).position - start).length < 1e-12)
    // Including the corners.
    let corner = point(8, 1, 0.5)
    #expect((walk(seed: 3, start: corner).motion(at: 0).position - corner).length < 1e-12)
    let first = walk(seed: 3).motion(at: 0).position
    #expect(first != walk(seed: 4).motion(at: 0).position)
    #expect(walk(seed: 3) == walk(seed: 3))
  }

  @Test func isConstantOutsideItsDuration() {
    let walk = walk(seed: 5, duration: 10)
    #expect(walk.end >= 10)
    #expect(walk.motion(at: -1) == walk.motion(at: 0))
    #expect(walk.motion(at: 1e6) == walk.motion(at: walk.end))
  }
}
