import Foundation
import TestSupport
import Testing

@testable import Fathom

/// Compares with independent recursions and libraries; see Oracles/kalman/SOURCE.md.
@Suite struct KalmanOracleTests {
  @Test(.needsReference("oracles/kalman"))
  func testsEveryReferenceCase() throws {
    let tested: Set = [
      // In this suite.
      "ekf01_range4_2d", "equiv01_kf_sqrt_information", "fad01_fading_alpha1.02", "ill01_bierman",
      "ill02_tiny_R_huge_P0", "lin01_filterpy_noisy_1d", "lin02_filterpy_sequential_3d",
      "lin03_missing_scalar", "lin04_variable_dt_cv", "lin05_cross_covariances_2d",
      "long01_1e6_steps", "pykalman01_robot", "q01_process_noise", "r01_nile_full",
      "rts01_filterpy", "stat01_mahalanobis_logpdf_chi2",
      // In NonlinearOracleTests.
      "ekf02_filterpy_radar", "stonesoup01_ekf_el_az_range", "ukf01_sigma_points",
      "ukf02_range4_2d_merwe",
      // In SmootherOracleTests and AlphaBetaGammaFilterTests.
      "kfas01_local_level_exact_diffuse", "nile01_local_level_exact_diffuse",
      "fad02_fading_memory_polynomial",
    ]
    let files = try FileManager.default.contentsOfDirectory(
      at: Reference.url("oracles/kalman"), includingPropertiesForKeys: nil)
    let names = files.filter { $0.pathExtension == "json" }
      .map { $0.deletingPathExtension().lastPathComponent }
    for name in names {
      #expect(tested.contains(name), "\(name) is not accounted for")
    }
  }

  // MARK: Linear recursions

  @Test func noisyPositionMatchesOracle() throws {
    try run(LinearCase.load("lin01_filterpy_noisy_1d"), as: KalmanFilter<2, 1>.self)
  }

  @Test func jointUpdateOfThreeAxesMatchesOracle() throws {
    try run(LinearCase.load("lin02_filterpy_sequential_3d"), as: KalmanFilter<6, 3>.self)
  }

  @Test func missingMeasurementsMatchOracle() throws {
    try run(LinearCase.load("lin03_missing_scalar"), as: KalmanFilter<2, 1>.self)
  }

  @Test func variableTimeStepMatchesOracle() throws {
    try run(LinearCase.load("lin04_variable_dt_cv"), as: KalmanFilter<2, 1>.self)
  }

  @Test func crossCovariancesMatchOracle() throws {
    try run(LinearCase.load("lin05_cross_covariances_2d"), as: KalmanFilter<4, 2>.self)
  }

