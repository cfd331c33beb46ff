import RealModule
import TestSupport
import Testing

@testable import Fathom

/// ``KalmanOracleTests`` compares densities with independent libraries.
@Suite struct InnovationTests {
  @Test func partsMatchHandComputation() throws {
    // S = H P Hᵀ + R = 3 + 1 = 4 for H = [1 0]; y = 6: square 9; log density -9/2 - ln(2π · 4)/2.
    let prior = Gaussian(mean: Vector<2>.zero, covariance: Matrix<2, 2>([[3, 1], [1, 5]]))
    let (_, innovation) = try prior.conditioned(
      onResidual: Vector<1>([6]), observation: Matrix<1, 2>([[1, 0]]),
      noise: Matrix<1, 1>([[1]]))
    #expect(innovation.residual == Vector<1>([6]))
    #expect(innovation.covariance == Matrix<1, 1>([[4]]))
    #expect(innovation.normalizedSquare == 9)
    #expect(
      isClose(innovation.logLikelihood, -4.5 - 0.5 * Double.log(8 * .pi), within: 1e-15 * 8))
    #expect(innovation.decision == .used)
  }

  /// The joint density is that of the first component times that of the second given the first.
  @Test func logLikelihoodsObeyChainRule() throws {
    let prior = Gaussian(mean: Vector<2>([1, -1]), covariance: Matrix<2, 2>([[3, 1], [1, 5]]))
    let noise = Vector<2>([0.5, 0.25])
    let measured = Vector<2>([2.5, 0.3])
    var joint = KalmanFilter(
      state: prior, observation: Matrix<2, 2>([[1, 2], [-1, 1]]), noise: .diagonal(noise))
    let together = try required(joint.update(measured))
    var first = KalmanFilter(
      state: prior, observation: Matrix<1, 2>([[1, 2]]), noise: Matrix<1, 1>([[0.5]]))
    let one = try required(first.update(Vector([2.5])))
    var second = KalmanFilter(
      state: first.state, observation: Matrix<1, 2>([[-1, 1]]), noise: Matrix<1, 1>([[0.25]]))
    let other = try required(second.update(Vector([0.3])))
    #expect(
      isClose(together.logLikelihood, one.logLikelihood + other.logLikelihood, within: 1e-14))
    #expect(
      isClose(
        together.normalizedSquare, one.normalizedSquare + other.normalizedSquare, within: 1e-14))
  }

  @Test func decisionsWithDifferentWeightsAreUnequal() {
    let none = Innovation<1>.Decision.rejected
    #expect(none != .used && none != .discounted(weight: 0))
    #expect(Innovation<1>.Decision.discounted(weight: 0.25) != .discounted(weight: 0.5))
  }
}
