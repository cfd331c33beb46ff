import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// ``KalmanOracleTests`` compares with recorded results of other filters.
@Suite struct KalmanFilterTests {
  // MARK: Joint distribution of the trajectory

  /// Compares the filter with the joint distribution of all states, whose last marginal is the
  /// filtered estimate: no recursion, no gain, no Joseph form.
  @Test(arguments: [UInt64](1...8))
  func lastStateMatchesJointMarginal(_ seed: UInt64) throws {
    let differences = [
      try disagreement(with: Vector<2>.zero, Vector<1>.zero, seed: seed),
      try disagreement(with: Vector<2>.zero, Vector<2>.zero, seed: seed),
      try disagreement(with: Vector<4>.zero, Vector<1>.zero, seed: seed),
      try disagreement(with: Vector<4>.zero, Vector<2>.zero, seed: seed),
    ]
    for (index, difference) in differences.enumerated() {
      #expect(difference < 1e-9, "seed \(seed), shape \(index)")
    }
  }

  /// Returns the relative difference between filter and joint posterior for a random model of N and
  /// M, with every third measurement absent.
  private func disagreement<let N: Int, let M: Int>(
    with stateShape: Vector<N>, _ measurementShape: Vector<M>, seed: UInt64
  ) throws -> Double {
    var generator = SeededGenerator(seed: 260 + seed)
    let steps = 25
    let prior = Gaussian(
      mean: Vector<N>.random(using: &generator),
      covariance: .randomCovariance(floor: 0.2, using: &generator))
    let noise: Matrix<M, M> = .randomCovariance(floor: 0.2, using: &generator)
    let observation = Matrix<M, N>.random(using: &generator)
    let offset = Vector<M>.random(using: &generator)
    var filter = KalmanFilter(
      state: prior, observation: observation, noise: noise, offset: offset)
    var trajectory = JointTrajectory(prior: prior.mean.array, covariance: prior.covariance.dense)
    for step in 0..<steps {
      // Half as large as a rotation: the information stays bounded and does not decay to zero.
      let transition = 0.5 * Matrix<N, N>.random(using: &generator)
      let processNoise: Matrix<N, N> = .randomCovariance(floor: 0.2, using: &generator)
      let push = Vector<N>.random(using: &generator)
      filter.predict(transition: transition, processNoise: processNoise, offset: push)
      trajectory.append(
        transition: transition.dense, processNoise: processNoise.dense, push: push.array)
      let measured: Vector<M>? = step % 3 == 2 ? nil : 5 * Vector<M>.random(using: &generator)
      try filter.update(measured)
      if let measured {
        trajectory.measure(
          (measured - offset).array, observation: observation.dense, noise: noise.dense)
      }
    }
    let (mean, covariance) = try trajectory.lastMarginal()
    let scale = max(1, mean.greatestMagnitude)
    return max(
      DenseMatrix(column: filter.state.mean.array).distance(to: mean) / scale,
      filter.state.covariance.dense.distance(to: covariance) / covariance.greatestMagnitude)
  }

  // MARK: Invariants

