import Testing

@testable import FathomEvaluation

@Suite struct SeededGeneratorTests {
  @Test func sameSeedYieldsSameSequence() {
    var first = SeededGenerator(seed: 7)
    var second = SeededGenerator(seed: 7)
    for _ in 0..<100 { #expect(first.next() == second.next()) }
  }

  @Test func normalNumbersHaveExpectedMoments() {
    // Standard errors for n = 200 000: mean 0.0022, variance 0.0032, fourth moment 0.022.
    var generator = SeededGenerator(seed: 11)
    let count = 200_000
    var sums = (0.0, 0.0, 0.0)
    for _ in 0..<count {
      let value = generator.normal()
      sums.0 += value
      sums.1 += value * value
      sums.2 += value * value * value * value
    }
    #expect((sums.0 / Double(count)).magnitude < 0.01)
    #expect((sums.1 / Double(count) - 1).magnitude < 0.015)
    #expect((sums.2 / Double(count) - 3).magnitude < 0.1)
  }

  @Test func exponentialNumbersArePositiveWithGivenMean() {
    var generator = SeededGenerator(seed: 3)
    var sum = 0.0
    for _ in 0..<100_000 {
      let value = generator.exponential(mean: 0.8)
      #expect(value >= 0)
      sum += value
    }
    #expect((sum / 100_000 - 0.8).magnitude < 0.015)
  }

  @Test func streamsAreUncorrelated() {
    var plain = SeededGenerator(seed: 7)
    var zero = SeededGenerator(seed: 7, stream: 0)
    #expect(plain.next() == zero.next())
    // Neighbouring streams and seeds: the correlation of 100 000 pairs has a standard error of
    // 0.0032.
    for (seed, stream) in [(7, 1), (7, 2), (8, 1), (7, 1000)] as [(UInt64, UInt64)] {
      var first = SeededGenerator(seed: 7, stream: stream == 1 && seed == 7 ? 0 : 1)
      var second = SeededGenerator(seed: seed, stream: stream)
      var sum = 0.0
      for _ in 0..<100_000 { sum += (first.uniform() - 0.5) * (second.uniform() - 0.5) }
      #expect((12 * sum / 100_000).magnitude < 0.016, "\(seed), \(stream)")
    }
  }

  @Test func studentTNumbersHaveExpectedQuantilesAndTails() {
    // P(|t| < 1) is 1/2 for one degree and 1/sqrt 3 = 0.5774 for two (by integration). P(|t| > 10)
    // is 2/pi atan(1/10) = 0.0635 and 1 - 10/sqrt 102 = 0.0099. Standard errors at n = 200 000 are
    // 0.0011 and 0.0005; the tolerance is five of each.
    for (degrees, inner, outer) in [(1.0, 0.5, 0.063_45), (2.0, 0.577_35, 0.009_85)] {
      var generator = SeededGenerator(seed: 21)
      var counts = (0, 0, 0)
      for _ in 0..<200_000 {
        let value = generator.studentT(degrees: degrees)
        if value.magnitude < 1 { counts.0 += 1 }
        if value.magnitude > 10 { counts.1 += 1 }
        if value > 0 { counts.2 += 1 }
      }
      #expect((Double(counts.0) / 200_000 - inner).magnitude < 0.005_5)
      #expect((Double(counts.1) / 200_000 - outer).magnitude < 0.002_7)
      #expect((Double(counts.2) / 200_000 - 0.5).magnitude < 0.005_5)
    }
    // With many degrees of freedom the distribution approaches the normal one: variance n / (n -
    // 2).
    var generator = SeededGenerator(seed: 22)
    var square = 0.0
    for _ in 0..<100_000 {
      let value = generator.studentT(degrees: 50)
      square += value * value
    }
    #expect((square / 100_000 - 50 / 48.0).magnitude < 0.025)
  }
}
