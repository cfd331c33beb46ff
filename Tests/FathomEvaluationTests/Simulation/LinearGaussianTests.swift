import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

@testable import FathomEvaluation

/// Tests the linear filter on a scenario that satisfies its model.
///
/// The normalised errors must be chi-square distributed [Bar-Shalom et al. 2001, Sec. 5.4].
@Suite(.releaseOnly) struct LinearGaussianTests {
  /// Consistency statistics of 200 runs of the filter.
  private struct Consistency {
    /// Sums of the normalised squared errors over runs and axes, at 5 s, 10 s and so on to 50 s.
    var errors = [Double](repeating: 0, count: 10)
    /// Sum of the normalised squares of all innovations.
    var innovations = 0.0
    var innovationCount = 0
  }

  private func scenario() throws -> Scenario {
    let file = Reference.packageRoot.appending(path: "Datasets/Scenarios/linear-gaussian.yaml")
    return try ScenarioReader.scenario(from: String(contentsOf: file, encoding: .utf8))
  }

  /// Filters both axes of 200 seeds, with the density of the scenario times `factor`.
  private func consistency(densityTimes factor: Double) throws -> Consistency {
    var result = Consistency()
    var scenario = try scenario()
    for seed in 1...UInt64(200) {
      scenario.seed = seed
      let trajectory = try #require(scenario.setting.anchored).tags[0].trajectory
      let ranges = RangeSimulator(scenario).recording().recording.ranges
      for axis in 0...1 { try filter(ranges, axis, trajectory, factor, &result) }
    }
    return result
  }

  private func filter(
    _ ranges: RangeColumns, _ axis: Int, _ trajectory: Trajectory, _ factor: Double,
    _ result: inout Consistency
  ) throws {
    guard case .randomAcceleration(let path) = trajectory else { throw Unexpected() }
    let (place, speed) = (path.law.positionSigma[axis], path.law.velocitySigma[axis])
    var filter = KalmanFilter<2, 1>(
      state: Gaussian(
        mean: Vector([0, 0]),
        covariance: .diagonal(Vector<2>([place * place, speed * speed]))),
      observation: Matrix([[1, 0]]), noise: Matrix([[0.01]]))
    let model = WhiteNoiseAcceleration(density: factor * path.law.density[axis])
    var last = 0.0
    var epoch = 0
    for index in 0..<ranges.count where ranges.anchor[index] == Int32(axis) {
      let time = ranges.time[index].seconds
      filter.predict(
        transition: model.transition(over: time - last),
        processNoise: model.noise(over: time - last))
      last = time
      // The anchor is 1000 km away along the axis.
      let measured = 1_000_000 - ranges.distance[index]
      let innovation = try #require(try filter.update(Vector([measured])))
      result.innovations += innovation.normalizedSquare
      result.innovationCount += 1
      epoch += 1
      guard epoch % 50 == 0 else { continue }
      let truth = trajectory.motion(at: time)
      let (e, f) = (
        truth.position[axis] - filter.state.mean[0], truth.velocity[axis] - filter.state.mean[1]
      )
      let p = filter.state.covariance
      let determinant = p[0, 0] * p[1, 1] - p[0, 1] * p[1, 0]
      result.errors[epoch / 50 - 1] +=
        (p[1, 1] * e * e - 2 * p[0, 1] * e * f + p[0, 0] * f * f) / determinant
    }
  }

  private struct Unexpected: Error {}

  @Test func filterWithTrueParametersIsConsistent() throws {
    let result = try consistency(densityTimes: 1)
    // Two-sided bounds from SciPy 1.17, chi2.ppf. At one time, 200 runs of two axes with two
    // numbers give n = 800. 99 % for the ten times together is 99.9 % for each: ppf([0.0005,
    // 0.9995], 800).
    for (index, sum) in result.errors.enumerated() {
      #expect((674.893...938.205).contains(sum), "after \(5 * (index + 1)) s: \(sum / 200) of 4")
    }
    // Errors 5 s apart are nearly independent, because the filter's correlation time is below a
    // second: n = 8000, ppf([0.005, 0.995], n), as below.
    let total = result.errors.reduce(0, +)
    #expect((7677.94...8329.57).contains(total), "\(total / 2000) of 4")
    // Innovations are white: n = 200 x 500 x 2.
    #expect(result.innovationCount == 200_000)
    #expect((198_374.7...201_632.8).contains(result.innovations), "\(result.innovations / 200_000)")
  }

  /// The bounds are sensitive: a filter with a third or three times the process noise exceeds them.
  @Test(arguments: [1.0 / 3, 3])
  func detectsWrongProcessNoise(_ factor: Double) throws {
    let result = try consistency(densityTimes: factor)
    #expect(!(7677.94...8329.57).contains(result.errors.reduce(0, +)))
    #expect(!(198_374.7...201_632.8).contains(result.innovations))
    #expect((result.errors.reduce(0, +) > 8000) == (factor < 1))
  }
}
