import TestSupport
import Testing

@testable import Fathom

/// Tests filters over covariance factors at condition numbers where the covariance itself has no
/// correct digits.
@Suite struct IllConditionedTests {
  /// The example of [Bierman 1977], down to ε = 10⁻¹².
  ///
  /// Prior I / ε², two nearly equal measurements of variance 1. The relative errors of P of the
  /// reference's best algorithms are 2e-16 for U D Uᵀ and 9e-5 for Potter's square root.
  @Test func matchesBiermanExample() throws {
    let reference = try oracle("kalman/ill01_bierman.json", as: BiermanFile.self, in: .module)
    #expect(reference.cases.contains { $0.epsilon == 1e-12 })
    for one in reference.cases {
      let prior = Gaussian(
        mean: Vector<2>.zero, covariance: try Matrix<2, 2>(oracle: one.P0))
      var root = SquareRootKalmanFilter(
        state: prior, observation: .zero, noise: Matrix<1, 1>([[1]]))
      var factored = FactoredKalmanFilter(
        state: prior, observation: .zero, noise: Matrix<1, 1>([[1]]))
      for row in 0..<2 {
        root.observation = try Matrix<1, 2>(oracle: [one.H[row]])
        factored.observation = root.observation
        try root.update(Vector<1>([one.z[row]]))
        try factored.update(Vector<1>([one.z[row]]))
      }
      for (row, expected) in one.expected.P.enumerated() {
        for (column, value) in expected.enumerated() {
          let place = "epsilon \(one.epsilon)"
          #expect(
            isClose(
              factored.state.covariance[row, column], value, within: 1e-14 * value.magnitude),
            "\(place)")
          #expect(
            isClose(root.state.covariance[row, column], value, within: 1e-3 * value.magnitude),
            "\(place)")
        }
      }
      for (index, value) in one.expected.x.enumerated() {
        #expect(isClose(factored.mean[index], value, within: 1e-9 * value.magnitude))
        #expect(isClose(root.mean[index], value, within: 1e-3 * value.magnitude))
      }
    }
  }

  /// R = 10⁻¹², P₀ = 10¹², no process noise: compared at the reference's own tolerance.
  @Test func handlesTinyNoiseAndHugePrior() throws {
    let reference = try oracle("kalman/ill02_tiny_R_huge_P0.json", as: TinyFile.self, in: .module)
    let prior = Gaussian(
      mean: try Vector<2>(oracle: reference.x0), covariance: try Matrix<2, 2>(oracle: reference.P0))
    let observation = try Matrix<1, 2>(oracle: reference.H)
    let noise = try Matrix<1, 1>(oracle: reference.R)
    var root = SquareRootKalmanFilter(state: prior, observation: observation, noise: noise)
    var factored = FactoredKalmanFilter(state: prior, observation: observation, noise: noise)
    let transition = try Matrix<2, 2>(oracle: reference.F)
    for (step, measured) in reference.z.enumerated() {
      try root.update(Vector<1>([measured[0]]))
      try factored.update(Vector<1>([measured[0]]))
      for state in [root.state, factored.state] {
        let expected = reference.expected.P_filtered[step]
        let scale = expected.flatMap { $0 }.map(\.magnitude).max() ?? 0
        for row in 0..<2 {
          #expect(state.covariance[row, row] > 0, "step \(step)")
          for column in 0..<2 {
            #expect(
              isClose(
                state.covariance[row, column], expected[row][column], within: 1e-4 * scale),
              "step \(step)")
          }
        }
      }
      root.predict(transition: transition, processNoise: .zero)
      factored.predict(transition: transition, processNoise: .zero)
    }
  }
}

private struct TinyFile: Decodable {
  struct Expected: Decodable {
    var P_filtered: [[[Double]]]
  }

  var F: [[Double]]
  var H: [[Double]]
  var R: [[Double]]
  var x0: [Double]
  var P0: [[Double]]
  var z: [[Double]]
  var expected: Expected
}
