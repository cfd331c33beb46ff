import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// ``FilterFamilyTests`` covers linear problems, ``NonlinearOracleTests`` recorded results.
@Suite struct UnscentedKalmanFilterTests {
  /// E[x²] = m² + P and Var[x²] = 4 m² P + 2 P² for a normal x; n + κ = 3 is exact for both.
  @Test func momentsOfSquareAreExact() {
    let state = Gaussian(mean: Vector<1>([2]), covariance: Matrix<1, 1>([[0.5]]))
    let points = SigmaPoints(state, rule: .julier(order: 1, kappa: 2))
    let square = points.carried(through: { Vector<1>([$0[0] * $0[0]]) })
    #expect(isClose(square.mean[0], 4.5, within: 1e-14))
    #expect(isClose(square.covariance[0, 0], 4 * 4 * 0.5 + 2 * 0.25, within: 1e-13))
  }

  /// For a tag behind a device, where the azimuth wraps from π to -π, the update equals that of a
  /// device rotated by a right angle, where it does not wrap.
  @Test func azimuthWrapDoesNotAffectUpdate() throws {
    let prior = Gaussian(
      mean: Vector<3>([-4, 0.05, 0.3]), covariance: .diagonal(Vector([0.4, 0.6, 0.2])))
    let noise = Matrix<2, 2>.diagonal(Vector([0.01, 0.01]))
    let facing = DevicePose.upright(at: .zero)
    // Looking along +y: the rows of the device's axes right (+x), up (+z), backwards (-y).
    let turned = DevicePose(
      position: .zero, attitude: Matrix([[1, 0, 0], [0, 0, 1], [0, -1, 0]]))
    var posteriors: [Gaussian<3>] = []
    for rule in [SigmaPointRule.cubature(order: 3), .merwe(order: 3, alpha: 0.1)] {
      for (device, azimuth) in [(facing, -Double.pi + 0.1), (turned, -Double.pi / 2 + 0.1)] {
        let model = AnglesModel<3>(device: device, convention: .bearing)
        // On the far side of the wrap for the first device: 0.1 rad beyond -π with the mean before
        // +π.
        let expected = model.measurement(at: prior.mean)
        #expect(isClose(expected[0].magnitude, device == facing ? 3.129 : 1.558, within: 1e-2))
        var filter = UnscentedKalmanFilter(state: prior, rule: rule)
        let innovation = try required(
          filter.update(
            Vector<2>([device == facing ? azimuth : .pi / 2 + 0.1, 0.1]), of: model, noise: noise))
        #expect(innovation.residual[0].magnitude < 0.2)
        posteriors.append(filter.state)
      }
    }
    for pair in [(0, 1), (2, 3)] {
      let (first, second) = (posteriors[pair.0], posteriors[pair.1])
      #expect((first.mean - second.mean).length < 1e-12)
      #expect(first.covariance.dense.distance(to: second.covariance.dense) < 1e-12)
    }
  }

  /// κ = 3 - n for six components has a central weight of -1: P must stay positive semi-definite
  /// next to an anchor, where the function is most nonlinear.
  @Test func negativeWeightsKeepCovarianceValid() throws {
    var generator = SeededGenerator(seed: 351)
    let motion = ConstantVelocity(horizontalDensity: 1, verticalDensity: 1)
    for _ in 0..<100 {
      var filter = UnscentedKalmanFilter(
        state: Gaussian(
          mean: Vector<6>.random(using: &generator), covariance: .diagonal(Vector(repeating: 4))),
        rule: .julier(order: 6, kappa: -3))
      for _ in 0..<10 {
        filter.predict(by: motion, over: 0.2)
        let model = RangeModel(anchor: Vector.random(using: &generator))
        let measured = Vector<1>([generator.uniform(in: 0...2)])
        try filter.update(measured, of: model, noise: Matrix([[0.0025]]))
        #expect(filter.state.covariance.isPositiveSemidefinite, "seed 351")
        #expect(filter.state.covariance == filter.state.covariance.transposed(), "seed 351")
      }
    }
  }

  @Test func deviationsFromTheCentreAreLarger() {
    let state = Gaussian(
      mean: Vector<2>([0.1, 0]), covariance: Matrix<2, 2>([[1, 0.2], [0.2, 2]]))
    let points = SigmaPoints(state, rule: .julier(order: 2, kappa: -1))
    let bent = points.carried(through: { Vector<1>([$0.dot($0)]) })
    let central = bent.aboutTheCentre()
    #expect(central.mean == bent.mean)
    #expect(central.covariance[0, 0] > bent.covariance[0, 0])
    #expect(central.centre == .zero)
  }

  @Test func detectsNegativePivots() {
    #expect(Matrix<2, 2>([[1, 0], [0, 0]]).isPositiveSemidefinite)
    #expect(Matrix<2, 2>([[1, 1], [1, 1]]).isPositiveSemidefinite)
    #expect(!Matrix<2, 2>([[1, 1.001], [1.001, 1]]).isPositiveSemidefinite)
    #expect(!Matrix<2, 2>([[-1, 0], [0, 1]]).isPositiveSemidefinite)
  }
}
