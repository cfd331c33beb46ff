import TestSupport
import Testing

@testable import Fathom

@Suite struct AlphaBetaGammaFilterTests {
  @Test(.needsReference("oracles/kalman/fad02_fading_memory_polynomial.json"))
  func fadingMemoryGainsMatchOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/fad02_fading_memory_polynomial.json"),
      as: FadingFile.self)
    for one in reference.cases {
      var filter = AlphaBetaGammaFilter(
        position: 0, gains: .fadingMemory(order: one.order, beta: one.beta))
      for (step, measured) in one.z.enumerated() {
        filter.predict(over: one.dt)
        filter.update(measured, interval: one.dt)
        let values = [filter.position, filter.rate, filter.acceleration]
        for (value, expected) in zip(values, one.x[step]) {
          #expect(
            isClose(value, expected, within: 1e-12 * max(1, expected.magnitude)),
            "order \(one.order), beta \(one.beta), step \(step)")
        }
      }
    }
  }

  /// Compares with the steady-state gain of a Kalman filter for an acceleration that is constant
  /// within a step: Q = G σₐ² Gᵀ, G = (T²/2, T).
  @Test(arguments: [0.001, 0.1, 1, 10, 1000])
  func alphaBetaGainsMatchSteadyStateKalmanFilter(_ index: Double) throws {
    let step = 0.5
    let acceleration = index / (step * step)
    let push = Matrix<2, 1>([[step * step / 2], [step]])
    let noise = (acceleration * acceleration) * push.timesTransposed(push)
    var filter = SquareRootKalmanFilter(
      state: Gaussian(mean: Vector<2>.zero, covariance: .identity),
      observation: Matrix<1, 2>([[1, 0]]), noise: Matrix<1, 1>([[1]]))
    let transition = Matrix<2, 2>([[1, step], [0, 1]])
    for _ in 0..<20_000 {
      filter.predict(transition: transition, processNoise: noise)
      try filter.update(Vector([0]))
    }
    // K = P' Hᵀ / r, with the variance after the update.
    let gains = TrackingGains.alphaBeta(trackingIndex: index)
    let covariance = filter.state.covariance
    #expect(isClose(covariance[0, 0], gains.position, within: 1e-9 * gains.position))
    #expect(isClose(step * covariance[0, 1], gains.rate, within: 1e-8 * gains.rate))
  }

  @Test(arguments: [0.01, 0.3, 1, 10, 100])
  func alphaBetaGammaGainsMatchSteadyStateKalmanFilter(_ index: Double) throws {
    // With T = 1, G = (1/2, 1, 1): the acceleration has an independent increment at every step.
    let push = Matrix<3, 1>([[0.5], [1], [1]])
    let noise = (index * index) * push.timesTransposed(push)
    var filter = SquareRootKalmanFilter(
      state: Gaussian(mean: Vector<3>.zero, covariance: .identity),
      observation: Matrix<1, 3>([[1, 0, 0]]), noise: Matrix<1, 1>([[1]]))
    let transition = Matrix<3, 3>([[1, 1, 0.5], [0, 1, 1], [0, 0, 1]])
    for _ in 0..<5000 {
      filter.predict(transition: transition, processNoise: noise)
      try filter.update(Vector([0]))
    }
    let gains = TrackingGains.alphaBetaGamma(trackingIndex: index)
    let covariance = filter.state.covariance
    #expect(isClose(covariance[0, 0], gains.position, within: 1e-7 * gains.position))
    #expect(isClose(covariance[0, 1], gains.rate, within: 1e-7 * gains.rate))
    #expect(isClose(covariance[0, 2], gains.acceleration, within: 1e-7 * gains.acceleration))
  }

  /// A parabola has no residual after convergence.
  @Test func followsParabolaWithoutLag() {
    var filter = AlphaBetaGammaFilter(
      position: 0, gains: .alphaBetaGamma(trackingIndex: 0.5))
    var residual = 1.0
    for index in 0..<400 {
      let time = 0.1 * Double(index)
      filter.predict(over: 0.1)
      residual = filter.update(3 - time + 0.7 * time * time, interval: 0.1) ?? .nan
    }
    #expect(residual.magnitude < 1e-9)
    #expect(isClose(filter.acceleration, 1.4, within: 1e-6))
    let before = filter
    #expect(filter.update(nil, interval: 0.1) == nil && filter.update(.nan, interval: 1) == nil)
    #expect(filter == before)
  }
}

private struct FadingFile: Decodable {
  struct Case: Decodable {
    var order: Int
    var beta: Double
    var dt: Double
    var z: [Double]
    var x: [[Double]]
  }

  var cases: [Case]
}
