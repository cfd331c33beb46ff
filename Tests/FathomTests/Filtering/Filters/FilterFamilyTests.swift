import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// On a linear problem all filters agree with the linear one.
@Suite struct FilterFamilyTests {
  @Test(arguments: [UInt64](281...284))
  func extendedFiltersMatchLinearFilter(_ seed: UInt64) throws {
    let run = try LinearRun(seed: seed)
    var extended = ExtendedKalmanFilter(state: run.prior)
    var iterated = IteratedExtendedKalmanFilter(state: run.prior)
    var (first, second): ([Gaussian<4>], [Gaussian<4>]) = ([], [])
    for step in run.steps {
      extended.predict(by: run.motion, over: step.seconds)
      iterated.predict(by: run.motion, over: step.seconds)
      let one = try extended.update(step.measured, of: run.model, noise: run.noise)
      let other = try iterated.update(step.measured, of: run.model, noise: run.noise)
      #expect((one == nil) == (step.measured == nil) && (other == nil) == (one == nil))
      if let one, let other {
        #expect((one.residual - other.residual).length < 1e-11, "seed \(seed)")
      }
      first.append(extended.state)
      second.append(iterated.state)
    }
    #expect(run.disagreement(of: first) < 1e-10, "seed \(seed)")
    #expect(run.disagreement(of: second) < 1e-10, "seed \(seed)")
  }

  @Test(arguments: [UInt64](281...284))
  func sigmaPointFiltersMatchLinearFilter(_ seed: UInt64) throws {
    let run = try LinearRun(seed: seed)
    let rules: [SigmaPointRule] = [
      .cubature(order: 4), .merwe(order: 4), .merwe(order: 4, alpha: 0.5, kappa: -1),
      .julier(order: 4, kappa: -1), .julier(order: 4, kappa: 2), .simplex(order: 4),
    ]
    for rule in rules {
      var filter = UnscentedKalmanFilter(state: run.prior, rule: rule)
      var estimates: [Gaussian<4>] = []
      for step in run.steps {
        filter.predict(by: run.motion, over: step.seconds)
        try filter.update(step.measured, of: run.model, noise: run.noise)
        estimates.append(filter.state)
      }
      let difference = run.disagreement(of: estimates)
      #expect(difference < 1e-10, "seed \(seed), \(rule)")
    }
    var cubature = CubatureKalmanFilter(state: run.prior)
    var estimates: [Gaussian<4>] = []
    for step in run.steps {
      cubature.predict(by: run.motion, over: step.seconds)
      try cubature.update(step.measured, of: run.model, noise: run.noise)
      estimates.append(cubature.state)
    }
    #expect(run.disagreement(of: estimates) < 1e-10, "seed \(seed)")
  }

