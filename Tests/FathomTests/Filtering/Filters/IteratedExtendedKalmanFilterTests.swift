import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct IteratedExtendedKalmanFilterTests {
  private let start = Gaussian<6>(
    mean: Vector([0.5, 0.8, 0, 0, 0, 0]), covariance: .diagonal(Vector(repeating: 1)))
  private let anchor = Vector<3>([2, 0, 0])
  private let noise = Matrix<1, 1>([[1e-4]])

  /// For a precise range far from the prediction, the result is a local minimum of the sum of
  /// squares; the first linearisation is not.
  @Test func resultIsMostLikelyState() throws {
    let model = RangeModel(anchor: anchor)
    let measured = Vector<1>([0.6])
    func cost(_ state: Vector<6>) -> Double {
      let away = state - start.mean
      let residual = measured[0] - model.measurement(at: state)[0]
      return away.dot(away) + residual * residual / noise[0, 0]
    }
    var iterated = IteratedExtendedKalmanFilter(state: start, iterations: 50)
    var extended = ExtendedKalmanFilter(state: start)
    let told = try required(iterated.update(measured, of: model, noise: noise))
    let once = try required(extended.update(measured, of: model, noise: noise))
    #expect(told == once)
    let least = cost(iterated.state.mean)
    #expect(least < cost(extended.state.mean))
    var generator = SeededGenerator(seed: 361)
    for _ in 0..<500 {
      let other = iterated.state.mean + 1e-3 * Vector.random(using: &generator)
      #expect(cost(other) > least - 1e-9, "seed 361")
    }
  }

  @Test func oneIterationMatchesExtendedFilter() throws {
    var iterated = IteratedExtendedKalmanFilter(state: start, iterations: 1)
    var extended = ExtendedKalmanFilter(state: start)
    let model = RangeModel(anchor: anchor)
    try iterated.update(Vector([1]), of: model, noise: noise)
    try extended.update(Vector([1]), of: model, noise: noise)
    #expect(iterated.state == extended.state)
    #expect(try iterated.update(nil, of: model, noise: noise) == nil)
    #expect(iterated.state == extended.state)
  }
}
