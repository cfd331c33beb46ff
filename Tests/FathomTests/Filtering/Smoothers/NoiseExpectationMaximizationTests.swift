import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Compares the noise estimates of expectation maximisation with the likelihood itself.
@Suite struct NoiseExpectationMaximizationTests {
  typealias Search = NoiseExpectationMaximization

  // MARK: The maximum

  @Test(.releaseOnly, arguments: [401, 402, 403] as [UInt64])
  func convergesToMaximumLikelihood(seed: UInt64) throws {
    let line = Line(seed: seed, count: 400)
    let found = try Search<2, 1>(prior: line.prior, passes: 20_000, tolerance: 1e-9).maximized(
      line.steps, by: line.motion, of: { _ in line.model })
    #expect(found.isConverged)
    // By direct search, one factor at a time, with the filter alone.
    var (motion, measurement) = (0.0, 0.0)
    for _ in 0..<40 {
      let before = (motion, measurement)
      motion = maximum { line.logLikelihood(motion: $0, measurement: measurement) }
      measurement = maximum { line.logLikelihood(motion: motion, measurement: $0) }
      if max(abs(motion - before.0), abs(measurement - before.1)) < 1e-7 { break }
    }
    #expect(isClose(.log(found.motionFactor), motion, within: 1e-5), "seed \(seed)")
    #expect(isClose(.log(found.measurementFactor), measurement, within: 1e-5), "seed \(seed)")
    let best = line.logLikelihood(motion: motion, measurement: measurement)
    let last = try #require(found.logLikelihoods.last)
    #expect(isClose(last, best, within: 1e-5), "seed \(seed)")
    // The noise of the simulation: the given Q is 4 times too small, the given R 4 times too large.
    #expect((2...8).contains(found.motionFactor), "seed \(seed)")
    #expect((0.2...0.32).contains(found.measurementFactor), "seed \(seed)")
  }

