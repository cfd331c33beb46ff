import FathomEvaluation
import TestSupport
import Testing

@Suite struct WhitenessTests {
  /// 1, -1, 1, -1, 1, -1: five products of -1, divided by six squares; 6 * 8 * (25 / 36) / 5 = 20 /
  /// 3.
  @Test func matchesHandComputedValues() throws {
    let values: [Double] = [1, -1, 1, -1, 1, -1]
    let whiteness = try #require(Whiteness(normalizedInnovations: values, lags: 1))
    #expect(isClose(whiteness.autocorrelations[0], -5.0 / 6, within: 1e-15))
    #expect(isClose(whiteness.ljungBox, 20.0 / 3, within: 1e-13))
    // SciPy 1.17.1: chi2.sf(20 / 3, 1).
    #expect(isClose(whiteness.pValue, 0.009_823_274_507_519_235, within: 1e-13))
    #expect(isClose(whiteness.bound95, 1.959_963_984_540_054 / 6.0.squareRoot(), within: 1e-12))
    #expect(whiteness.shareOutside == 1 && whiteness.mean == 0 && whiteness.meanSquare == 1)
  }

  @Test func uninformativeInputYieldsNil() {
    #expect(Whiteness(normalizedInnovations: [1, 2, 3], lags: 2) == nil)
    #expect(Whiteness(normalizedInnovations: [0, 0, 0, 0], lags: 2) == nil)
    #expect(Whiteness(normalizedInnovations: [1, .nan, 0, 0], lags: 2) == nil)
  }

  /// The p-value of white sequences is uniform: of 400 about 20 are below 0.05, with standard
  /// deviation 4.4.
  @Test func whiteSequencesPass() throws {
    var generator = SeededGenerator(seed: 41)
    var (rejected, outside) = (0, 0.0)
    for _ in 0..<400 {
      let values = (0..<300).map { _ in generator.normal() }
      let whiteness = try #require(Whiteness(normalizedInnovations: values, lags: 10))
      if whiteness.pValue < 0.05 { rejected += 1 }
      outside += whiteness.shareOutside / 400
    }
    #expect((5...38).contains(rejected), "seed 41: \(rejected)")
    #expect(outside > 0.03 && outside < 0.06, "seed 41: \(outside)")
  }

  /// xₜ = 0.5 xₜ₋₁ + noise has autocorrelations 0.5, 0.25, 0.125, ...
  @Test func colouredSequencesFail() throws {
    var generator = SeededGenerator(seed: 42)
    var value = 0.0
    let values = (0..<4000).map { _ in
      value = 0.5 * value + generator.normal()
      return value
    }
    let whiteness = try #require(Whiteness(normalizedInnovations: values))
    #expect(isClose(whiteness.autocorrelations[0], 0.5, within: 0.05), "seed 42")
    #expect(isClose(whiteness.autocorrelations[1], 0.25, within: 0.07), "seed 42")
    #expect(whiteness.pValue < 1e-12)
    // A non-zero mean appears at every lag.
    let biased = (0..<4000).map { _ in 0.5 + generator.normal() }
    #expect(try #require(Whiteness(normalizedInnovations: biased)).shareOutside == 1)
  }
}
