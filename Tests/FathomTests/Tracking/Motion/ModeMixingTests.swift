import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ModeMixingTests {
  /// The moments of a mixture, Σ w (P + (m - m̄)(m - m̄)ᵀ), for each mode with its own weights.
  @Test func mixingPreservesTheMoments() throws {
    try TrackState.onRandomStates(seed: 2007) { state, modes, generator in
      let shares = TrackState.Pair(generator.uniform(), generator.uniform())
      state.mix(shares: shares)
      let before = modes
      for mode in 0..<2 {
        let weights = [shares[mode], 1 - shares[mode]]
        for row in 0..<state.size {
          modes[mode].mean[row, 0] = zip(weights, before).map { $0 * $1.mean[row, 0] }.sum
        }
        let mean = modes[mode].mean
        for row in 0..<state.size {
          for column in 0..<state.size {
            modes[mode].covariance[row, column] =
              zip(weights, before).map { weight, dense in
                let away = (dense.mean[row, 0] - mean[row, 0])
                let other = (dense.mean[column, 0] - mean[column, 0])
                return weight * (dense.covariance[row, column] + away * other)
              }.sum
          }
        }
      }
    }
  }

  /// With the weights 1 and 0 each mode keeps its estimate.
  @Test func mixingWithTrivialSharesChangesNothing() throws {
    try TrackState.onRandomStates(seed: 2009) { state, modes, _ in
      state.mix(shares: TrackState.Pair(1, 0))
    }
  }
}

extension [Double] {
  fileprivate var sum: Double { reduce(0, +) }
}

/// The combined estimate, compared with dense matrices.
@Suite struct CombinedEstimateTests {
  @Test func combinedEstimateHasTheMomentsOfBothModes() throws {
    let motions = [
      ConstantVelocity(horizontalDensity: 0.7, verticalDensity: 0.4),
      ConstantVelocity(horizontalDensity: 2, verticalDensity: 1.5),
    ]
    let processNoise = TrackState.ProcessNoise(motions[0], motions[1], linkVariance: 0.004)
    try TrackState.onRandomStates(seed: 2011) { state, modes, generator in
      let share = generator.uniform()
      let factor = 0.5 + generator.uniform()
      let seconds = generator.uniform() < 0.5 ? 0 : generator.exponential(mean: 1)
      let found = state.combined(
        after: seconds, processNoise: processNoise, share: share, factor: factor)
      // The state itself does not change.
      var ahead = modes
      for mode in 0..<2 {
        ahead[mode].transform(by: state.transition(over: seconds, memory: 1))
        ahead[mode].addNoise(
          state.noise(of: motions[mode], over: seconds, memory: 1, linkVariance: 0.004))
      }
      let weights = [share, 1 - share]
      for row in 0..<3 {
        let isKnown = row >= state.axes
        func mixed(_ index: Int) -> Double {
          zip(weights, ahead).reduce(0) { $0 + $1.0 * $1.1.mean[index, 0] }
        }
        #expect(
          isClose(found.position[row], isKnown ? state.height : mixed(row), within: 1e-11))
        #expect(
          isClose(
            found.velocity[row], isKnown ? 0 : mixed(state.axes + row), within: 1e-11))
        for column in 0..<3 {
          var expected = 0.0
          if !isKnown, column < state.axes {
            for (weight, dense) in zip(weights, ahead) {
              let away = dense.mean[row, 0] - mixed(row)
              let other = dense.mean[column, 0] - mixed(column)
              expected += weight * (dense.covariance[row, column] + away * other)
            }
          }
          let variance = found.covariance[row, column]
          #expect(isClose(variance, factor * expected, within: 1e-10 * (1 + expected.magnitude)))
          #expect(variance == found.covariance[column, row])
        }
      }
    }
  }
}
