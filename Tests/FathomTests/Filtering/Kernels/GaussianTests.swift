import TestSupport
import Testing

@testable import Fathom

@Suite struct GaussianTests {
  private let belief = Gaussian(
    mean: Vector<2>([1, 2]), covariance: Matrix<2, 2>([[4, 1], [1, 9]]))

  @Test func enlargingTheCovarianceKeepsTheMean() {
    let enlarged = belief.inflated(by: Matrix<2, 2>([[1, -1], [-1, 2]]))
    #expect(enlarged.mean == belief.mean)
    #expect(enlarged.covariance == Matrix<2, 2>([[5, 0], [0, 11]]))
    #expect(belief.inflated(by: .zero) == belief)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func everyNumberCountsForFiniteness(_ value: Double) {
    #expect(belief.isFinite)
    for row in 0..<2 {
      var broken = belief
      broken.mean[row] = value
      #expect(!broken.isFinite)
      for column in 0..<2 {
        broken = belief
        broken.covariance[row, column] = value
        #expect(!broken.isFinite)
      }
    }
  }
}
