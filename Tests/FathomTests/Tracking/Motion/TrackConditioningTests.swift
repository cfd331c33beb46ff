import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Updates with ranges, compared with dense matrices.
@Suite struct TrackConditioningTests {
  /// K = P Hᵀ / S, with the derivative H with respect to everything that affects a range.
  @Test func conditioningMatchesTheKalmanFilter() throws {
    try TrackState.onRandomStates(seed: 2003) { state, modes, generator in
      for step in 0..<3 {
        let anchor = 5 * Vector<3>.random(using: &generator)
        let links = state.linkCount
        let link = links > 0 && step > 0 ? Int(Double(links) * generator.uniform()) : nil
        let distance = generator.exponential(mean: 6)
        let variances = TrackState.Pair(
          generator.exponential(mean: 0.05), generator.exponential(mean: 0.05))
        let expectation = state.expectation(of: distance, anchor: anchor, link: link)
        state.condition(on: expectation, variance: variances)
        for mode in 0..<2 {
          let (residual, spread) = Self.condition(
            &modes[mode], state, on: distance, anchor: anchor, link: link,
            variance: variances[mode])
          #expect(isClose(expectation.residual[mode], residual, within: 1e-11))
          #expect(isClose(expectation.spread[mode], spread, within: 1e-11 * (1 + spread)))
        }
      }
    }
  }

  /// A disturbed link is one whose error has a greater variance.
  @Test func disturbedLinkHasAGreaterVariance() throws {
    try TrackState.onRandomStates(seed: 2004) { state, modes, generator in
      guard state.linkCount > 0 else { return }
      let slot = Int(Double(state.linkCount) * generator.uniform())
      let anchor = 5 * Vector<3>.random(using: &generator)
      let (distance, factor) = (generator.exponential(mean: 6), 0.5 + generator.uniform())
      let added = TrackState.Pair(generator.exponential(mean: 1), 0)
      let noise = TrackState.Pair(repeating: 0.01)
      let expectation = state.expectation(
        of: distance, anchor: anchor, link: slot, factor: factor)
      let disturbed = state.disturbed(.init(range: slot, factor: factor), by: added, expectation)
      state.condition(on: disturbed, variance: noise)
      for mode in 0..<2 {
        let link = state.firstLink + slot
        modes[mode].covariance[link, link] += added[mode] / (factor * factor)
        let (_, spread) = Self.condition(
          &modes[mode], state, on: distance, anchor: anchor, link: slot, factor: factor,
          variance: noise[mode])
        #expect(isClose(disturbed.spread[mode], spread, within: 1e-11 * (1 + spread)))
      }
    }
  }

  private static func condition(
    _ dense: inout DenseTrackState, _ state: TrackState, on distance: Double, anchor: Vector<3>,
    link: Int?, factor: Double = 1, variance: Double
  ) -> (residual: Double, spread: Double) {
    var offset = Vector<3>([0, 0, state.height]) - anchor
    for axis in 0..<state.axes { offset[axis] = dense.mean[axis, 0] - anchor[axis] }
    let metres = offset.length
    let stretch = state.hasCommon ? 1 + dense.mean[state.bias + 1, 0] : 1
    var derivative = DenseMatrix(rows: 1, columns: state.size)
    var expected = stretch * metres
    for axis in 0..<state.axes { derivative[0, axis] = stretch * offset[axis] / metres }
    if state.hasCommon {
      derivative[0, state.bias] = 1
      derivative[0, state.bias + 1] = metres
      expected += dense.mean[state.bias, 0]
    }
    if let link {
      derivative[0, state.firstLink + link] = factor
      expected += factor * dense.mean[state.firstLink + link, 0]
    }
    let column = dense.covariance * derivative.transposed()
    let spread = (derivative * column)[0, 0]
    for row in 0..<state.size {
      dense.mean[row, 0] += column[row, 0] * (distance - expected) / (spread + variance)
      for other in 0..<state.size {
        dense.covariance[row, other] -= column[row, 0] * column[other, 0] / (spread + variance)
      }
    }
    return (distance - expected, spread)
  }

  /// At the position of an anchor, a range moves the tag along x.
  @Test(arguments: [false, true])
  func rangeAtTheAnchorMovesAlongX(_ isLevel: Bool) {
    var state = TrackState(
      Gaussian(mean: .zero, covariance: .identity), isLevel: isLevel)
    let expectation = state.expectation(of: 2, anchor: .zero, link: nil)
    #expect(expectation.residual == .init(2, 2) && expectation.spread == .init(1, 1))
    state.condition(on: expectation, variance: .init(1, 3))
    #expect(state.mean(0) == .init(1, 0.5) && state.mean(1) == .zero)
  }

  /// For an almost exact range, the noise is limited to the rounding error of the variances.
  @Test func exactRangeKeepsVariancesNonnegative() {
    var state = TrackState(Gaussian(mean: .zero, covariance: .identity))
    for _ in 0..<10 {
      let expectation = state.expectation(of: 5, anchor: Vector([3, 4, 0.1]), link: nil)
      state.condition(on: expectation, variance: .init(0, 1e-300))
    }
    for index in 0..<3 {
      let variance = state.covariance(index, index)
      #expect(variance[0] >= 0 && variance[1] >= 0 && variance[0] <= 1 && variance[1] <= 1)
    }
    #expect(state.isMirrored)
  }
}
