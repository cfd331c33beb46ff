import FathomEvaluation
import TestSupport
import Testing

@Suite struct NormalDistributionTests {
  /// `scipy.stats.norm.ppf(p)`, SciPy 1.17.1.
  private static let quantiles: [(p: Double, x: Double)] = [
    (1e-300, -37.0470962993612),
    (1e-12, -7.034483825301131),
    (0.0001, -3.7190164854556804),
    (0.005, -2.575829303548901),
    (0.025, -1.9599639845400545),
    (0.3, -0.5244005127080409),
    (0.5, 0.0),
    (0.6, 0.2533471031357997),
    (0.95, 1.6448536269514722),
    (0.975, 1.959963984540054),
    (0.995, 2.5758293035489004),
    (0.9999, 3.719016485455709),
  ]

  @Test func quantilesMatchSciPy() {
    for (p, expected) in Self.quantiles {
      let x = NormalDistribution.quantile(p)
      #expect(isClose(x, expected, within: 1e-12 * max(1, expected.magnitude)), "p \(p): \(x)")
    }
  }

  @Test func quantileInvertsCumulative() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<1000 {
      let p = generator.uniform()
      let back = NormalDistribution.cumulative(NormalDistribution.quantile(p))
      #expect(isClose(back, p, within: 1e-14), "seed 5, p \(p)")
    }
  }

  @Test func quantilesAreInfiniteAtTheEnds() {
    #expect(NormalDistribution.quantile(0) == -.infinity)
    #expect(NormalDistribution.quantile(1) == .infinity)
    #expect(NormalDistribution.cumulative(.infinity) == 1)
    #expect(NormalDistribution.cumulative(-.infinity) == 0)
  }
}
