import Foundation
import Testing

@testable import FathomEvaluation

@Suite struct ElementaryFunctionsTests {
  /// The largest difference, in units of the last place of the expected value.
  private struct Worst {
    var steps = 0.0
    var argument = 0.0

    /// Near a zero of the function the absolute difference counts, in units of `floor`.
    mutating func compare(
      _ value: Double, _ expected: Double, at argument: Double, floor: Double = 0
    ) {
      let steps = (value - expected).magnitude / max(expected.ulp, floor)
      if !(steps <= self.steps) { (self.steps, self.argument) = (steps, argument) }
    }
  }

  @Test func matchesTheMathLibraryToAFewUnitsInTheLastPlace() {
    var generator = SeededGenerator(seed: 1)
    var (sine, cosine, exponential, logarithm, angle) = (
      Worst(), Worst(), Worst(), Worst(), Worst()
    )
    for _ in 0..<20_000 {
      let small = generator.uniform(in: -50...50)
      for x in [small, generator.uniform(in: -1e6...1e6)] {
        sine.compare(ElementaryFunctions.sine(x), sin(x), at: x, floor: 1e-16)
        cosine.compare(ElementaryFunctions.cosine(x), cos(x), at: x, floor: 1e-16)
      }
      exponential.compare(ElementaryFunctions.exponential(small * 10), exp(small * 10), at: small)
      let x = exp(small)
      logarithm.compare(ElementaryFunctions.logarithm(x), log(x), at: x, floor: 1e-16)
      let (p, q) = (generator.uniform(in: -1...1), generator.uniform(in: -1...1))
      angle.compare(ElementaryFunctions.angle(y: p, x: q), atan2(p, q), at: p / q)
    }
    #expect(sine.steps < 4, "\(sine)")
    #expect(cosine.steps < 4, "\(cosine)")
    #expect(exponential.steps < 4, "\(exponential)")
    #expect(logarithm.steps < 8, "\(logarithm)")
    #expect(angle.steps < 6, "\(angle)")
  }

  @Test func specialArgumentsGiveExactValues() {
    #expect(ElementaryFunctions.sine(0) == 0 && ElementaryFunctions.cosine(0) == 1)
    #expect(ElementaryFunctions.exponential(0) == 1 && ElementaryFunctions.logarithm(1) == 0)
    #expect(ElementaryFunctions.exponential(-1e9) == 0)
    #expect(ElementaryFunctions.exponential(1e9).isFinite)
    #expect(ElementaryFunctions.logarithm(0x1p-106) == -106 * 0.693_147_180_559_945_3)
    #expect(ElementaryFunctions.angle(y: 0, x: 0) == 0)
    #expect(ElementaryFunctions.angle(y: 0, x: 2) == 0)
    #expect(ElementaryFunctions.angle(y: 0, x: -2) == Double.pi)
    #expect(ElementaryFunctions.angle(y: 3, x: 0) == Double.pi / 2)
    #expect(ElementaryFunctions.angle(y: -3, x: 0) == -Double.pi / 2)
  }
}
