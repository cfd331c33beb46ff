import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct ExplanationCostTests {
  /// Against one logarithm per range, at positions from near to very far.
  @Test(arguments: [(0.1, 0.01), (0.5, 0), (1e-12, 1e-40), (1e-120, 1e-200), (0, 0)])
  func equalsTheSumOverTheRanges(_ late: Double, _ early: Double) {
    let odds = OutlierOdds(late: late, early: early)
    var generator = SeededGenerator(seed: 2640)
    for _ in 0..<200 {
      let count = Int(generator.uniform(in: 3...40.999))
      let anchors = (0..<count).map { _ in 10 * Vector<3>.random(using: &generator) }
      let distances = anchors.map { $0.length * generator.uniform(in: 0.8...1.4) + 0.1 }
      let sigmas = anchors.map { _ in generator.uniform(in: 0.01...0.5) }
      let problem = RangeProblem(
        distances: distances, anchors: anchors, sigmas: sigmas, free: 3, known: .zero)
      for reach in [0.1, 10, 1000] {
        let position = reach * Vector<3>.random(using: &generator)
        var expected = 0.0
        for index in 0..<count {
          let scaled = problem.residual(index, at: position) / sigmas[index]
          let prior = scaled > 0 ? late : early
          let span = max(1, Double.log(problem.scale / sigmas[index]))
          let wrong = prior * (2 * Double.pi).squareRoot() / (span * max(1, scaled.magnitude))
          // The larger exponent in front, so that nothing underflows.
          let (right, other) = (-0.5 * scaled * scaled, wrong > 0 ? Double.log(wrong) : -.infinity)
          let most = max(right, other)
          expected -= 2 * (most + .log(.exp(right - most) + .exp(other - most)))
        }
        let cost = problem.explanationCost(at: position, odds)
        #expect(isClose(cost, expected, within: 1e-6 * max(1, expected)), "seed 2640: \(odds)")
      }
    }
  }
}
