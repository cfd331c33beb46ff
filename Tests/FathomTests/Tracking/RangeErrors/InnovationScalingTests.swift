import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct NoiseScaleTests {
  /// The mean factor over the second half of `count` errors of `sigma` times the assumed one.
  private func settled(sigma: Double, outlierShare: Double, seed: UInt64) -> Double {
    var generator = SeededGenerator(seed: seed)
    var scale = NoiseScale()
    var sum = 0.0
    let count = 4000
    for index in 0..<count {
      var error = sigma * generator.normal()
      if generator.uniform() < outlierShare { error += 30 }
      scale.record(error * error / scale.factor)
      if index >= count / 2 { sum += scale.factor }
    }
    return sum / Double(count / 2)
  }

  @Test func convergesToTheVarianceOfTheErrors() {
    // Three times the assumed sigma: factor 9. The factor fluctuates by steps of 5 %.
    #expect(isClose(settled(sigma: 3, outlierShare: 0, seed: 1), 9, within: 2))
  }

  @Test func outliersCountOnlyByTheirShare() {
    // With a fifth of outliers the median of the rest moves to its 62.5 % point: 0.786 instead of
    // 0.455. The factor becomes 9 * 1.73 = 15.5, not that of the outliers, 900.
    #expect(isClose(settled(sigma: 3, outlierShare: 0.2, seed: 2), 15.5, within: 3))
  }

  @Test func staysAtOneForErrorsSmallerThanAssumed() {
    // An error must exceed 3.4 sigma for one step up: once in 1500, reversed by the next range.
    #expect(isClose(settled(sigma: 0.2, outlierShare: 0, seed: 3), 1, within: 1e-3))
  }

  @Test func staysFiniteForAnyInput() {
    var scale = NoiseScale()
    for square in [Double.infinity, .nan, 1e308, 0, -1] {
      for _ in 0..<2000 { scale.record(square) }
      #expect(scale.factor.isFinite && scale.factor >= 1)
    }
  }
}

@Suite struct ConsistencyScaleTests {
  /// Four innovations of 1 within five seconds sum to 4, whose square over their number is 4.
  ///
  /// The factor starts from ten stretches of 1.
  @Test func matchesAStretchComputedByHand() {
    var scale = ConsistencyScale(anchorCount: 1)
    #expect(scale.factor == 1)
    for second in 0..<4 { scale.record(1, anchor: 0, at: instant(Double(second))) }
    #expect(scale.factor == 1)
    scale.record(0, anchor: 0, at: instant(6))
    let expected = (0.998 * 10 + 4) / (0.998 * 10 + 1)
    #expect(isClose(scale.factor, expected, within: 1e-15))
  }

  @Test func clipsOutliersAtThreeStandardDeviations() {
    var (wild, three) = (ConsistencyScale(anchorCount: 1), ConsistencyScale(anchorCount: 1))
    for step in 0..<40 {
      wild.record(step % 2 == 0 ? 1e6 : -50, anchor: 0, at: instant(Double(step)))
      three.record(step % 2 == 0 ? 3 : -3, anchor: 0, at: instant(Double(step)))
    }
    #expect(wild.factor == three.factor)
  }

  @Test func independentInnovationsKeepTheFactorAtOne() {
    for seed in UInt64(2101)...2110 {
      // 400 stretches of all links have an effective weight of some 430, with a relative spread of
      // √2 each.
      #expect(isClose(factor(memory: 0, seed: seed), 1, within: 0.25), "seed \(seed)")
    }
  }

  /// The sums of correlated innovations are larger.
  ///
  /// With the correlation φ of successive innovations, sums are larger by (1 + φ) / (1 - φ), less
  /// the effect of the ends of a stretch of 50.
  @Test func correlatedInnovationsRaiseTheFactor() {
    for seed in UInt64(2111)...2115 {
      let found = factor(memory: 0.5, seed: seed)
      #expect(found > 2 && found < 3.6, "seed \(seed): \(found)")
    }
  }

  /// Alternating innovations average out faster than independent ones; the factor is limited to one
  /// half.
  @Test func factorIsAtLeastOneHalf() {
    var scale = ConsistencyScale(anchorCount: 1)
    for step in 0..<20_000 {
      scale.record(step % 2 == 0 ? 1 : -1, anchor: 0, at: instant(0.1 * Double(step)))
    }
    #expect(scale.factor == 0.5)
  }

  /// Eight links with ten innovations a second each, over 250 s.
  private func factor(memory: Double, seed: UInt64) -> Double {
    var generator = SeededGenerator(seed: seed)
    var scale = ConsistencyScale(anchorCount: 8)
    var values = (0..<8).map { _ in generator.normal() }
    let fresh = (1 - memory * memory).squareRoot()
    for step in 0..<2500 {
      for anchor in 0..<8 {
        values[anchor] = memory * values[anchor] + fresh * generator.normal()
        scale.record(values[anchor], anchor: anchor, at: instant(0.1 * Double(step)))
      }
    }
    return scale.factor
  }
}
