import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LikelihoodProfileTests {
  private func problem(
    _ anchors: [Vector<3>], _ tag: Vector<3>, sigma: Double
  ) -> RangeProblem<3> {
    RangeProblem(
      distances: anchors.map { ($0 - tag).length }, anchors: anchors,
      sigmas: [Double](repeating: sigma, count: anchors.count), free: 3, known: .zero)
  }

  @Test func gaussianLikelihoodKeepsCovariance() throws {
    // Distances are large compared with the noise, so they are linear over the likely region.
    var generator = SeededGenerator(seed: 101)
    for _ in 0..<20 {
      let anchors = (0..<8).map { _ in 100 * Vector<3>.random(using: &generator) }
      let problem = problem(anchors, Vector([5, -4, 7]), sigma: 0.01)
      let best = problem.refine(from: Vector<3>([5, -4, 7]) - problem.span.centre, limit: 50)
      let covariance = try #require(problem.freeInverse(best.information))
      let found = try #require(LikelihoodProfile(problem).widened(covariance, at: best.position))
      for row in 0..<3 {
        for column in 0..<3 {
          #expect(
            isClose(
              found[row, column], covariance[row, column], within: 1e-3 * covariance.trace))
        }
      }
    }
  }

  @Test func secondMomentAgreesWithIntegralNearAnchorPlane() throws {
    // Anchors in a ring of 5 m at heights of ±0.1 m, the tag in the centre at a height of 0.1 m: d²
    // = 25 + h².
    let anchors = (0..<12).map { index -> Vector<3> in
      let angle = Angle(degrees: 30 * Double(index))
      return Vector([5 * angle.cosine, 5 * angle.sine, index % 2 == 0 ? 0.1 : -0.1])
    }
    let tag = Vector<3>([0, 0, 0.1])
    let problem = problem(anchors, tag, sigma: 0.05)
    let best = problem.refine(from: tag - problem.span.centre, limit: 100)
    let covariance = try #require(problem.freeInverse(best.information))
    let found = try #require(LikelihoodProfile(problem).widened(covariance, at: best.position))
    // By symmetry the most likely position at every height is above the centre: the integral of t²
    // over the heights by brute force. Six anchors have d² = 25 + (z - 0.1)², six 25 + (z + 0.1)².
    var (mass, moment) = (0.0, 0.0)
    for step in -4000...4000 {
      let height = 0.1 + 0.0005 * Double(step)
      var cost = 0.0
      for side in [0.1, -0.1] {
        let expected = (25 + (height - side) * (height - side)).squareRoot()
        let measured = (25 + (0.1 - side) * (0.1 - side)).squareRoot()
        cost += 6 * (expected - measured) * (expected - measured) / 0.0025
      }
      let weight = exponential(-0.5 * cost)
      mass += weight
      moment += weight * (height - 0.1) * (height - 0.1)
    }
    #expect(isClose(found[2, 2] / (moment / mass), 1, within: 0.02))
    #expect(abs(found[2, 2] / covariance[2, 2] - 1) > 0.3, "\(found[2, 2]) \(covariance[2, 2])")
  }

  /// Returns e to the power of `x`, by squaring: Foundation is not available in these tests.
  private func exponential(_ x: Double) -> Double {
    var result = 1 + x / 0x1p40
    for _ in 0..<40 { result *= result }
    return result
  }
}
