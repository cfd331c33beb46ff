import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackMixtureTests {
  private static let start = Gaussian<6>(
    mean: Vector([5, 4, 1.2, 0.3, -0.2, 0]),
    covariance: .diagonal(Vector([0.5, 0.5, 0.3, 0.4, 0.4, 0.1])))

  /// Position and velocity over both modes.
  private static func kinematics(_ mixture: TrackMixture) -> Gaussian<6> {
    var result = Gaussian(mean: Vector<6>.zero, covariance: .zero)
    let (trackState, share) = (mixture.state, mixture.lowNoiseProbability)
    func mixed(_ pair: TrackState.Pair) -> Double { pair[1] + share * (pair[0] - pair[1]) }
    for row in 0..<6 {
      result.mean[row] = mixed(trackState.mean(row))
      let away = trackState.mean(row)[0] - trackState.mean(row)[1]
      for column in 0..<6 {
        let other = trackState.mean(column)[0] - trackState.mean(column)[1]
        result.covariance[row, column] =
          mixed(trackState.covariance(row, column)) + share * (1 - share) * away * other
      }
    }
    return result
  }

  /// With independent normal errors, and with steps long enough to be mixed one by one, the mixture
  /// is that of ``InteractingMultipleModel``.
  @Test func matchesTheInteractingMultipleModel() throws {
    var errors = RangeErrors()
    errors.correlatedShare = 0
    errors.commonModeSigma = 0
    errors.degreesOfFreedom = .infinity
    let modes = MotionModes()
    var mixture = TrackMixture(Self.start, modes: modes, errors: errors)
    var reference = InteractingMultipleModel<2, 6>(
      state: Self.start, probabilities: Vector([0.5, 0.5]))
    var generator = SeededGenerator(seed: 2301)
    var worst = (mean: 0.0, covariance: 0.0, probability: 0.0, likelihood: 0.0, innovation: 0.0)
    for step in 1...300 {
      let seconds = generator.uniform(in: 0.06...0.4)
      let change = modes.changeProbability(over: seconds)
      mixture.predict(over: seconds)
      reference.predict(switching: Matrix([[1 - change, change], [change, 1 - change]])) {
        $1.predict(by: $0 == 0 ? modes.lowNoise : modes.highNoise, over: seconds)
      }
      let anchor = SimulatedWalk.room[step % 6].position
      let truth = SimulatedWalk.stroll(0.1 * Double(step))
      let distance = (truth - anchor).length + 0.1 * generator.normal()
      let reading = try required(
        mixture.condition(on: distance, variance: 0.01, anchor: anchor, link: nil))
      let update: InteractingMultipleModel<2, 6>.Update<1> = try reference.update {
        _, trackState throws(FilteringError) in
        try trackState.condition(
          on: Vector([distance]), of: RangeModel(anchor: anchor), noise: Matrix([[0.01]]))
      }
      let (state, expected) = (Self.kinematics(mixture), reference.state)
      #expect(mixture.position == Vector([state.mean[0], state.mean[1], state.mean[2]]))
      for row in 0..<6 {
        worst.mean = max(worst.mean, (state.mean[row] - expected.mean[row]).magnitude)
        for column in 0..<6 {
          let away = state.covariance[row, column] - expected.covariance[row, column]
          worst.covariance = max(worst.covariance, away.magnitude)
        }
      }
      let probability = mixture.lowNoiseProbability - reference.probabilities[0]
      worst.probability = max(worst.probability, probability.magnitude)
      let likelihood = reading.logLikelihood - update.logLikelihood
      worst.likelihood = max(worst.likelihood, likelihood.magnitude)
      let variance = reading.variance - update.innovation.covariance[0, 0]
      let residual = reading.residual - update.innovation.residual[0]
      worst.innovation = max(worst.innovation, variance.magnitude, residual.magnitude)
    }
    #expect(worst.mean < 1e-9 && worst.covariance < 1e-9, "seed 2301: \(worst)")
    #expect(worst.probability < 1e-9 && worst.likelihood < 1e-8, "seed 2301: \(worst)")
    #expect(worst.innovation < 1e-9, "seed 2301: \(worst)")
  }

  /// For any input, no mode becomes certain, and all numbers stay finite.
  @Test func probabilitiesStayBetweenZeroAndOne() throws {
    var generator = SeededGenerator(seed: 2302)
    for freedom in [4.0, .infinity] {
      var errors = RangeErrors()
      errors.degreesOfFreedom = freedom
      errors.biasSigma = 0.3
      errors.scaleSigma = 0.05
      var mixture = TrackMixture(Self.start, modes: MotionModes(), errors: errors)
      for link in 0..<6 { mixture.introduceLink(link) }
      for step in 0..<3000 {
        let seconds = generator.uniform() < 0.01 ? 1e6 : generator.exponential(mean: 0.05)
        if seconds > 3 {
          mixture.hold(over: seconds, followed: 3, speed: 2)
        } else {
          mixture.predict(over: seconds)
        }
        let wild: [Double] = [0, 1e-9, 5, 50, 1e6, 1e150]
        let distance = wild[Int(6 * generator.uniform())] + generator.exponential(mean: 1)
        let reading = mixture.condition(
          on: distance, variance: generator.exponential(mean: 0.01) + 1e-12,
          anchor: SimulatedWalk.room[step % 6].position, link: step % 6)
        let probability = mixture.lowNoiseProbability
        try #require(probability > 0 && probability < 1, "seed 2302, step \(step)")
        let state = Self.kinematics(mixture)
        let isSound = state.mean.isFinite && state.covariance.isFinite
        try #require(isSound, "seed 2302, step \(step): \(distance) m")
        if let reading {
          try #require(
            reading.logLikelihood.isFinite && reading.variance > 0 && reading.weight > 0
              && reading.weight <= 1, "seed 2302, step \(step)")
        }
      }
    }
  }

  @Test func singleModeIsOneFilter() throws {
    var modes = MotionModes()
    modes.processNoiseRatio = 1
    var errors = RangeErrors()
    errors.correlatedShare = 0
    errors.commonModeSigma = 0
    errors.degreesOfFreedom = .infinity
    var mixture = TrackMixture(Self.start, modes: modes, errors: errors)
    #expect(mixture.lowNoiseProbability == 1)
    var filter = ExtendedKalmanFilter(state: Self.start)
    for step in 0..<50 {
      mixture.predict(over: 0.02)
      filter.predict(by: modes.motion, over: 0.02)
      let anchor = SimulatedWalk.room[step % 6].position
      _ = mixture.condition(on: 5, variance: 0.04, anchor: anchor, link: nil)
      try filter.update(Vector<1>([5]), of: RangeModel(anchor: anchor), noise: Matrix([[0.04]]))
      #expect((Self.kinematics(mixture).mean - filter.state.mean).length < 1e-10)
    }
    #expect(mixture.lowNoiseProbability == 1)
  }

  /// An element that differs between the modes has the variance of a mixture; tested with the mean
  /// of a bias without any information.
  @Test func commonErrorStartsAtItsPrior() {
    var errors = RangeErrors()
    errors.biasSigma = 0.3
    errors.scaleSigma = 0.05
    let mixture = TrackMixture(Self.start, modes: MotionModes(), errors: errors)
    let (bias, scale) = (mixture.bias, mixture.scale)
    #expect(bias.value == 0 && isClose(bias.variance, 0.09, within: 1e-15))
    #expect(scale.value == 0 && isClose(scale.variance, 0.0025, within: 1e-15))
  }

  /// A straight path selects the low-noise mode, a changing one does not.
  @Test func modeFollowsTheMotion() throws {
    var generator = SeededGenerator(seed: 2303)
    for (acceleration, isGentle) in [(0.0, true), (6.0, false)] {
      var mixture = TrackMixture(Self.start, modes: MotionModes(), errors: RangeErrors())
      var sum = 0.0
      for step in 0..<400 {
        let seconds = 0.025 * Double(step)
        // Back and forth every second: ± 6 m/s² along x.
        let phase = seconds - seconds.rounded(.down)
        let part = phase < 0.5 ? phase * (0.5 - phase) : -(phase - 0.5) * (1 - phase)
        let truth = Vector<3>([5 + acceleration * part / 2, 4, 1.2])
        let anchor = SimulatedWalk.room[step % 6].position
        mixture.predict(over: 0.025)
        _ = mixture.condition(
          on: (truth - anchor).length + 0.02 * generator.normal(), variance: 0.0004,
          anchor: anchor, link: nil)
        if step >= 200 { sum += mixture.lowNoiseProbability }
      }
      #expect((sum / 200 > 0.5) == isGentle, "seed 2303: \(sum / 200)")
    }
  }

  /// Of four anchors, one is 2 m late for two seconds: a track follows less if that disturbs its link.
  @Test func disturbedLinkKeepsTheTrackInPlace() {
    let anchors = [
      Vector([-10.0, -10, 0]), Vector([10.0, -10, 3]), Vector([10.0, 10, 0]),
      Vector([-10.0, 10, 3]),
    ]
    func moved(isAlone: Bool) -> Double {
      var mixture = TrackMixture(
        Gaussian(mean: .zero, covariance: .identity), modes: MotionModes(), errors: RangeErrors())
      for link in anchors.indices { mixture.introduceLink(link) }
      for round in 0..<50 {
        mixture.predict(over: 0.2)
        for (link, anchor) in anchors.enumerated() {
          let late = link == 0 && round >= 40 ? 2.0 : 0
          let reading = mixture.condition(
            on: anchor.length + late, variance: 0.006, anchor: anchor, link: link,
            isAlone: isAlone)
          #expect(reading != nil)
        }
      }
      return mixture.position.length
    }
    let (alone, beside) = (moved(isAlone: true), moved(isAlone: false))
    #expect(alone < beside, "\(alone) m, without a disturbance \(beside) m")
  }
}
