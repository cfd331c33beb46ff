import TestSupport
import Testing

@testable import Fathom

/// ``SmootherOracleTests`` compares diffuse starts with other libraries.
@Suite struct InformationFilterTests {
  /// From a diffuse prior, two positions determine position and rate; the motion is then a straight
  /// line.
  @Test func twoPositionsDetermineLine() throws {
    var filter = InformationFilter<2, 1>(
      observation: Matrix([[1, 0]]), noise: Matrix([[0.04]]))
    let transition = Matrix<2, 2>([[1, 0.5], [0, 1]])
    #expect(filter.state == nil)
    #expect(try filter.update(Vector([3])) == nil)
    #expect(filter.state == nil)
    try filter.predict(transition: transition, processNoise: .zero)
    #expect(try filter.update(Vector([4])) == nil)
    let state = try #require(filter.state)
    // Rate (4 - 3) / 0.5; its variance 2 · 0.04 / 0.25, its covariance with the position 0.04 / 0.5.
    #expect(isClose(state.mean[0], 4, within: 1e-12) && isClose(state.mean[1], 2, within: 1e-12))
    #expect(isClose(state.covariance[0, 0], 0.04, within: 1e-13))
    #expect(isClose(state.covariance[0, 1], 0.08, within: 1e-13))
    #expect(isClose(state.covariance[1, 1], 0.32, within: 1e-12))
    try filter.predict(transition: transition, processNoise: .zero)
    let innovation = try required(filter.update(Vector([5])))
    #expect(isClose(innovation.residual[0], 0, within: 1e-11))
  }

  @Test func rejectsSingularInput() throws {
    let singular = Gaussian(mean: Vector<2>.zero, covariance: Matrix<2, 2>([[1, 1], [1, 1]]))
    #expect(
      InformationFilter(
        state: singular, observation: Matrix<1, 2>([[1, 0]]), noise: Matrix<1, 1>([[1]])) == nil)
    var filter = InformationFilter<2, 1>(observation: Matrix([[1, 0]]), noise: Matrix([[1]]))
    let before = filter
    #expect(throws: FilteringError.notFinite) {
      try filter.predict(transition: Matrix([[1, 1], [1, 1]]), processNoise: .zero)
    }
    #expect(filter == before)
    filter.noise = .zero
    #expect(throws: FilteringError.indefiniteInnovation) { try filter.update(Vector([1])) }
  }
}
