import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Compares with smoothed results of other libraries and exact diffuse starts; see
/// Oracles/kalman/SOURCE.md.
@Suite struct SmootherOracleTests {
  @Test func positionAndRateMatchOracle() throws {
    let reference = try oracle(
      "kalman/rts01_filterpy.json", as: ConstantCase<Smoothed>.self, in: .module)
    let transition = try Matrix<2, 2>(oracle: reference.F)
    let noise = try Matrix<2, 2>(oracle: reference.Q)
    var filter = try reference.filter()
    var smoother = RauchTungStriebelSmoother(start: filter.state)
    var gains: [Matrix<2, 2>] = []
    for measured in reference.z {
      let reversal = filter.predictReversibly(transition: transition, processNoise: noise)
      try filter.update(Vector<1>([measured]))
      smoother.append(filter.state, reversal: reversal)
      gains.append(reversal.gain)
    }
    // The reference begins with the first measurement, the smoother with the prior before it.
    let smoothed = smoother.smoothed().dropFirst()
    for (step, estimate) in smoothed.enumerated() {
      expectClose(estimate.mean.array, reference.expected.x_smoothed[step], 1e-10)
      expectClose(
        estimate.covariance.array.flatMap { $0 },
        reference.expected.P_smoothed[step].flatMap { $0 }, 1e-10)
      if step + 1 < gains.count {
        expectClose(
          gains[step + 1].array.flatMap { $0 }, reference.expected.gain[step].flatMap { $0 }, 1e-10)
      }
    }
  }

  @Test(.needsReference("oracles/kalman/r01_nile_full.json"))
  func smoothedNileMatchesOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/r01_nile_full.json"), as: NileCase.self)
    var filter = KalmanFilter(
      state: Gaussian(mean: Vector<1>([reference.a0]), covariance: Matrix(repeating: reference.Pn)),
      observation: .identity, noise: Matrix<1, 1>(repeating: reference.h))
    try filter.update(Vector<1>([reference.y[0]]))
    var smoother = RauchTungStriebelSmoother(start: filter.state)
    for value in reference.y.dropFirst() {
      let reversal = filter.predictReversibly(
        transition: .identity, processNoise: Matrix(repeating: reference.V))
      try filter.update(Vector<1>([value]))
      smoother.append(filter.state, reversal: reversal)
    }
    for (step, estimate) in smoother.smoothed().enumerated() {
      let (level, variance) = (reference.smoothed[step], reference.smoothed_var[step])
      #expect(isClose(estimate.mean[0], level, within: 1e-9 * level))
      #expect(isClose(estimate.covariance[0, 0], variance, within: 1e-9 * variance))
    }
  }

  // MARK: Exact diffuse start

  @Test(.needsReference("oracles/kalman/nile01_local_level_exact_diffuse.json"))
  func diffuseNileMatchesOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/nile01_local_level_exact_diffuse.json"),
      as: DiffuseNileCase.self)
    let run = try diffuseRun(
      reference.y, noise: reference.sigma2_eps, drift: reference.sigma2_eta)
    for step in reference.y.indices {
      expectClose(
        [run.filtered[step].mean[0], run.smoothed[step].mean[0]],
        [reference.expected.filtered[step], reference.expected.smoothed[step]], 1e-9 * 1000)
      expectClose(
        [run.filtered[step].covariance[0, 0], run.smoothed[step].covariance[0, 0]],
        [reference.expected.filtered_var[step], reference.expected.smoothed_var[step]],
        1e-9 * 10_000)
    }
    // statsmodels counts -log(2π)/2 for the first, diffuse measurement; here it has no likelihood.
    let expected = reference.expected.loglik + 0.5 * Double.log(2 * .pi)
    #expect(isClose(run.logLikelihood, expected, within: 1e-9 * expected.magnitude))
  }

  @Test(.needsReference("oracles/kalman/kfas01_local_level_exact_diffuse.json"))
  func diffuseLocalLevelMatchesOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/kfas01_local_level_exact_diffuse.json"),
      as: DiffuseCase.self)
    let run = try diffuseRun(
      reference.y, noise: reference.sigma2_y, drift: reference.sigma2_mu)
    let expected = reference.expected
    for step in reference.y.indices {
      // The reference has filtered values in att_1 and sumPtt, one row late for the diffuse step.
      let smoothed = run.smoothed[step]
      expectRelative(smoothed.mean[0], expected.alphahat_1[step])
      expectRelative(smoothed.covariance[0, 0], expected.sumV[step])
      if step > 0, let innovation = run.innovations[step] {
        expectRelative(innovation.residual[0], expected.v_1[step])
        expectRelative(innovation.covariance[0, 0], expected.F_1[step])
      }
    }
    #expect(run.innovations[0] == nil)
    expectRelative(run.logLikelihood, reference.loglik)
  }

  // MARK: Harness

  private struct DiffuseRun {
    var filtered: [Gaussian<1>] = []
    var smoothed: [Gaussian<1>] = []
    var innovations: [Innovation<1>?] = []
    var logLikelihood = 0.0
  }

  /// Runs a local level from a diffuse prior: the filter in information form, then the smoother.
  private func diffuseRun(
    _ values: [Double], noise: Double, drift: Double
  ) throws -> DiffuseRun {
    var run = DiffuseRun()
    var filter = InformationFilter<1, 1>(
      observation: .identity, noise: Matrix(repeating: noise))
    #expect(filter.state == nil)
    var smoother: RauchTungStriebelSmoother<1>?
    for value in values {
      let before = filter.state
      try filter.predict(transition: .identity, processNoise: Matrix(repeating: drift))
      let predicted = filter.state
      let innovation = try filter.update(Vector([value]))
      let state = try #require(filter.state)
      run.filtered.append(state)
      run.innovations.append(innovation)
      run.logLikelihood += innovation?.logLikelihood ?? 0
      guard let before, let predicted, smoother != nil else {
        smoother = RauchTungStriebelSmoother(start: state)
        continue
      }
      smoother?.append(
        state,
        reversal: Reversal(
          of: before, to: predicted, transition: .identity,
          processNoise: Matrix(repeating: drift)))
    }
    run.smoothed = smoother?.smoothed() ?? []
    return run
  }

  private func expectRelative(_ value: Double, _ expected: Double?) {
    guard let expected else { return }
    #expect(isClose(value, expected, within: 1e-8 * max(1, expected.magnitude)))
  }

  private func expectClose(_ values: [Double], _ expected: [Double], _ tolerance: Double) {
    #expect(values.count == expected.count)
    for (value, wanted) in zip(values, expected) {
      #expect(isClose(value, wanted, within: tolerance))
    }
  }
}
