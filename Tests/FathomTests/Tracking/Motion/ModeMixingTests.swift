import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TrackMixingTests {
  /// Moments of a mixture: Σ w (P + (m - m̄)(m - m̄)ᵀ), for each mode with weights of its own.
  @Test func mixingKeepsTheMoments() throws {
    try TrackBelief.onRandomBeliefs(seed: 2007) { belief, modes, generator in
      let shares = TrackBelief.Pair(generator.uniform(), generator.uniform())
      belief.mix(shares: shares)
      let before = modes
      for mode in 0..<2 {
        let weights = [shares[mode], 1 - shares[mode]]
        for row in 0..<belief.size {
          modes[mode].mean[row, 0] = zip(weights, before).map { $0 * $1.mean[row, 0] }.sum
        }
        let mean = modes[mode].mean
        for row in 0..<belief.size {
          for column in 0..<belief.size {
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

  /// Each mode keeps what it has.
  @Test func mixingNothingChangesNothing() throws {
    try TrackBelief.onRandomBeliefs(seed: 2009) { belief, modes, _ in
      belief.mix(shares: TrackBelief.Pair(1, 0))
    }
  }
}

extension [Double] {
  fileprivate var sum: Double { reduce(0, +) }
}
