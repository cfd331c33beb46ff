import TestSupport
import Testing

@testable import FathomEvaluation

@Suite struct ErrorSpreadTests {
  @Test func undeterminedCellsCountAsLargest() {
    // Of 21 cells, the median is the value at index 10 and the 95th percentile that at index 19.
    let errors = (0...20).map(Double.init)
    let whole = ErrorSpread(errors, limit: 100)
    #expect(whole.median == 10 && whole.p95 == 19 && whole.worst == 20)
    #expect(whole.undetermined == 0)
    // 0² + 1² + ... + 20² = 2870.
    #expect(isClose(whole.rms ?? .nan, (2870.0 / 21).squareRoot(), within: 1e-12))
    let one = ErrorSpread(errors.map { $0 == 3 ? .infinity : $0 }, limit: 100)
    #expect(one.median == 11 && one.p95 == 20 && one.undetermined == 1.0 / 21)
    let many = ErrorSpread(errors, limit: 11.5)
    #expect(many.median == 10 && many.p95 == nil && many.worst == 11)
    #expect(many.undetermined == 9.0 / 21)
    let none = ErrorSpread([.nan, .infinity], limit: 1)
    #expect(none.median == nil && none.worst == nil && none.rms == nil && none.undetermined == 1)
    #expect(ErrorSpread([], limit: 1).undetermined == 0)
    #expect(ErrorSpread([2], limit: 3).p95 == 2)
  }

  @Test func comparesPercentileThenUndeterminedShare() {
    let good = ErrorSpread([1, 1], limit: 9)
    let worse = ErrorSpread([1, 2], limit: 9)
    let partial = ErrorSpread([1, 1, .infinity], limit: 9)
    let broken = ErrorSpread([1, .infinity, .infinity], limit: 9)
    #expect(good.isBetter(than: worse) && !worse.isBetter(than: good) && !good.isBetter(than: good))
    #expect(worse.isBetter(than: partial) && !partial.isBetter(than: worse))
    #expect(partial.isBetter(than: broken) && !broken.isBetter(than: partial))
  }
}