  /// Performs single passes, each from the factors of the last one, without extrapolation.
  @Test(.releaseOnly, arguments: ([404, 405] as [UInt64]).prefix(repetitions(1, long: 2)))
  func extrapolationReachesSameFixedPoint(seed: UInt64) throws {
    let line = Line(seed: seed, count: 400)
    let found = try Search<2, 1>(prior: line.prior, passes: 200, tolerance: 1e-10).maximized(
      line.steps, by: line.motion, of: { _ in line.model })
    #expect(found.isConverged)
    var (motion, measurement) = (1.0, 1.0)
    var passes = 0
    while passes < 20_000 {
      let steps = line.steps.map {
        Search<2, 1>.Step(
          seconds: $0.seconds, measurement: $0.measurement, noise: measurement * $0.noise)
      }
      let pass = try Search<2, 1>(prior: line.prior, passes: 1).maximized(
        steps, by: WhiteNoiseAcceleration(density: 0.25 * motion.squareRoot()),
        of: { _ in line.model })
      motion *= pass.motionFactor
      measurement *= pass.measurementFactor
      passes += 1
      if max(abs(pass.motionFactor - 1), abs(pass.measurementFactor - 1)) < 1e-10 { break }
    }
    #expect(passes < 20_000, "seed \(seed)")
    #expect(isClose(found.motionFactor, motion, within: 1e-7 * motion), "seed \(seed)")
    #expect(
      isClose(found.measurementFactor, measurement, within: 1e-7 * measurement), "seed \(seed)")
    let leaping = found.logLikelihoods.count - 1
    #expect(4 * leaping < passes, "seed \(seed): \(leaping) and \(passes)")
    for (before, after) in zip(found.logLikelihoods, found.logLikelihoods.dropFirst()) {
      #expect(after >= before - 1e-12 * before.magnitude, "seed \(seed)")
    }
  }

  /// Durbin and Koopman (2012) give the maximum-likelihood variances of the Nile's flow, for a
  /// diffuse prior of the first level.
  @Test(.releaseOnly, .needsReference("oracles/kalman/r01_nile_full.json"))
  func nileVariancesMatchReference() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/r01_nile_full.json"), as: NileCase.self)
    let steps = reference.y.enumerated().map {
      Search<1, 1>.Step(
        seconds: $0 == 0 ? 0 : 1, measurement: Vector([$1]), noise: Matrix(repeating: 10_000))
    }
    let found = try Search<1, 1>(
      prior: Gaussian(mean: .zero, covariance: Matrix(repeating: 1e10)), passes: 5000,
      tolerance: 1e-8
    ).maximized(
      steps,
      by: LinearMotion(transition: { _ in .identity }, noise: { Matrix(repeating: 5000 * $0) }),
      of: { _ in LinearModel(observation: .identity) })
    #expect(isClose(10_000 * found.measurementFactor, reference.h, within: 1e-4 * reference.h))
    #expect(isClose(5000 * found.motionFactor, reference.V, within: 1e-4 * reference.V))
  }

  // MARK: Every pass

  @Test(arguments: [411, 412, 413, 414] as [UInt64])
  func likelihoodNeverDecreases(seed: UInt64) throws {
    let run = try LinearRun(seed: seed)
    let found = try Search<4, 2>(prior: run.prior, passes: 30, tolerance: 0).maximized(
      run.problem, by: run.motion, of: { _ in run.model })
    #expect(found.logLikelihoods.count == 31 && !found.isConverged)
    for (before, after) in zip(found.logLikelihoods, found.logLikelihoods.dropFirst()) {
      #expect(after >= before - 1e-9 * before.magnitude, "seed \(seed)")
    }
  }

  /// Computes the first pass by the smoother, from the covariance of the disturbance w.
  ///
  /// With x' = F x + w, the reversal x = m + G (x' - m⁻) + e and the cross-covariance P' Gᵀ:
  ///
  ///     (I - F G) P' (I - F G)ᵀ + F C Fᵀ = P' - P' Gᵀ Fᵀ - F G P' + F P Fᵀ
  @Test(arguments: [421, 422, 423] as [UInt64])
  func firstPassMatchesSmoother(seed: UInt64) throws {
    let run = try LinearRun(seed: seed)
    let found = try Search<4, 2>(prior: run.prior, passes: 1).maximized(
      run.problem, by: run.motion, of: { _ in run.model })
    var filter = KalmanFilter(state: run.prior, observation: run.observation, noise: run.noise)
    var smoother = RauchTungStriebelSmoother(start: run.prior)
    var reversals: [Reversal<4>] = []
    for step in run.steps {
      let reversal = filter.predictReversibly(
        transition: run.motion.transition(step.seconds),
        processNoise: run.motion.noise(step.seconds))
      try filter.update(step.measured)
      smoother.append(filter.state, reversal: reversal)
      reversals.append(reversal)
    }
    let track = smoother.smoothed()
    var (motion, measurement) = (0.0, 0.0)
    var measured = 0
    for (index, step) in run.steps.enumerated() {
      let (before, after, reversal) = (track[index], track[index + 1], reversals[index])
      let transition = run.motion.transition(step.seconds)
      let mean = after.mean - transition * before.mean
      let kept = Matrix<4, 4>.identity - transition * reversal.gain
      let spread =
        after.covariance.congruent(through: kept)
        + reversal.covariance.congruent(through: transition)
      motion += try trace(spread, mean, over: run.motion.noise(step.seconds))
      guard let values = step.measured else { continue }
      measured += 1
      let observation = run.observation
      measurement += try trace(
        (observation * after.covariance).timesTransposed(observation),
        values - observation * after.mean, over: run.noise)
    }
    motion /= Double(4 * run.steps.count)
    measurement /= Double(2 * measured)
    #expect(isClose(found.motionFactor, motion, within: 1e-9 * motion), "seed \(seed)")
    #expect(
      isClose(found.measurementFactor, measurement, within: 1e-9 * measurement), "seed \(seed)")
  }

  // MARK: Nonlinear models and missing data

  @Test(.releaseOnly) func estimatesNoiseOfMovingTag() throws {
    var generator = SeededGenerator(seed: 431)
    let anchors = [[0.0, 0, 3], [20, 0, 3], [20, 15, 3], [0, 15, 2.5]].map { Vector<3>(array: $0) }
    let truth = ConstantVelocity(horizontalDensity: 0.6, verticalDensity: 0)
    var state = Vector<6>([8, 7, 1, 0.5, -0.3, 0])
    var steps: [Search<6, 1>.Step] = []
    let root = truth.noise(at: state, over: 0.05).semidefiniteRoot()
    for index in 0..<4000 {
      state = truth.moved(state, over: 0.05)
      state += root * Vector(InlineArray { _ in generator.normal() })
      let anchor = try #require(anchors[index % 4])
      let distance = RangeModel(anchor: anchor).measurement(at: state)[0]
      steps.append(
        Search<6, 1>.Step(
          seconds: 0.05, measurement: Vector([distance + 0.08 * generator.normal()]),
          noise: Matrix(repeating: 0.2 * 0.2)))
    }
    let prior = Gaussian(
      mean: Vector<6>([8, 7, 1, 0, 0, 0]), covariance: .diagonal(Vector([1, 1, 0, 1, 1, 0])))
    let given = ConstantVelocity(horizontalDensity: 0.2, verticalDensity: 0)
    let found = try Search<6, 1>(prior: prior, passes: 2000, tolerance: 1e-6).maximized(
      steps, by: given
    ) { RangeModel(anchor: anchors[$0 % 4] ?? .zero) }
    #expect(found.isConverged)
    let density = 0.2 * found.motionFactor.squareRoot()
    let sigma = 0.2 * found.measurementFactor.squareRoot()
    #expect(isClose(density, 0.6, within: 0.06), "\(density)")
    #expect(isClose(sigma, 0.08, within: 0.004), "\(sigma)")
  }

  @Test func keepsUnobservableFactors() throws {
    let line = Line(seed: 1, count: 5)
    let silent = line.steps.map {
      Search<2, 1>.Step(seconds: $0.seconds, measurement: nil, noise: $0.noise)
    }
    let search = Search<2, 1>(prior: line.prior)
    let found = try search.maximized(silent, by: line.motion, of: { _ in line.model })
    #expect(found.motionFactor == 1 && found.measurementFactor == 1 && found.isConverged)
    #expect(found.logLikelihoods == [0, 0])
    let nothing = try search.maximized([], by: line.motion, of: { _ in line.model })
    #expect(nothing.motionFactor == 1 && nothing.measurementFactor == 1)
    // All measurements at one instant: the motion is unobservable.
    let still = line.steps.map {
      Search<2, 1>.Step(seconds: 0, measurement: $0.measurement, noise: $0.noise)
    }
    #expect(
      try search.maximized(still, by: line.motion, of: { _ in line.model }).motionFactor == 1)
    #expect(throws: FilteringError.notFinite) {
      try search.maximized(
        [Search<2, 1>.Step(seconds: 1, measurement: Vector([.nan]), noise: Matrix([[1]]))],
        by: line.motion, of: { _ in line.model })
    }
  }

  // MARK: Harness

  /// Returns tr(Q⁻¹ (spread + mean meanᵀ)).
  private func trace<let Size: Int>(
    _ spread: Matrix<Size, Size>, _ mean: Vector<Size>, over noise: Matrix<Size, Size>
  ) throws -> Double {
    guard let root = Cholesky(noise) else { throw ShapeMismatch() }
    var sum = mean.dot(root.solve(mean))
    for row in 0..<Size { sum += root.solve(spread.row(row))[row] }
    return sum
  }

  /// Returns the maximiser in -6 to 6 of a function of a logarithm, by golden-section search.
  private func maximum(of function: (Double) -> Double) -> Double {
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (-6.0, 6.0)
    while high - low > 1e-6 {
      let (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
      if function(left) > function(right) { high = right } else { low = left }
    }
    return (low + high) / 2
  }
}

