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

  @Test func settlesAtTheVarianceOfTheErrors() {
    // Sigma three times the assumed one: factor 9. One step is 5 %, which the factor wanders about.
    #expect(isClose(settled(sigma: 3, outlierShare: 0, seed: 1), 9, within: 2))
  }

  @Test func outliersCountNoMoreThanTheirShare() {
    // With a fifth of outliers the median of the rest moves to its 62.5 % point: 0.786 against
    // 0.455, so the factor goes to 9 * 1.73 = 15.5 and not to that of the outliers, 900.
    #expect(isClose(settled(sigma: 3, outlierShare: 0.2, seed: 2), 15.5, within: 3))
  }

  @Test func staysAtOneForErrorsSmallerThanAssumed() {
    // An error must exceed 3.4 sigma for one step up: once in 1500, gone with the next range.
    #expect(isClose(settled(sigma: 0.2, outlierShare: 0, seed: 3), 1, within: 1e-3))
  }

  @Test func anyNumberLeavesItFinite() {
    var scale = NoiseScale()
    for square in [Double.infinity, .nan, 1e308, 0, -1] {
      for _ in 0..<2000 { scale.record(square) }
      #expect(scale.factor.isFinite && scale.factor >= 1)
    }
  }
}
