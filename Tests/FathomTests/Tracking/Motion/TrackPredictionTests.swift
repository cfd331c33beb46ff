import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Predictions of a state estimate, compared with dense matrices.
@Suite struct TrackPredictionTests {
  private static let motions = [
    ConstantVelocity(horizontalDensity: 0.7, verticalDensity: 0.4),
    ConstantVelocity(horizontalDensity: 2, verticalDensity: 1.5),
  ]
  private static let linkVariance = 0.004
  private static let processNoise = TrackState.ProcessNoise(
    motions[0], motions[1], linkVariance: linkVariance)

  @Test func predictionMatchesTheMatrixProduct() throws {
    try TrackState.onRandomStates(seed: 2001) { state, modes, generator in
      // Some steps that leave almost nothing of the link errors, and one that leaves nothing.
      for memory in [0.8, 0.01, 0.9, 0, 0.7] {
        let seconds = generator.exponential(mean: 0.3)
        state.predict(over: seconds, processNoise: Self.processNoise, memory: memory)
        Self.predict(&modes, state, over: seconds, memory: memory)
      }
    }
  }

  /// The position is held, the velocity is reset, and the rest is predicted over the followed time.
  @Test func holdKeepsThePositionAndResetsTheVelocity() throws {
    try TrackState.onRandomStates(seed: 2002) { state, modes, generator in
      let seconds = generator.exponential(mean: 3)
      state.hold(
        over: seconds, followed: 2, speed: 1.5, processNoise: Self.processNoise, memory: 0.8)
      let before = modes
      Self.predict(&modes, state, over: min(seconds, 2), memory: 0.8)
      for mode in 0..<2 {
        for axis in 0..<state.axes {
          modes[mode].mean[axis, 0] = before[mode].mean[axis, 0]
          modes[mode].covariance[axis, axis] += 2.25 * seconds * seconds
          modes[mode].replace(state.axes + axis, value: 0, variance: 2.25)
        }
      }
    }
  }

  /// Only the common bias decays, and its variance returns to the stationary one.
  @Test func commonModeErrorDecays() throws {
    try TrackState.onRandomStates(seed: 2003) { state, modes, generator in
      guard state.hasCommon else { return }
      let memory = generator.uniform()
      state.fadeBias(to: memory, variance: 0.0025)
      var fade = state.identity
      fade[state.bias, state.bias] = memory
      var noise = DenseMatrix(rows: state.size, columns: state.size)
      noise[state.bias, state.bias] = (1 - memory * memory) * 0.0025
      for mode in 0..<2 {
        modes[mode].transform(by: fade)
        modes[mode].addNoise(noise)
      }
    }
  }

  /// A known height without an explicit setting: zero variance, and no motion along z.
  @Test func holdKeepsAFixedHeight() {
    var state = TrackState(
      Gaussian(
        mean: Vector([1, 2, 1.2, 0, 0, 0]), covariance: .diagonal(Vector([1, 1, 0, 1, 1, 0]))))
    let level = ConstantVelocity(horizontalDensity: 1, verticalDensity: 0)
    let processNoise = TrackState.ProcessNoise(level, level, linkVariance: 0)
    state.hold(over: 10, followed: 2, speed: 1.5, processNoise: processNoise, memory: 0.1)
    #expect(state.mean(2) == TrackState.Pair(repeating: 1.2))
    #expect(state.covariance(2, 2) == .zero && state.covariance(5, 5) == .zero)
    #expect(state.covariance(0, 0)[0] > 225)
  }

  private static func predict(
    _ modes: inout [DenseTrackState], _ state: TrackState, over seconds: Double, memory: Double
  ) {
    for mode in 0..<2 {
      modes[mode].transform(by: state.transition(over: seconds, memory: memory))
      modes[mode].addNoise(
        state.noise(
          of: motions[mode], over: seconds, memory: memory, linkVariance: linkVariance))
    }
  }
}
