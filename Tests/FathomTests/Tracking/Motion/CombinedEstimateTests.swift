import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// What is read from a belief, against the same with whole matrices.
@Suite struct TrackReadingTests {
  @Test func aStateHasTheMomentsOfBothModes() throws {
    let motions = [
      ConstantVelocity(horizontalDensity: 0.7, verticalDensity: 0.4),
      ConstantVelocity(horizontalDensity: 2, verticalDensity: 1.5),
    ]
    let drift = TrackBelief.Drift(motions[0], motions[1], linkVariance: 0.004)
    try TrackBelief.onRandomBeliefs(seed: 2011) { belief, modes, generator in
      let share = generator.uniform()
      let factor = 0.5 + generator.uniform()
      let seconds = generator.uniform() < 0.5 ? 0 : generator.exponential(mean: 1)
      let found = belief.state(
        after: seconds, drift: drift, share: share, factor: factor)
      // The belief itself does not move.
      var ahead = modes
      for mode in 0..<2 {
        ahead[mode].transform(by: belief.transition(over: seconds, memory: 1))
        ahead[mode].addNoise(
          belief.noise(of: motions[mode], over: seconds, memory: 1, linkVariance: 0.004))
      }
      let weights = [share, 1 - share]
      for row in 0..<3 {
        let isKnown = row >= belief.axes
        func mixed(_ index: Int) -> Double {
          zip(weights, ahead).reduce(0) { $0 + $1.0 * $1.1.mean[index, 0] }
        }
        #expect(
          isClose(found.position[row], isKnown ? belief.height : mixed(row), within: 1e-11))
        #expect(
          isClose(
            found.velocity[row], isKnown ? 0 : mixed(belief.axes + row), within: 1e-11))
        for column in 0..<3 {
          var expected = 0.0
          if !isKnown, column < belief.axes {
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