  @Test(arguments: [UInt64](281...284))
  func factoredFormsMatchLinearFilter(_ seed: UInt64) throws {
    let run = try LinearRun(seed: seed)
    var plain = KalmanFilter(state: run.prior, observation: run.observation, noise: run.noise)
    var root = SquareRootKalmanFilter(
      state: run.prior, observation: run.observation, noise: run.noise)
    var factored = FactoredKalmanFilter(
      state: run.prior, observation: run.observation, noise: run.noise)
    var information = try #require(
      InformationFilter(state: run.prior, observation: run.observation, noise: run.noise))
    var fading = FadingMemoryFilter(plain, fading: 1)
    var estimates = [[Gaussian<4>]](repeating: [], count: 4)
    for step in run.steps {
      let transition = run.motion.transition(step.seconds)
      let noise = run.motion.noise(step.seconds)
      plain.predict(transition: transition, processNoise: noise)
      root.predict(transition: transition, processNoise: noise)
      factored.predict(transition: transition, processNoise: noise)
      try information.predict(transition: transition, processNoise: noise)
      fading.predict(transition: transition, processNoise: noise)
      let innovations = [
        try root.update(step.measured), try factored.update(step.measured),
        try information.update(step.measured), try fading.update(step.measured),
      ]
      let expected = try plain.update(step.measured)
      for innovation in innovations {
        #expect((innovation == nil) == (expected == nil))
        guard let innovation, let expected else { continue }
        let scale = max(1, expected.residual.length)
        #expect((innovation.residual - expected.residual).length < 1e-9 * scale, "seed \(seed)")
        let tolerance = 1e-9 * max(1, expected.normalizedSquare)
        #expect(
          isClose(innovation.normalizedSquare, expected.normalizedSquare, within: tolerance))
        #expect(isClose(innovation.logLikelihood, expected.logLikelihood, within: tolerance))
      }
      estimates[0].append(root.state)
      estimates[1].append(factored.state)
      estimates[2].append(try #require(information.state))
      estimates[3].append(fading.state)
    }
    for (index, list) in estimates.enumerated() {
      #expect(run.disagreement(of: list) < 1e-10, "seed \(seed), form \(index)")
    }
  }

  @Test func equalModelMixtureMatchesLinearFilter() throws {
    let run = try LinearRun(seed: 285)
    var mixture = InteractingMultipleModel<3, 4>(
      state: run.prior, probabilities: Vector([0.2, 0.3, 0.5]))
    var plain = KalmanFilter(state: run.prior, observation: run.observation, noise: run.noise)
    var estimates: [Gaussian<4>] = []
    for step in run.steps {
      let switching = Matrix<3, 3>.dwelling(seconds: Vector([1, 2, 3]), over: step.seconds)
      mixture.predict(switching: switching) { _, estimate in
        estimate.predict(by: run.motion, over: step.seconds)
      }
      plain.predict(
        transition: run.motion.transition(step.seconds),
        processNoise: run.motion.noise(step.seconds))
      if let measured = step.measured {
        let update = try mixture.update { _, estimate throws(FilteringError) in
          try estimate.condition(on: measured, of: run.model, noise: run.noise)
        }
        let expected = try required(plain.update(measured))
        #expect(isClose(update.logLikelihood, expected.logLikelihood, within: 1e-9))
      }
      estimates.append(mixture.state)
      let sum = mixture.probabilities[0] + mixture.probabilities[1] + mixture.probabilities[2]
      #expect(isClose(sum, 1, within: 1e-14))
    }
    #expect(run.disagreement(of: estimates) < 1e-10)
  }

  /// Known and unobserved components are unchanged in every form.
  @Test func singularEstimatesStaySingular() throws {
    let state = Gaussian(
      mean: Vector<2>([1, 2]), covariance: Matrix<2, 2>([[4, 0], [0, 0]]))
    let observation = Matrix<1, 2>([[1, 1]])
    let noise = Matrix<1, 1>([[0.5]])
    var root = SquareRootKalmanFilter(state: state, observation: observation, noise: noise)
    var factored = FactoredKalmanFilter(state: state, observation: observation, noise: noise)
    var unscented = UnscentedKalmanFilter(state: state)
    // S = 4 + 0.5, K = 4 / 4.5: 1 + 3 · 4/4.5.
    for _ in 0..<2 {
      root.predict(transition: .identity, processNoise: .zero)
      factored.predict(transition: .identity, processNoise: .zero)
    }
    try root.update(Vector([6]))
    try factored.update(Vector([6]))
    try unscented.update(
      Vector([6]), of: LinearModel(observation: observation), noise: noise)
    for estimate in [root.state, factored.state, unscented.state] {
      #expect(isClose(estimate.mean[0], 1 + 3 * 4 / 4.5, within: 1e-14))
      #expect(estimate.mean[1] == 2)
      #expect(estimate.covariance[1, 1] == 0 && estimate.covariance[0, 1] == 0)
      #expect(isClose(estimate.covariance[0, 0], 4 - 16 / 4.5, within: 1e-14))
    }
  }

  @Test func errorsLeaveFiltersUnchanged() throws {
    let run = try LinearRun(seed: 286)
    let broken = Vector<2>([1, .nan])
    var extended = ExtendedKalmanFilter(state: run.prior)
    #expect(throws: FilteringError.notFinite) {
      try extended.update(broken, of: run.model, noise: run.noise)
    }
    #expect(extended == ExtendedKalmanFilter(state: run.prior))
    var unscented = UnscentedKalmanFilter(state: run.prior)
    #expect(throws: FilteringError.notFinite) {
      try unscented.update(broken, of: run.model, noise: run.noise)
    }
    #expect(unscented == UnscentedKalmanFilter(state: run.prior))
    var root = SquareRootKalmanFilter(
      state: run.prior, observation: run.observation, noise: run.noise)
    let before = root
    #expect(throws: FilteringError.notFinite) { try root.update(broken) }
    #expect(root == before)
    var factored = FactoredKalmanFilter(
      state: run.prior, observation: run.observation, noise: run.noise)
    let factoredBefore = factored
    #expect(throws: FilteringError.notFinite) { try factored.update(broken) }
    #expect(factored == factoredBefore)
  }
}
