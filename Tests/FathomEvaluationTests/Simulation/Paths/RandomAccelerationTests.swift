import Fathom
import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct RandomAccelerationTests {
  private let law = RandomAcceleration.Law(
    position: point(1, 0, 0), positionSigma: point(0.5, 0, 0), velocity: point(0.2, -1, 0),
    velocitySigma: point(0.3, 0, 0), density: point(0.4, 0, 0), step: 0.25)

  /// Compares the moments of 20 000 paths after 3 s with the exact ones.
  @Test(.releaseOnly) func positionAndVelocityMatchTheModelDistribution() {
    // Var v = 0.3² + 0.4² 3 = 0.57; Var p = 0.5² + 0.3² 9 + 0.4² 27 / 3 = 2.5; Cov = 0.3² 3 + 0.4²
    // 9 / 2 = 0.99; means 1.6 and 0.2. Standard errors for n = 20 000: 1 % of a variance, 0.011 m
    // of the mean position. The tolerance is five of each.
    let count = 20_000
    var sums = [Double](repeating: 0, count: 5)
    var uneven = 0
    for seed in 1...UInt64(count) {
      var generator = SeededGenerator(seed: seed)
      let motion = RandomAcceleration(law, duration: 3, using: &generator).motion(at: 3)
      let (place, speed) = (motion.position[0] - 1.6, motion.velocity[0] - 0.2)
      sums[0] += place
      sums[1] += speed
      sums[2] += place * place
      sums[3] += speed * speed
      sums[4] += place * speed
      // An axis without noise has constant velocity.
      if motion.position[1] != -3 || motion.position[2] != 0 { uneven += 1 }
    }
    #expect(uneven == 0)
    let means = sums.map { $0 / Double(count) }
    #expect(isClose(means[0], 0, within: 0.056) && isClose(means[1], 0, within: 0.027))
    #expect(isClose(means[2], 2.5, within: 0.125))
    #expect(isClose(means[3], 0.57, within: 0.029))
    #expect(isClose(means[4], 0.99, within: 0.056))
  }

  @Test func motionIsContinuousBetweenGridPoints() {
    var generator = SeededGenerator(seed: 8)
    let path = RandomAcceleration(law, duration: 20, using: &generator)
    let step = 1e-4
    var worst = 0.0
    for index in 1..<4000 {
      let time = Double(index) * 0.00497
      let change = path.motion(at: time + step).position - path.motion(at: time - step).position
      worst = max(worst, ((1 / (2 * step)) * change - path.motion(at: time).velocity).length)
    }
    #expect(worst < 1e-3)
    #expect(path.motion(at: 1e9) == path.motion(at: path.end))
  }
}