  @Test func independentComponentsCommute() throws {
    var generator = SeededGenerator(seed: 271)
    for _ in 0..<100 {
      let prior = Gaussian(
        mean: Vector<4>.random(using: &generator),
        covariance: .randomCovariance(floor: 0.2, using: &generator))
      let rows = (0..<5).map { _ in Vector<4>.random(using: &generator) }
      let noises = (0..<5).map { _ in generator.uniform(in: 0.01...2) }
      let measured = (0..<5).map { _ in 3 * generator.normal() }
      func filtered(inOrder order: [Int]) throws -> Gaussian<4> {
        var state = prior
        for index in order {
          var observation = Matrix<1, 4>.zero
          for column in 0..<4 { observation[0, column] = rows[index][column] }
          var filter = KalmanFilter(
            state: state, observation: observation,
            noise: Matrix<1, 1>(repeating: noises[index]))
          try filter.update(Vector<1>(repeating: measured[index]))
          state = filter.state
        }
        return state
      }
      let reference = try filtered(inOrder: [0, 1, 2, 3, 4])
      let other = try filtered(inOrder: [0, 1, 2, 3, 4].shuffled(using: &generator))
      #expect((other.mean - reference.mean).length < 1e-11, "seed 271")
      #expect(
        other.covariance.dense.distance(to: reference.covariance.dense) < 1e-11, "seed 271")
    }
  }

  /// Innovations of a correct model are independent.
  ///
  /// The sum of n normalised squares of M components is therefore chi-square with n M degrees of
  /// freedom: mean n M, variance 2 n M.
  @Test func normalizedSquaresOfMatchingModelAreChiSquare() throws {
    var generator = SeededGenerator(seed: 272)
    let motion = WhiteNoiseAcceleration(density: 0.5)
    let noise = Matrix<2, 2>([[0.04, 0.01], [0.01, 0.09]])
    let noiseRoot = try #require(Cholesky(noise)).factor
    let prior = Gaussian(
      mean: Vector<2>([3, -1]), covariance: Matrix<2, 2>([[4, 0.5], [0.5, 1]]))
    let priorRoot = try #require(Cholesky(prior.covariance)).factor
    var filter = KalmanFilter(
      state: prior, observation: Matrix<2, 2>([[1, 0], [1, 0.5]]), noise: noise)
    var truth = prior.mean + priorRoot * Vector<2>.random(using: &generator)
    let count = 4000
    var sum = 0.0
    var lagged = 0.0
    var previous = 0.0
    for _ in 0..<count {
      let seconds = generator.uniform(in: 0.02...0.5)
      let transition = motion.transition(over: seconds)
      let processNoise = motion.noise(over: seconds)
      let root = try #require(Cholesky(processNoise)).factor
      truth = transition * truth + root * Vector<2>.random(using: &generator)
      filter.predict(transition: transition, processNoise: processNoise)
      let measured =
        filter.observation * truth + noiseRoot * Vector<2>.random(using: &generator)
      let innovation = try required(filter.update(measured))
      sum += innovation.normalizedSquare
      let whitened = innovation.residual[0] / innovation.covariance[0, 0].squareRoot()
      lagged += whitened * previous
      previous = whitened
    }
    // Standard error √(2 · 2 / 4000) = 0.032 of a mean of 2: four of them.
    #expect(isClose(sum / Double(count), 2, within: 0.13), "seed 272")
    // The autocorrelation at lag one has a standard error of 1/√4000 = 0.016: four of them.
    #expect(isClose(lagged / Double(count), 0, within: 0.064), "seed 272")
  }

  @Test func expectedMeasurementIncludesOffset() throws {
    let state = Gaussian(mean: Vector<1>([2]), covariance: Matrix<1, 1>([[1]]))
    var filter = KalmanFilter(
      state: state, observation: Matrix<1, 1>([[3]]), noise: Matrix<1, 1>([[1]]),
      offset: Vector([0.5]))
    var byComponents = filter
    // The expected measurement is 3 · 2 + 0.5; S = 9 + 1.
    let innovation = try required(filter.update(Vector([7])))
    #expect(innovation.residual == Vector<1>([0.5]))
    #expect(innovation.covariance == Matrix<1, 1>([[10]]))
    #expect(try required(byComponents.update(components: [7])) == innovation)
    #expect(byComponents == filter)
  }

  // MARK: Absence and errors

  @Test func absentMeasurementKeepsEstimate() throws {
    var filter = example
    #expect(try filter.update(nil) == nil)
    #expect(try filter.update(components: [nil, nil]) == nil)
    #expect(filter == example)
  }

  @Test func errorsLeaveFilterUnchanged() {
    for value in [Double.nan, .infinity, -.infinity] {
      var filter = example
      #expect(throws: FilteringError.notFinite) { try filter.update(Vector<2>([1, value])) }
      #expect(filter == example)
      #expect(throws: FilteringError.notFinite) {
        try filter.update(components: [value, nil])
      }
      #expect(filter == example)
    }
    var certain = example
    certain.state.covariance = .zero
    certain.noise = .zero
    let before = certain
    #expect(throws: FilteringError.indefiniteInnovation) {
      try certain.update(Vector<2>([1, 1]))
    }
    #expect(throws: FilteringError.indefiniteInnovation) {
      try certain.update(components: [1, nil])
    }
    #expect(certain == before)
    // Gain 1e150/2 on a residual of 1e200 overflows.
    var overflowing = KalmanFilter(
      state: Gaussian(
        mean: Vector<2>.zero, covariance: Matrix<2, 2>([[1, 1e150], [1e150, 1e302]])),
      observation: Matrix<1, 2>([[1, 0]]), noise: Matrix<1, 1>([[1]]))
    let prior = overflowing
    #expect(throws: FilteringError.notFinite) { try overflowing.update(Vector<1>([1e200])) }
    #expect(overflowing == prior)
  }

  private let example = KalmanFilter(
    state: Gaussian(mean: Vector<2>([1, 2]), covariance: Matrix<2, 2>([[4, 1], [1, 9]])),
    observation: Matrix<2, 2>([[1, 0], [1, 1]]), noise: .identity)
}
