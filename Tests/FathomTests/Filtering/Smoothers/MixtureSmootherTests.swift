import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct MixtureSmootherTests {
  /// A known state with model-dependent measurement noise is a hidden Markov chain.
  ///
  /// The smoother is exact for it, compared with the sum over all 3⁶ model sequences.
  @Test func smoothsHiddenMarkovChainExactly() throws {
    var generator = SeededGenerator(seed: 411)
    let noises = [0.01, 0.3, 4]
    for round in 0..<20 {
      var filter = InteractingMultipleModel<3, 1>(
        state: Gaussian(mean: .zero, covariance: .zero),
        probabilities: Self.probabilities(using: &generator))
      let start = filter.probabilities
      var smoother = MixtureSmoother(start: filter)
      var steps: [(switching: Matrix<3, 3>, measured: Double)] = []
      for _ in 0..<5 {
        let switching = Self.switching(using: &generator)
        let measured = generator.normal()
        filter.predict(switching: switching) { _, _ in }
        try filter.update { model, estimate throws(FilteringError) in
          try estimate.condition(
            onResidual: Vector([measured]) - estimate.mean, observation: .identity,
            noise: noises[model] * .identity)
        }
        smoother.append(filter, switching: switching) { _, estimate in Self.reversal(of: estimate) }
        steps.append((switching, measured))
      }
      let smoothed = smoother.smoothed()

      var sums = [Vector<3>](repeating: .zero, count: 6)
      for sequence in 0..<729 {
        let models = Self.digits(of: sequence, base: 3, count: 6)
        var probability = start[models[0]]
        for (index, step) in steps.enumerated() {
          let noise = noises[models[index + 1]]
          probability *= step.switching[models[index], models[index + 1]]
          probability *= .exp(-0.5 * step.measured * step.measured / noise) / noise.squareRoot()
        }
        for (instant, model) in models.enumerated() { sums[instant][model] += probability }
      }
      for (instant, sum) in sums.enumerated() {
        let total = sum[0] + sum[1] + sum[2]
        for model in 0..<3 {
          let difference = smoothed[instant].probabilities[model] - sum[model] / total
          #expect(difference.magnitude < 1e-12, "seed 411, round \(round)")
        }
      }
    }
  }

  /// Compares models of a shared state with the sum over all 2⁸ model sequences, each filtered
  /// separately.
  @Test func smoothsSharedStateNearlyExactly() throws {
    var generator = SeededGenerator(seed: 412)
    let (powers, noise) = ([0.01, 4.0], 0.25)
    let switching = Matrix<2, 2>([[0.9, 0.1], [0.3, 0.7]])
    var (wrongBefore, wrongAfter) = (0.0, 0.0)
    var (squaresBefore, squaresAfter) = (0.0, 0.0)
    for _ in 0..<100 {
      var filter = InteractingMultipleModel<2, 1>(
        state: Gaussian(mean: .zero, covariance: .identity), probabilities: Vector([0.75, 0.25]))
      var smoother = MixtureSmoother(start: filter)
      var (model, place) = (generator.uniform() < 0.75 ? 0 : 1, generator.normal())
      var measured: [Double] = []
      for _ in 0..<7 {
        if generator.uniform() < switching[model, 1 - model] { model = 1 - model }
        place += powers[model].squareRoot() * generator.normal()
        measured.append(place + noise.squareRoot() * generator.normal())
        let value = measured[measured.count - 1]
        filter.predict(switching: switching) { $1.covariance[0, 0] += powers[$0] }
        try filter.update { _, estimate throws(FilteringError) in
          try estimate.condition(
            onResidual: Vector([value]) - estimate.mean, observation: .identity,
            noise: noise * .identity)
        }
        smoother.append(filter, switching: switching) { model, estimate in
          let before = estimate
          estimate.covariance[0, 0] += powers[model]
          return Reversal(
            of: before, to: estimate, transition: .identity,
            processNoise: powers[model] * .identity)
        }
      }
      let smoothed = smoother.smoothed()
      let exact = Self.exact(measured, powers: powers, noise: noise, switching: switching)
      for instant in 0..<8 {
        let (before, after) = (smoother.filtered[instant], smoothed[instant])
        wrongBefore += (before.probabilities[1] - exact[instant].highNoise).magnitude
        wrongAfter += (after.probabilities[1] - exact[instant].highNoise).magnitude
        let (first, second) = (
          before.state.mean[0] - exact[instant].mean, after.state.mean[0] - exact[instant].mean
        )
        squaresBefore += first * first
        squaresAfter += second * second
      }
    }
    #expect(wrongAfter < 0.15 * wrongBefore, "seed 412")
    #expect(squaresAfter < 0.01 * squaresBefore, "seed 412")
  }

  @Test func equalModelsMatchSingleModel() throws {
    let run = try LinearRun(seed: 413)
    var filter = InteractingMultipleModel<2, 4>(
      state: run.prior, probabilities: Vector([0.4, 0.6]))
    var smoother = MixtureSmoother(start: filter)
    for step in run.steps {
      let switching = Matrix<2, 2>.dwelling(seconds: Vector([1, 2]), over: step.seconds)
      filter.predict(switching: switching) { _, estimate in
        _ = Self.move(&estimate, by: run.motion, over: step.seconds)
      }
      if let measured = step.measured {
        try filter.update { _, estimate throws(FilteringError) in
          try estimate.condition(on: measured, of: run.model, noise: run.noise)
        }
      }
      smoother.append(filter, switching: switching) { _, estimate in
        Self.move(&estimate, by: run.motion, over: step.seconds)
      }
    }
    let smoothed = smoother.smoothed()
    #expect(try run.jointDisagreement(of: smoothed.map { $0.state }) < 1e-9)
    for mixture in smoothed {
      #expect(isClose(mixture.probabilities[0] + mixture.probabilities[1], 1, within: 1e-13))
    }
  }

  /// A model that cannot lead to the later ones has probability zero, and all numbers stay finite.
  @Test func impossibleModelsGetProbabilityZero() {
    var filter = InteractingMultipleModel<2, 1>(
      state: Gaussian(mean: .zero, covariance: .identity), probabilities: Vector([0.5, 0.5]))
    var smoother = MixtureSmoother(start: filter)
    for _ in 0..<3 {
      filter.probabilities = Vector([0, 1])
      smoother.append(filter, switching: .identity) { _, estimate in Self.reversal(of: estimate) }
    }
    for mixture in smoother.smoothed() {
      #expect(mixture.probabilities == Vector<2>([0, 1]))
      #expect(mixture.state.mean == .zero && mixture.state.covariance[0, 0].isFinite)
    }
  }

  // MARK: - References

  /// Returns the exact posterior of a random walk with model-dependent variance, by enumerating all
  /// model sequences.
  private static func exact(
    _ measured: [Double], powers: [Double], noise: Double, switching: Matrix<2, 2>
  ) -> [(highNoise: Double, mean: Double)] {
    let count = measured.count + 1
    var total = 0.0
    var highNoise = [Double](repeating: 0, count: count)
    var means = [Double](repeating: 0, count: count)
    for sequence in 0..<1 << count {
      let models = digits(of: sequence, base: 2, count: count)
      var probability = models[0] == 0 ? 0.75 : 0.25
      var (mean, variance) = ([0.0], [1.0])
      for (index, value) in measured.enumerated() {
        probability *= switching[models[index], models[index + 1]]
        let predicted = variance[index] + powers[models[index + 1]]
        let residual = value - mean[index]
        probability *=
          .exp(-0.5 * residual * residual / (predicted + noise))
          / (predicted + noise).squareRoot()
        mean.append(mean[index] + predicted / (predicted + noise) * residual)
        variance.append(predicted * noise / (predicted + noise))
      }
      for index in (0..<count - 1).reversed() {
        let gain = variance[index] / (variance[index] + powers[models[index + 1]])
        mean[index] += gain * (mean[index + 1] - mean[index])
      }
      total += probability
      for index in 0..<count {
        if models[index] == 1 { highNoise[index] += probability }
        means[index] += probability * mean[index]
      }
    }
    return zip(highNoise, means).map { ($0 / total, $1 / total) }
  }

  private static func digits(of number: Int, base: Int, count: Int) -> [Int] {
    var (rest, digits) = (number, [Int]())
    for _ in 0..<count {
      digits.append(rest % base)
      rest /= base
    }
    return digits
  }

  private static func move<Motion: MotionModel>(
    _ estimate: inout Gaussian<4>, by motion: Motion, over seconds: Double
  ) -> Reversal<4> where Motion.State == Vector<4>, Motion.Transition == Matrix<4, 4> {
    var single = ExtendedKalmanFilter(state: estimate)
    let reversal = single.predictReversibly(by: motion, over: seconds)
    estimate = single.state
    return reversal
  }

  /// Returns the reversal of a step without motion.
  private static func reversal(of estimate: Gaussian<1>) -> Reversal<1> {
    Reversal(of: estimate, to: estimate, transition: .identity, processNoise: .zero)
  }

  private static func switching(using generator: inout SeededGenerator) -> Matrix<3, 3> {
    var result = Matrix<3, 3>.zero
    for row in 0..<3 {
      let probabilities = probabilities(using: &generator)
      for column in 0..<3 { result[row, column] = probabilities[column] }
    }
    return result
  }

  private static func probabilities(using generator: inout SeededGenerator) -> Vector<3> {
    let weights = (0..<3).map { _ in 0.05 + generator.uniform() }
    let sum = weights.reduce(0, +)
    return Vector([weights[0] / sum, weights[1] / sum, weights[2] / sum])
  }
}
