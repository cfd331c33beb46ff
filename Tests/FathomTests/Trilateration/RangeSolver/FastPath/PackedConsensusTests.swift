import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PackedConsensusTests {
  private static let corners: [Vector<3>] = [
    Vector([0, 0, 0]), Vector([20, 0, 3]), Vector([0, 15, 3]), Vector([20, 15, 0]),
    Vector([10, 0, 2.5]), Vector([0, 7, 0.5]), Vector([20, 8, 2]), Vector([11, 15, 1]),
  ]

  @Test(arguments: [nil, 1.3]) func findsPositionOfSixExactRangesOfEight(_ height: Double?) throws {
    var options = Trilateration.Options()
    options.height = height
    let tag = Vector<3>([7, 6, 1.3])
    var ranges = Self.corners.map { ($0 - tag).length }
    (ranges[0], ranges[3]) = (ranges[0] + 1.7, ranges[3] + 2.9)
    let consensus = try #require(
      withPackedEpoch(ranges, Self.corners, options: options) { epoch in
        PackedConsensus(epoch, PackedCauchyLoss.usual).map {
          (epoch.place($0.best.position), $0.best)
        }
      })
    #expect((consensus.0 - tag).length < 1e-9)
    // The product of 1 + z²/k² over the two outliers, z = error / 0.1.
    let expected = (1 + 17 * 17 / (2.385 * 2.385)) * (1 + 29 * 29 / (2.385 * 2.385))
    #expect(isClose(consensus.1.score, expected, within: 1e-9 * expected))
  }

  /// Against the full search, which solves the subsets by another method.
  @Test func agreesWithFullConsensus() throws {
    var generator = SeededGenerator(seed: 1121)
    var (same, better, worse) = (0, 0, 0)
    for _ in 0..<300 {
      let tag = Vector<3>([
        generator.uniform(in: 1...19), generator.uniform(in: 1...14), generator.uniform(in: 0...3),
      ])
      let ranges = Self.corners.map { anchor -> Double in
        let late = generator.uniform(in: 0...1) < 0.4 ? generator.exponential(mean: 2) : 0
        return (anchor - tag).length + 0.1 * generator.normal() + late
      }
      var problem = RangeProblem(
        distances: ranges, anchors: Self.corners, sigmas: [Double](repeating: 0.1, count: 8),
        free: 3, known: .zero)
      problem.loss = .cauchy
      let full = try #require(problem.consensusPosition())
      let score = try #require(
        withPackedEpoch(ranges, Self.corners) {
          PackedConsensus($0, PackedCauchyLoss.usual)?.best.score
        })
      var expected = 1.0
      for (anchor, range) in zip(problem.anchors, ranges) {
        let scaled = 10 * (range - (full - anchor).length)
        expected *= 1 + scaled * scaled / (2.385 * 2.385)
      }
      if isClose(score, expected, within: 1e-6 * expected) {
        same += 1
      } else if score < expected {
        better += 1
      } else {
        worse += 1
      }
    }
    // For spheres that do not intersect, the two select different points between them.
    #expect(same > 250 && worse < 25, "seed 1121: \(same), \(better), \(worse)")
  }

  @Test func secondPositionCostsMore() throws {
    let tag = Vector<3>([7, 6, 1.3])
    var ranges = Self.corners.map { ($0 - tag).length }
    ranges[1] += 1.1
    ranges[6] += 0.8
    let scores = try #require(
      withPackedEpoch(ranges, Self.corners) { epoch in
        PackedConsensus(epoch, PackedCauchyLoss.usual).map { ($0.best.score, $0.second.score) }
      })
    #expect(scores.0 <= scores.1 && scores.1 < .infinity)
  }

  @Test func returnsNilAboveMaximumNumberOfSubsets() {
    var generator = SeededGenerator(seed: 1122)
    let anchors = (0..<12).map { _ in 10 * Vector<3>.random(using: &generator) }
    let ranges = anchors.map { $0.length + 1 }
    let isThere = withPackedEpoch(ranges, anchors) {
      PackedConsensus($0, PackedCauchyLoss.usual) != nil
    }
    #expect(isThere == false)
  }
}