/// A particle on a line with random acceleration and measurements at irregular times, some of them
/// missing.
///
/// The given noise is wrong.
private struct Line {
  let prior = Gaussian(mean: Vector<2>([1, 0]), covariance: .diagonal(Vector([1, 1])))
  let motion = WhiteNoiseAcceleration(density: 0.25)
  let model = LinearModel(observation: Matrix<1, 2>([[1, 0]]))
  var steps: [NoiseExpectationMaximization<2, 1>.Step] = []

  init(seed: UInt64, count: Int) {
    var generator = SeededGenerator(seed: seed)
    var state = Vector<2>([1 + generator.normal(), generator.normal()])
    for index in 0..<count {
      let seconds = generator.uniform(in: 0.05...0.4)
      let root = WhiteNoiseAcceleration(density: 0.5).noise(over: seconds).semidefiniteRoot()
      state = motion.moved(state, over: seconds)
      state += root * Vector([generator.normal(), generator.normal()])
      steps.append(
        NoiseExpectationMaximization<2, 1>.Step(
          seconds: seconds,
          measurement: index % 5 == 4 ? nil : Vector([state[0] + 0.1 * generator.normal()]),
          noise: Matrix([[0.04]])))
    }
  }

  /// Returns the log-likelihood with the given variances multiplied by e to these powers.
  func logLikelihood(motion: Double, measurement: Double) -> Double {
    var filter = KalmanFilter(
      state: prior, observation: model.observation,
      noise: Matrix<1, 1>(repeating: 0.04 * .exp(measurement)))
    let scaled = WhiteNoiseAcceleration(density: 0.25 * .exp(motion / 2))
    var sum = 0.0
    for step in steps {
      filter.predict(
        transition: scaled.transition(over: step.seconds),
        processNoise: scaled.noise(over: step.seconds))
      sum += ((try? filter.update(step.measurement)) ?? nil)?.logLikelihood ?? 0
    }
    return sum
  }
}

extension LinearRun {
  /// The steps with their noise.
  fileprivate var problem: [NoiseExpectationMaximization<4, 2>.Step] {
    steps.map {
      NoiseExpectationMaximization<4, 2>.Step(
        seconds: $0.seconds, measurement: $0.measured, noise: noise)
    }
  }
}
