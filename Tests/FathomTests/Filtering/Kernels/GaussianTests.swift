import TestSupport
import Testing

@testable import Fathom

@Suite struct GaussianTests {
  private let estimate = Gaussian(
    mean: Vector<2>([1, 2]), covariance: Matrix<2, 2>([[4, 1], [1, 9]]))

  @Test func inflationKeepsMean() {
    let enlarged = estimate.inflated(by: Matrix<2, 2>([[1, -1], [-1, 2]]))
    #expect(enlarged.mean == estimate.mean)
    #expect(enlarged.covariance == Matrix<2, 2>([[5, 0], [0, 11]]))
    #expect(estimate.inflated(by: .zero) == estimate)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func detectsNonFiniteElements(_ value: Double) {
    #expect(estimate.isFinite)
    for row in 0..<2 {
      var broken = estimate
      broken.mean[row] = value
      #expect(!broken.isFinite)
      for column in 0..<2 {
        broken = estimate
        broken.covariance[row, column] = value
        #expect(!broken.isFinite)
      }
    }
  }
}
