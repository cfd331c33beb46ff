import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Carrying a belief on, against the same with whole matrices.
@Suite struct TrackPredictionTests {
  private static let motions = [
    ConstantVelocity(horizontalDensity: 0.7, verticalDensity: 0.4),
    ConstantVelocity(horizontalDensity: 2, verticalDensity: 1.5),
  ]
  private static let linkVariance = 0.004
  private static let processNoise = TrackState.ProcessNoise(
    motions[0], motions[1], linkVariance: linkVariance)

  @Test func predictionIsAMatrixProduct() throws {
    try TrackState.onRandomBeliefs(seed: 2001) { belief, modes, generator in
      // Some steps after which next to nothing is left of the errors of links, and one that leaves
      // nothing.
      for memory in [0.8, 0.01, 0.9, 0, 0.7] {
        let seconds = generator.exponential(mean: 0.3)
        belief.predict(over: seconds, processNoise: Self.processNoise, memory: memory)
        Self.predict(&modes, belief, over: seconds, memory: memory)
      }
    }
  }

  /// Position as before, velocity anew, the rest as after the seconds over which it is followed.
  @Test func aHoldKeepsThePositionAndForgetsTheVelocity() throws {
    try TrackState.onRandomBeliefs(seed: 2002) { belief, modes, generator in
      let seconds = generator.exponential(mean: 3)
      belief.hold(
        over: seconds, followed: 2, speed: 1.5, processNoise: Self.processNoise, memory: 0.8)
      let before = modes
      Self.predict(&modes, belief, over: min(seconds, 2), memory: 0.8)
      for mode in 0..<2 {
        for axis in 0..<belief.axes {
          modes[mode].mean[axis, 0] = before[mode].mean[axis, 0]
          modes[mode].covariance[axis, axis] += 2.25 * seconds * seconds
          modes[mode].replace(belief.axes + axis, value: 0, variance: 2.25)
        }
      }
    }
  }

  /// The common bias alone falls, and becomes unknown again.
  @Test func aDriftFades() throws {
    try TrackState.onRandomBeliefs(seed: 2003) { belief, modes, generator in
      guard belief.hasCommon else { return }
      let memory = generator.uniform()
      belief.fadeBias(to: memory, variance: 0.0025)
      var fade = belief.identity
      fade[belief.bias, belief.bias] = memory
      var noise = DenseMatrix(rows: belief.size, columns: belief.size)
      noise[belief.bias, belief.bias] = (1 - memory * memory) * 0.0025
      for mode in 0..<2 {
        modes[mode].transform(by: fade)
        modes[mode].addNoise(noise)
      }
    }
  }

  /// A height that is known without being told so: zero variance, and no motion along z.
  @Test func aHoldDoesNotFreeWhatDoesNotMove() {
    var belief = TrackState(
      Gaussian(
        mean: Vector([1, 2, 1.2, 0, 0, 0]), covariance: .diagonal(Vector([1, 1, 0, 1, 1, 0]))))
    let level = ConstantVelocity(horizontalDensity: 1, verticalDensity: 0)
    let processNoise = TrackState.ProcessNoise(level, level, linkVariance: 0)
    belief.hold(over: 10, followed: 2, speed: 1.5, processNoise: processNoise, memory: 0.1)
    #expect(belief.mean(2) == TrackState.Pair(repeating: 1.2))
    #expect(belief.covariance(2, 2) == .zero && belief.covariance(5, 5) == .zero)
    #expect(belief.covariance(0, 0)[0] > 225)
  }

  private static func predict(
    _ modes: inout [DenseTrackState], _ belief: TrackState, over seconds: Double, memory: Double
  ) {
    for mode in 0..<2 {
      modes[mode].transform(by: belief.transition(over: seconds, memory: memory))
      modes[mode].addNoise(
        belief.noise(
          of: motions[mode], over: seconds, memory: memory, linkVariance: linkVariance))
    }
  }
}
