import TestSupport
import Testing

@testable import Fathom

/// ``MeasurementJacobianTests`` compares the derivative with differences.
@Suite struct RangeModelsTests {
  @Test func distanceAndDerivativeMatchHandComputation() {
    // (3, 0, 4) from the anchor: 5 m away along (0.6, 0, 0.8).
    let model = RangeModel(anchor: Vector([1, 2, 3]))
    let (distance, derivative) = model.expectation(at: Vector([4, 2, 7, 9, 9, 9]))
    #expect(distance == 5)
    #expect(derivative == Matrix<1, 6>([[0.6, 0, 0.8, 0, 0, 0]]))
  }

  @Test func usesXAxisAtAnchor() {
    let model = RangeModel(anchor: Vector([1, 2, 3]))
    let (distance, derivative) = model.expectation(at: Vector([1, 2, 3, 4, 5, 6]))
    #expect(distance == 0)
    #expect(derivative == Matrix<1, 6>([[1, 0, 0, 0, 0, 0]]))
  }

  @Test func derivativeIsUnitVectorAtAllDistances() {
    let model = RangeModel(anchor: .zero)
    for scale in [1e-300, 1e-160, 1e-9, 1, 1e9, 1e160, 1e300] {
      let (distance, derivative) = model.expectation(
        at: Vector([2 * scale, -3 * scale, 6 * scale, 0, 0, 0]))
      #expect(isClose(distance / scale, 7, within: 1e-14))
      #expect(isClose(derivative[0, 2], 6.0 / 7, within: 1e-15))
      #expect(isClose(derivative.row(0).length, 1, within: 1e-15))
    }
  }

  @Test func anchorVarianceAddsToNoise() {
    #expect(RangeModel(anchor: .zero).variance(sigma: 0.5) == 0.25)
    // 0.3² + 0.4² = 0.5².
    let uncertain = RangeModel(anchor: .zero, anchorSigma: 0.3)
    #expect(isClose(uncertain.variance(sigma: 0.4), 0.25, within: 1e-16))
  }
}
