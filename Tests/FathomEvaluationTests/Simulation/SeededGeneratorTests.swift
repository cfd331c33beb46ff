import Testing

@testable import FathomEvaluation

@Suite struct SeededGeneratorTests {
  @Test func sameSeedSameSequence() {
    var first = SeededGenerator(seed: 7)
    var second = SeededGenerator(seed: 7)
    for _ in 0..<100 { #expect(first.next() == second.next()) }
  }

  @Test func normalNumbersHaveTheMomentsTheyShould() {
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

  @Test func exponentialNumbersArePositiveWithTheGivenMean() {
    var generator = SeededGenerator(seed: 3)
    var sum = 0.0
    for _ in 0..<100_000 {
      let value = generator.exponential(mean: 0.8)
      #expect(value >= 0)
      sum += value
    }
    #expect((sum / 100_000 - 0.8).magnitude < 0.015)
  }
}