  @Test func sequentialUpdatesMatchJointUpdate() throws {
    // The noise of this case is diagonal, so the order of the components does not matter.
    let reference = try LinearCase.load("lin02_filterpy_sequential_3d")
    let transition = try Matrix<6, 6>(oracle: reference.F.step(0))
    let processNoise = try Matrix<6, 6>(oracle: reference.Q.step(0))
    let rows = reference.H
    var state: Gaussian<6> = try reference.prior()
    for (step, measurement) in reference.z.enumerated() {
      state = state.predicted(transition: transition, processNoise: processNoise)
      for (row, value) in measurement.enumerated() {
        var filter = KalmanFilter(
          state: state, observation: try Matrix<1, 6>(oracle: [rows[row]]),
          noise: Matrix<1, 1>(repeating: reference.R[row][row]))
        try filter.update(Vector<1>(repeating: try #require(value)))
        state = filter.state
      }
      try expectClose(
        state, reference.expected.x_filtered[step], reference.expected.P_filtered[step])
    }
  }

  @Test func absentComponentsAreExcludedExactly() throws {
    // Omitting the second component must equal a filter without its row.
    let reference = try LinearCase.load("lin05_cross_covariances_2d")
    var joint = KalmanFilter(
      state: try reference.prior(), observation: try Matrix<2, 4>(oracle: reference.H),
      noise: try Matrix<2, 2>(oracle: reference.R))
    var single = KalmanFilter(
      state: joint.state, observation: try Matrix<1, 4>(oracle: [reference.H[0]]),
      noise: Matrix<1, 1>(repeating: reference.R[0][0]))
    for measurement in reference.z {
      let first = try #require(measurement[0])
      let withheld = try #require(try joint.update(components: [first, nil]))
      let alone = try #require(try single.update(Vector<1>([first])))
      #expect(isClose(withheld.logLikelihood, alone.logLikelihood, within: 1e-9))
      #expect(isClose(withheld.normalizedSquare, alone.normalizedSquare, within: 1e-9))
      try expectClose(joint.state, single.state.mean.array, single.state.covariance.array)
    }
    #expect(try joint.update(components: [nil, nil]) == nil)
  }

  @Test func squareRootAndInformationFormsMatchOracle() throws {
    let reference = try oracle(
      "kalman/equiv01_kf_sqrt_information.json", as: ConstantCase<AfterPredict>.self, in: .module)
    try check(reference, alpha: 1, tolerance: 1e-8)
  }

  @Test func fadingMemoryMatchesOracle() throws {
    let reference = try oracle(
      "kalman/fad01_fading_alpha1.02.json", as: ConstantCase<AfterPredict>.self, in: .module)
    try check(reference, alpha: try #require(reference.alpha), tolerance: 1e-10)
  }

  @Test func filteredPartOfSmootherCaseMatchesOracle() throws {
    let reference = try oracle(
      "kalman/rts01_filterpy.json", as: ConstantCase<Filtered>.self, in: .module)
    var filter = try reference.filter()
    let transition = try Matrix<2, 2>(oracle: reference.F)
    let processNoise = try Matrix<2, 2>(oracle: reference.Q)
    for (step, value) in reference.z.enumerated() {
      filter.predict(transition: transition, processNoise: processNoise)
      try filter.update(Vector<1>([value]))
      try expectClose(
        filter.state, reference.expected.x_filtered[step], reference.expected.P_filtered[step])
    }
  }

  @Test(.needsReference("oracles/kalman/r01_nile_full.json"))
  func nileMatchesOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/r01_nile_full.json"), as: NileCase.self)
    // R gives the predicted variance of the first step: the process noise comes after it.
    var filter = KalmanFilter(
      state: Gaussian(mean: Vector<1>([reference.a0]), covariance: Matrix(repeating: reference.Pn)),
      observation: .identity, noise: Matrix<1, 1>(repeating: reference.h))
    for (step, value) in reference.y.enumerated() {
      let innovation = try #require(try filter.update(Vector<1>([value])))
      let standardized = innovation.residual[0] / innovation.covariance[0, 0].squareRoot()
      #expect(isClose(filter.state.mean[0], reference.filtered[step], within: 1e-9 * 1000))
      #expect(isClose(standardized, reference.std_resid[step], within: 1e-8))
      filter.predict(transition: .identity, processNoise: Matrix(repeating: reference.V))
    }
  }

  @Test(.needsReference("oracles/kalman/pykalman01_robot.json"))
  func robotWithOffsetsMatchesOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/pykalman01_robot.json"), as: RobotCase.self)
    var filter = KalmanFilter(
      state: Gaussian(
        mean: try Vector<5>(oracle: reference.x0),
        covariance: try Matrix<5, 5>(oracle: reference.P0)),
      observation: try Matrix<2, 5>(oracle: reference.H),
      noise: try Matrix<2, 2>(oracle: reference.R),
      offset: try Vector<2>(oracle: reference.d))
    let transition = try Matrix<5, 5>(oracle: reference.F)
    let processNoise = try Matrix<5, 5>(oracle: reference.Q)
    for (step, measurement) in reference.z.enumerated() {
      if step > 0 {
        filter.predict(
          transition: transition, processNoise: processNoise,
          offset: try Vector<5>(oracle: reference.b[step - 1]))
      }
      try filter.update(components: [measurement[0], measurement[1]])
      for index in 0..<5 {
        #expect(
          isClose(
            filter.state.mean[index], reference.expected.x_filtered[step][index], within: 1e-9))
      }
    }
  }

  @Test func extendedFilterMatchesOracleForFourRanges() throws {
    // The reference updates with all ranges jointly, linearised at the prediction. Single ranges
    // give the same result when linearised at the same point.
    let reference = try oracle("kalman/ekf01_range4_2d.json", as: FourRangesCase.self, in: .module)
    var state = try reference.prior()
    let transition = try Matrix<4, 4>(oracle: reference.F)
    let processNoise = try Matrix<4, 4>(oracle: reference.Q)
    for (step, ranges) in reference.z.enumerated() {
      state = state.predicted(transition: transition, processNoise: processNoise)
      let predicted = state.mean
      for (anchor, range) in zip(reference.anchors, ranges) {
        guard let range else { continue }
        let x = predicted[0] - anchor[0]
        let y = predicted[2] - anchor[1]
        let distance = (x * x + y * y).squareRoot()
        let row = Matrix<1, 4>([[x / distance, 0, y / distance, 0]])
        let linearised = range - distance - (row * (state.mean - predicted))[0]
        state = try state.conditioned(
          onResidual: Vector<1>([linearised]), observation: row,
          noise: Matrix<1, 1>(repeating: reference.R_diag)
        ).posterior
      }
      for row in 0..<4 {
        #expect(isClose(state.mean[row], reference.expected.x[step][row], within: 1e-9))
        for column in 0..<4 {
          let value = reference.expected.P[step][row][column]
          #expect(isClose(state.covariance[row, column], value, within: 1e-9))
        }
      }
    }
  }

