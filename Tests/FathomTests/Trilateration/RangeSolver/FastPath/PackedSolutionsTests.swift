import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct PackedSolutionsTests {
  /// None of twenty descents from random starts ends lower.
  @Test(.releaseOnly) func noDescentFindsLowerMinimum() throws {
    var generator = SeededGenerator(seed: 1131)
    var packed = 0
    for round in 0..<400 {
      let epoch = epoch(outliers: 0, using: &generator)
      guard let found = solutions(epoch), found.isClear else { continue }
      packed += 1
      for _ in 0..<20 {
        let start = 15 * Vector<3>.random(using: &generator)
        let cost = epoch.problem.refine(from: start, limit: 100, by: .newton).cost
        #expect(cost > found.cost - 1e-6, "seed 1131, round \(round): \(cost)")
      }
    }
    #expect(packed > 250, "seed 1131: \(packed)")
  }

  /// Minima excluded by the bound are not alternatives.
  @Test(.releaseOnly) func alternativesAgreeWithFullSolver() throws {
    var generator = SeededGenerator(seed: 1133)
    var (packed, there, different) = (0, 0, 0)
    for _ in 0..<3000 {
      let epoch = epoch(outliers: 0, using: &generator)
      guard let found = solutions(epoch), found.isClear else { continue }
      packed += 1
      let full = epoch.problem.solutions(Trilateration.Options(), hardHeight: nil)
      if full.other != nil { there += 1 }
      if (full.other == nil) != (found.other == nil) { different += 1 }
    }
    print("alternatives: \(there) of \(packed), \(different) different")
    #expect(packed > 2000 && different <= packed / 500, "seed 1133: \(packed), \(different)")
  }

  /// Against the full search.
  @Test(.releaseOnly) func searchAgreesWithFullSolver() throws {
    var generator = SeededGenerator(seed: 1132)
    var (searched, higher, lower) = (0, 0, 0)
    for _ in 0..<2000 {
      let epoch = epoch(outliers: 0.3, using: &generator)
      guard let found = solutions(epoch), !found.isClear else { continue }
      searched += 1
      let full = epoch.problem.solutions(Trilateration.Options(), hardHeight: nil)
      let cost = try #require(full.best).cost
      if found.cost > cost + 1e-6 { higher += 1 }
      if found.cost < cost - 1e-6 { lower += 1 }
    }
    #expect(searched > 500, "seed 1132: \(searched)")
    #expect(higher <= searched / 200, "seed 1132: \(higher) of \(searched), lower \(lower)")
  }

  @Test func mirrorImageIsTheAlternative() throws {
    // Three anchors on the floor and one slightly above: the mirror image below the floor is
    // equally likely.
    let anchors: [Vector<3>] = [
      Vector([0, 0, 0]), Vector([8, 0, 0]), Vector([0, 8, 0]), Vector([8, 8, 0.05]),
    ]
    let tag = Vector<3>([3, 4, 2])
    let ranges = anchors.map { ($0 - tag).length }
    let found = try #require(
      withPackedEpoch(ranges, anchors) { epoch -> (Vector<3>, Vector<3>?)? in
        var found = PackedSolutions(PackedCauchyLoss.usual)
        guard found.descend(epoch, from: PackedStarts(of: epoch)) else { return nil }
        return (epoch.place(found.best.position), found.other.map { epoch.place($0.position) })
      })
    #expect((found.0 - tag).length < 1e-6)
    let other = try #require(found.1)
    #expect((other - Vector([3, 4, -2])).length < 0.1)
  }

  // MARK: Harness

  private struct Epoch {
    var anchors: [Vector<3>]
    var ranges: [Double]
    var problem: RangeProblem<3>
  }

  private struct Found {
    var best: Vector<3>
    var other: Vector<3>?
    var cost: Double
    var isClear: Bool
  }

  private func epoch(outliers: Double, using generator: inout SeededGenerator) -> Epoch {
    let anchors = (0..<8).map { _ in
      Vector<3>([
        generator.uniform(in: 0...20), generator.uniform(in: 0...12), generator.uniform(in: 0...4),
      ])
    }
    let tag = Vector<3>([
      generator.uniform(in: 0...20), generator.uniform(in: 0...12), generator.uniform(in: 0...3),
    ])
    let ranges = anchors.map { anchor -> Double in
      let isLate = generator.uniform(in: 0...1) < outliers
      let late = isLate ? generator.exponential(mean: 1.5) : 0
      return ((anchor - tag).length + 0.1 * generator.normal()).magnitude + late
    }
    var problem = RangeProblem(
      distances: ranges, anchors: anchors, sigmas: [Double](repeating: 0.1, count: 8), free: 3,
      known: .zero)
    problem.loss = .cauchy
    return Epoch(anchors: anchors, ranges: ranges, problem: problem)
  }

  /// Returns the solutions, with an outlier search for large residuals, or nil if the fast path
  /// does not apply.
  private func solutions(_ epoch: Epoch) -> Found? {
    withPackedEpoch(epoch.ranges, epoch.anchors) { packed in
      let starts = PackedStarts(of: packed)
      let loss = PackedCauchyLoss.usual
      var found = PackedSolutions(loss)
      guard found.descend(packed, from: starts) else { return nil }
      var place = PackedAssessment()
      packed.assess(found.best.position, loss, into: &place)
      let isClear = place.allSquares <= chiSquareLimit(degreesOfFreedom: 5)
      if !isClear, !found.search(packed, from: starts, isWide: true) { return nil }
      return Found(
        best: packed.place(found.best.position),
        other: found.other.map { packed.place($0.position) },
        cost: loss.excess(found.best.cost, over: 1), isClear: isClear)
    }
  }
}
