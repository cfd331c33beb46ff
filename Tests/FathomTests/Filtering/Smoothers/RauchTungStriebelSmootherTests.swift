import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Compares smoothers with the joint distribution of the whole trajectory, solved by LAPACK.
///
/// The reference has no recursion and no gain, and shares no code with the smoother.
/// ``SmootherOracleTests`` compares with recorded results.
@Suite struct RauchTungStriebelSmootherTests {
  @Test(arguments: [UInt64](291...296))
  func smoothersMatchJointSolution(_ seed: UInt64) throws {
    let run = try LinearRun(seed: seed)
    var plain = KalmanFilter(state: run.prior, observation: run.observation, noise: run.noise)
    var extended = ExtendedKalmanFilter(state: run.prior)
    var unscented = UnscentedKalmanFilter(state: run.prior, rule: .merwe(order: 4, alpha: 0.7))
    var cubature = CubatureKalmanFilter(state: run.prior)
    var smoothers = [RauchTungStriebelSmoother<4>](
      repeating: RauchTungStriebelSmoother(start: run.prior), count: 4)
    for step in run.steps {
      let reversals = [
        plain.predictReversibly(
          transition: run.motion.transition(step.seconds),
          processNoise: run.motion.noise(step.seconds)),
        extended.predictReversibly(by: run.motion, over: step.seconds),
        unscented.predictReversibly(by: run.motion, over: step.seconds),
        cubature.predictReversibly(by: run.motion, over: step.seconds),
      ]
      try plain.update(step.measured)
      try extended.update(step.measured, of: run.model, noise: run.noise)
      try unscented.update(step.measured, of: run.model, noise: run.noise)
      try cubature.update(step.measured, of: run.model, noise: run.noise)
      let estimates = [plain.state, extended.state, unscented.state, cubature.state]
      for index in 0..<4 { smoothers[index].append(estimates[index], reversal: reversals[index]) }
    }
    for (index, smoother) in smoothers.enumerated() {
      let disagreement = try run.jointDisagreement(of: smoother.smoothed())
      #expect(disagreement < 1e-9, "seed \(seed), filter \(index)")
    }
  }

  @Test func fullLagMatchesFixedIntervalSmoother() throws {
    let run = try LinearRun(seed: 297)
    var filter = ExtendedKalmanFilter(state: run.prior)
    var whole = RauchTungStriebelSmoother(start: run.prior)
    var lagging = FixedLagSmoother(start: run.prior, lag: run.steps.count)
    var answer: Gaussian<4>?
    for step in run.steps {
      let reversal = filter.predictReversibly(by: run.motion, over: step.seconds)
      try filter.update(step.measured, of: run.model, noise: run.noise)
      whole.append(filter.state, reversal: reversal)
      #expect(answer == nil)
      answer = lagging.append(filter.state, reversal: reversal)
    }
    let smoothed = whole.smoothed()
    #expect(answer == smoothed.first)
    #expect(lagging.rest() == Array(smoothed.dropFirst()))
  }

  /// The estimate k instants late is the first one of a smoother over the data available then.
  @Test func shortLagMatchesSmootherOfAvailableData() throws {
    let run = try LinearRun(seed: 298)
    var filter = ExtendedKalmanFilter(state: run.prior)
    var whole = RauchTungStriebelSmoother(start: run.prior)
    var lagging = FixedLagSmoother(start: run.prior, lag: 4)
    for (index, step) in run.steps.enumerated() {
      let reversal = filter.predictReversibly(by: run.motion, over: step.seconds)
      try filter.update(step.measured, of: run.model, noise: run.noise)
      whole.append(filter.state, reversal: reversal)
      let answer = lagging.append(filter.state, reversal: reversal)
      #expect(answer == (index >= 3 ? whole.smoothed()[index - 3] : nil))
      #expect(lagging.rest() == Array(whole.smoothed()[max(0, index - 2)...]))
    }
  }

  @Test func iteratedSmootherConvergesAtOnceForLinearModels() throws {
    let run = try LinearRun(seed: 299)
    let steps = run.steps.map {
      IteratedSmoother<4, 2>.Step(
        seconds: $0.seconds, measurement: $0.measured, noise: run.noise)
    }
    let result = try IteratedSmoother<4, 2>(prior: run.prior).smoothed(
      steps, by: run.motion, of: { _ in run.model })
    #expect(result.passes == 2 && result.isConverged)
    #expect(try run.jointDisagreement(of: [run.prior] + result.states, from: 1) < 1e-9)
  }

  @Test func equalModelMixtureMatchesSingleModel() throws {
    let run = try LinearRun(seed: 300)
    var filter = InteractingMultipleModel<2, 4>(
      state: run.prior, probabilities: Vector([0.4, 0.6]))
    var smoother = RauchTungStriebelSmoother(start: filter.state)
    for step in run.steps {
      let switching = Matrix<2, 2>.dwelling(seconds: Vector([1, 2]), over: step.seconds)
      let reversal = filter.predictReversibly(switching: switching) { _, estimate in
        var single = ExtendedKalmanFilter(state: estimate)
        let reversal = single.predictReversibly(by: run.motion, over: step.seconds)
        estimate = single.state
        return reversal
      }
      if let measured = step.measured {
        try filter.update { _, estimate throws(FilteringError) in
          try estimate.condition(on: measured, of: run.model, noise: run.noise)
        }
      }
      smoother.append(filter.state, reversal: reversal)
    }
    #expect(try run.jointDisagreement(of: smoother.smoothed()) < 1e-9)
  }

  /// A component without variance is not changed by smoothing, and its covariance has no inverse.
  @Test func knownComponentsStayKnown() throws {
    let prior = Gaussian(
      mean: Vector<2>([0, 3]), covariance: Matrix<2, 2>([[1, 0], [0, 0]]))
    var filter = KalmanFilter(
      state: prior, observation: Matrix<1, 2>([[1, 0]]), noise: Matrix<1, 1>([[1]]))
    var smoother = RauchTungStriebelSmoother(start: prior)
    for measured in [1.0, 2, 3] {
      let reversal = filter.predictReversibly(
        transition: .identity, processNoise: Matrix([[0.5, 0], [0, 0]]))
      try filter.update(Vector(repeating: measured))
      smoother.append(filter.state, reversal: reversal)
    }
    for estimate in smoother.smoothed() {
      #expect(estimate.mean[1] == 3 && estimate.covariance[1, 1] == 0)
      #expect(estimate.covariance[0, 0] > 0 && estimate.covariance[0, 0] < 1)
    }
  }
}