  // MARK: Ill conditioned

  @Test func covarianceStaysValidInBiermanExample() throws {
    let reference = try oracle("kalman/ill01_bierman.json", as: BiermanFile.self, in: .module)
    for bierman in reference.cases {
      var state = Gaussian(
        mean: Vector<2>.zero, covariance: try Matrix<2, 2>(oracle: bierman.P0))
      for row in 0..<2 {
        var filter = KalmanFilter(
          state: state, observation: try Matrix<1, 2>(oracle: [bierman.H[row]]),
          noise: Matrix<1, 1>(repeating: bierman.R[row][row]))
        try filter.update(Vector<1>([bierman.z[row]]))
        state = filter.state
        expectCovariance(state.covariance, "epsilon \(bierman.epsilon), row \(row)")
      }
      if bierman.epsilon >= 1e-7 {
        for (row, expected) in bierman.expected.P.enumerated() {
          for (column, value) in expected.enumerated() {
            #expect(
              isClose(state.covariance[row, column], value, within: 1e-12 * value.magnitude),
              "epsilon \(bierman.epsilon)")
          }
        }
      }
    }
  }

  @Test func covarianceStaysValidForTinyNoiseAndHugePrior() throws {
    let reference = try LinearCase.load("ill02_tiny_R_huge_P0")
    var filter = try reference.filter()
    let transition = try Matrix<2, 2>(oracle: reference.F.step(0))
    for (step, measurement) in reference.z.enumerated() {
      try filter.update(Vector<1>([try #require(measurement[0])]))
      expectCovariance(filter.state.covariance, "filtered, step \(step)")
      let expected = reference.expected.x_filtered[step]
      let scale = expected.map(\.magnitude).max() ?? 0
      for index in 0..<2 {
        #expect(isClose(filter.state.mean[index], expected[index], within: 1e-4 * scale))
      }
      filter.predict(transition: transition, processNoise: .zero)
      expectCovariance(filter.state.covariance, "predicted, step \(step)")
    }
  }

  @Test(.releaseOnly) func covarianceStaysValidOverMillionSteps() throws {
    let reference = try oracle("kalman/long01_1e6_steps.json", as: LongCase.self, in: .module)
    var filter = KalmanFilter(
      state: Gaussian(
        mean: try Vector<2>(oracle: reference.x0),
        covariance: try Matrix<2, 2>(oracle: reference.P0)),
      observation: try Matrix<1, 2>(oracle: reference.H),
      noise: try Matrix<1, 1>(oracle: reference.R))
    let transition = try Matrix<2, 2>(oracle: reference.F)
    let processNoise = try Matrix<2, 2>(oracle: reference.Q)
    let checkpoints = Dictionary(uniqueKeysWithValues: reference.checkpoints.map { ($0.step, $0) })
    var seed: UInt64 = 12345
    for step in 0..<1_000_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let measurement = (Double(seed >> 11) * 0x1p-53 - 0.5) * 0.2 + 0.001 * Double(step)
      filter.predict(transition: transition, processNoise: processNoise)
      try filter.update(Vector<1>([measurement]))
      guard let expected = checkpoints[step + 1] else { continue }
      expectCovariance(filter.state.covariance, "step \(step + 1)")
      for row in 0..<2 {
        #expect(
          isClose(
            filter.state.mean[row], expected.x[row], within: 1e-8 * expected.x[row].magnitude))
        for column in 0..<2 {
          let value = expected.P[row][column]
          #expect(
            isClose(filter.state.covariance[row, column], value, within: 1e-9 * value.magnitude))
        }
      }
    }
  }

  // MARK: Statistics

  @Test func normalizedSquareAndLogDensityMatchOracle() throws {
    let reference = try oracle(
      "kalman/stat01_mahalanobis_logpdf_chi2.json", as: StatisticsFile.self, in: .module)
    for sample in reference.cases {
      switch sample.y.count {
      case 1: try check(as: KalmanFilter<1, 1>.self, sample)
      case 2: try check(as: KalmanFilter<2, 2>.self, sample)
      case 3: try check(as: KalmanFilter<3, 3>.self, sample)
      default: Issue.record("no shape for \(sample.y.count) components")
      }
    }
  }

  // MARK: Harness

  private func check<let M: Int>(
    as filterType: KalmanFilter<M, M>.Type, _ sample: StatisticsFile.Sample
  ) throws {
    // A state with zero variance leaves the measurement noise as the whole innovation covariance.
    var filter = KalmanFilter(
      state: Gaussian(mean: Vector<M>.zero, covariance: .zero), observation: .identity,
      noise: try Matrix<M, M>(oracle: sample.S))
    let innovation = try filter.update(try Vector<M>(oracle: sample.y))
    let distance = innovation?.normalizedSquare.squareRoot() ?? .nan
    let logDensity = innovation?.logLikelihood ?? .nan
    #expect(isClose(distance, sample.mahalanobis, within: 1e-10 * sample.mahalanobis))
    #expect(isClose(logDensity, sample.logpdf, within: 1e-10 * sample.logpdf.magnitude))
  }

  /// Runs a linear case through the filter and compares every step.
  private func run<let N: Int, let M: Int>(
    _ reference: LinearCase, as filterType: KalmanFilter<N, M>.Type
  ) throws {
    var filter = KalmanFilter(
      state: try reference.prior(), observation: try Matrix<M, N>(oracle: reference.H),
      noise: try Matrix<M, M>(oracle: reference.R))
    var logLikelihood = 0.0
    for (step, measurement) in reference.z.enumerated() {
      let transition = try Matrix<N, N>(oracle: reference.F.step(step))
      let processNoise = try Matrix<N, N>(oracle: reference.Q.step(step))
      if reference.order == "predict_update" {
        filter.predict(transition: transition, processNoise: processNoise)
      }
      if reference.order == "predict_update" {
        try expectClose(
          filter.state, reference.expected.x_predicted[step], reference.expected.P_predicted[step])
      }
      // In these cases a measurement is absent either completely or not at all.
      let innovation = try filter.update(Vector<M>(array: measurement.compactMap { $0 }))
      logLikelihood += innovation?.logLikelihood ?? 0
      try expectClose(
        filter.state, reference.expected.x_filtered[step], reference.expected.P_filtered[step])
      if let expected = reference.expected.loglik_steps?[step] {
        let value = innovation?.logLikelihood ?? 0
        #expect(isClose(value, expected, within: 1e-9 * max(1, expected.magnitude)), "step \(step)")
      }
      if reference.order == "update_predict" {
        filter.predict(transition: transition, processNoise: processNoise)
      }
    }
    let total = reference.expected.loglik
    #expect(isClose(logLikelihood, total, within: 1e-9 * total.magnitude))
  }

  private func check(
    _ reference: ConstantCase<AfterPredict>, alpha: Double, tolerance: Double
  ) throws {
    var filter = try reference.filter()
    let transition = try Matrix<2, 2>(oracle: reference.F)
    let processNoise = try Matrix<2, 2>(oracle: reference.Q)
    for (step, value) in reference.z.enumerated() {
      try filter.update(Vector<1>([value]))
      filter.state.covariance = (alpha * alpha) * filter.state.covariance
      filter.predict(transition: transition, processNoise: processNoise)
      try expectClose(
        filter.state, reference.expected.x_after_predict[step],
        reference.expected.P_after_predict[step], tolerance: tolerance)
    }
  }

  private func expectClose<let N: Int>(
    _ state: Gaussian<N>, _ mean: [Double], _ covariance: [[Double]], tolerance: Double = 1e-10
  ) throws {
    try expectClose(state.mean.array, mean, tolerance: tolerance)
    try expectClose(
      state.covariance.array.flatMap { $0 }, covariance.flatMap { $0 }, tolerance: tolerance)
  }

  /// Compares to `tolerance` times the largest absolute value expected.
  private func expectClose(
    _ values: [Double], _ expected: [Double], tolerance: Double
  ) throws {
    try #require(values.count == expected.count)
    let scale = expected.map(\.magnitude).max() ?? 0
    for (value, wanted) in zip(values, expected) {
      #expect(isClose(value, wanted, within: tolerance * scale))
    }
  }

  /// Expects bitwise symmetry, a positive diagonal and positive semi-definiteness (2 x 2).
  private func expectCovariance(_ matrix: Matrix<2, 2>, _ place: String) {
    #expect(matrix[0, 1] == matrix[1, 0], "\(place)")
    #expect(matrix[0, 0] > 0 && matrix[1, 1] > 0, "\(place)")
    let correlation =
      matrix[0, 1] / (matrix[0, 0].squareRoot() * matrix[1, 1].squareRoot())
    #expect(correlation.magnitude <= 1, "\(place)")
  }
}
