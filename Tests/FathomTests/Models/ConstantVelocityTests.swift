import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ConstantVelocityTests {
  /// By definition the model is ``WhiteNoiseAcceleration`` on every axis, as 6 x 6 matrices.
  @Test func predictionMatchesDenseMatrixProduct() {
    var generator = SeededGenerator(seed: 211)
    for _ in 0..<100 {
      let motion = Self.randomMotion(using: &generator)
      let estimate = Gaussian<6>.random(distance: 10, using: &generator)
      let seconds = generator.exponential(mean: 1)
      var transition = Matrix<6, 6>.zero
      var processNoise = Matrix<6, 6>.zero
      for axis in 0..<3 {
        let single = WhiteNoiseAcceleration(
          density: axis < 2 ? motion.horizontalDensity : motion.verticalDensity)
        let (step, noise) = (single.transition(over: seconds), single.noise(over: seconds))
        for (row, place) in [axis, axis + 3].enumerated() {
          for (column, other) in [axis, axis + 3].enumerated() {
            transition[place, other] = step[row, column]
            processNoise[place, other] = noise[row, column]
          }
        }
      }
      expectClose(
        motion.predict(estimate, over: seconds),
        estimate.predicted(transition: transition, processNoise: processNoise), "seed 211")
    }
  }

  @Test func twoShortStepsEqualOneLongStep() {
    var generator = SeededGenerator(seed: 212)
    for _ in 0..<100 {
      let motion = Self.randomMotion(using: &generator)
      let estimate = Gaussian<6>.random(distance: 10, using: &generator)
      let (first, second) = (generator.exponential(mean: 0.5), generator.exponential(mean: 0.5))
      expectClose(
        motion.predict(motion.predict(estimate, over: first), over: second),
        motion.predict(estimate, over: first + second), "seed 212")
    }
  }

  @Test func zeroStepKeepsEstimate() {
    var generator = SeededGenerator(seed: 213)
    let estimate = Gaussian<6>.random(distance: 10, using: &generator)
    let motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.2)
    #expect(motion.predict(estimate, over: 0) == estimate)
  }

  @Test func covarianceStaysBitwiseSymmetric() {
    var generator = SeededGenerator(seed: 214)
    var estimate = Gaussian<6>.random(distance: 10, using: &generator)
    for _ in 0..<200 {
      let motion = Self.randomMotion(using: &generator)
      estimate = motion.predict(estimate, over: generator.exponential(mean: 0.1))
      #expect(estimate.covariance == estimate.covariance.transposed(), "seed 214")
    }
  }

  @Test func knownHeightStaysConstant() {
    let motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0)
    var estimate = Gaussian(
      mean: Vector<6>([1, 2, 1.7, 0.5, -0.5, 0]),
      covariance: .diagonal(Vector<6>([0.04, 0.04, 0, 1, 1, 0])))
    for _ in 0..<1000 { estimate = motion.predict(estimate, over: 0.1) }
    #expect(estimate.mean[2] == 1.7 && estimate.mean[5] == 0)
    for axis in 0..<6 {
      #expect(estimate.covariance[2, axis] == 0 && estimate.covariance[5, axis] == 0)
    }
    // 100 s of walking: 0.04 + 100² · 1 + 0.25 · 100³/3 m².
    #expect(isClose(estimate.covariance[0, 0], 0.04 + 1e4 + 0.25e6 / 3, within: 1e-6))
  }

  private static func randomMotion(using generator: inout SeededGenerator) -> ConstantVelocity {
    ConstantVelocity(
      horizontalDensity: generator.uniform(in: 0...3),
      verticalDensity: generator.uniform(in: 0...3))
  }

  /// Expects equality to 1e-13 of the largest element.
  private func expectClose(_ first: Gaussian<6>, _ second: Gaussian<6>, _ comment: Comment) {
    #expect((first.mean - second.mean).length <= 1e-13 * second.mean.length, comment)
    let expected = second.covariance.dense
    #expect(
      first.covariance.dense.distance(to: expected) <= 1e-13 * expected.greatestMagnitude, comment)
  }
}
