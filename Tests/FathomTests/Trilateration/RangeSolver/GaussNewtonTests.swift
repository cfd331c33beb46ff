import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct GaussNewtonTests {
  @Test func costNeverIncreases() {
    var generator = SeededGenerator(seed: 301)
    for _ in 0..<1000 {
      let problem = randomProblem3(count: Int(generator.uniform(in: 1...8.999)), using: &generator)
      let start = 15 * Vector<3>.random(using: &generator)
      let before = problem.linearised(at: start).cost
      for limit in [0, 1, 2, 100] {
        let refined = problem.refine(from: start, limit: limit)
        #expect(refined.cost <= before * (1 + 1e-14), "seed 301")
        #expect(refined.iterations <= limit, "seed 301")
        let there = problem.linearised(at: refined.position).cost
        #expect(isClose(refined.cost, there, within: 1e-12 * max(1e-12, there)), "seed 301")
      }
    }
  }

  /// The gradient is computed here and converted into a step.
  ///
  /// Near the minimum the cost resolves the position only to √ε of the errors: 1e-9 of the scale.
  @Test func gradientVanishesAtResult() throws {
    var generator = SeededGenerator(seed: 302)
    for _ in 0..<500 {
      let problem = randomProblem3(count: Int(generator.uniform(in: 5...8.999)), using: &generator)
      let refined = problem.refine(from: 10 * Vector<3>.random(using: &generator), limit: 1000)
      var gradient = Vector<3>.zero
      var curvature = 0.0
      for index in 0..<problem.count {
        let offset = refined.position - problem.anchors[index]
        let weight = 1 / (problem.sigmas[index] * problem.sigmas[index])
        let residual = problem.distances[index] - offset.length
        gradient += (weight * residual / offset.length) * offset
        curvature += weight
      }
      let step = gradient.length / curvature
      #expect(step <= 1e-9 * problem.scale, "seed 302: \(refined)")
    }
  }

  /// In the plane the second derivatives of Huber's loss jump to zero.
  @Test func huberLossConverges() throws {
    let epochs = BatchEpochs.hall(count: 1000, noise: 0.1, outliers: 0.05, seed: 521)
    for epoch in 0..<1000 {
      var problem = RangeProblem(
        distances: epochs.ranges(epoch), anchors: epochs.anchors,
        sigmas: [Double](repeating: 0.1, count: 8), free: 2, known: Vector([0, 0, 1.2]))
      problem.loss = .huber
      let start = try #require(SquaredRanges(problem)).minima().global
      let refined = problem.refine(from: start, limit: 100)
      let here = problem.expansion(at: refined.position)
      let left = try #require(Cholesky(here.information)).solve(here.descent)
      #expect(
        left.length <= 1e-9 * problem.scale, "seed 521: epoch \(epoch), \(refined.iterations) steps"
      )
    }
  }

  @Test func exactRangesGiveExactPosition() {
    var generator = SeededGenerator(seed: 303)
    for _ in 0..<300 {
      let problem = randomProblem3(count: 6, noise: 0, using: &generator)
      // From nearby: distant starts may reach a local minimum, which several starts avoid.
      let tag = Self.tag(of: problem)
      let refined = problem.refine(
        from: tag + 0.3 * Vector<3>.random(using: &generator), limit: 100)
      #expect((refined.position - tag).length < 1e-9, "seed 303")
      #expect(refined.cost < 1e-15, "seed 303")
    }
  }

  @Test func convergesFromStartAtAnchor() {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([8, 0]), Vector([8, 6]), Vector([0, 6])]
    let tag = Vector<2>([2, 1])
    let problem = RangeProblem(
      distances: anchors.map { ($0 - tag).length }, anchors: anchors,
      sigmas: [0.1, 0.1, 0.1, 0.1], free: 2, known: .zero)
    for anchor in problem.anchors {
      let refined = problem.refine(from: anchor, limit: 100)
      #expect((problem.span.centre + refined.position - tag).length < 1e-9)
    }
  }

  @Test func knownCoordinatesAreExact() {
    var generator = SeededGenerator(seed: 304)
    for _ in 0..<100 {
      let anchors = (0..<5).map { _ in 8 * Vector<3>.random(using: &generator) }
      let tag = 4 * Vector<3>.random(using: &generator)
      let problem = RangeProblem(
        distances: anchors.map { ($0 - tag).length }, anchors: anchors,
        sigmas: [Double](repeating: 0.1, count: 5), free: 2, known: tag)
      let refined = problem.refine(
        from: problem.given + Vector([generator.normal(), generator.normal(), 0]), limit: 100)
      #expect(refined.position[2] == problem.given[2], "seed 304")
    }
  }

  /// In the plane, against the lowest cost on a grid that is refined around its best points.
  @Test func minimumAgreesWithGridSearch() throws {
    var generator = SeededGenerator(seed: 305)
    for _ in 0..<25 {
      let count = Int(generator.uniform(in: 3...6.999))
      let anchors = (0..<count).map { _ in
        Vector<2>([generator.uniform(in: -8...8), generator.uniform(in: -8...8)])
      }
      let tag = Vector<2>([generator.uniform(in: -8...8), generator.uniform(in: -8...8)])
      let sigmas = anchors.map { _ in generator.uniform(in: 0.05...0.5) }
      let ranges = zip(anchors, sigmas).map { anchor, sigma in
        ((anchor - tag).length + sigma * generator.normal()).magnitude
      }
      let found = gridMinimum(ranges: ranges, anchors: anchors, sigmas: sigmas)

      let problem = RangeProblem(
        distances: ranges, anchors: anchors, sigmas: sigmas, free: 2, known: .zero)
      let refined = problem.refine(from: found.position - problem.span.centre, limit: 100)
      #expect(refined.cost <= found.cost + 1e-9, "seed 305")
      let apart = (problem.span.centre + refined.position - found.position).length
      #expect(apart < 1e-4, "seed 305: \(apart) m")

      // Both of two indistinguishable minima are valid.
      var options = Trilateration.Options()
      options.loss = .squared
      let fix = try Trilateration.solve(
        ranges: ranges, anchors: anchors, sigmas: sigmas, options: options)
      let answers = [fix.position, fix.alternative].compactMap { $0 }
      let nearest = answers.map { ($0 - found.position).length }.min()
      #expect(try #require(nearest) < 1e-4, "seed 305: \(answers), not \(found)")
    }
  }

  // MARK: Harness

  /// Returns the tag of a problem of ``randomProblem3(count:noise:using:)``, relative to the
  /// centre.
  private static func tag(of problem: RangeProblem<3>) -> Vector<3> {
    Vector<3>([1, 2, 1.5]) - problem.span.centre
  }

  /// Returns ranges from (1, 2, 1.5) to anchors within a few metres, with sigmas from 5 to 50 cm.
  private func randomProblem3(
    count: Int, noise: Double = 1, using generator: inout SeededGenerator
  ) -> RangeProblem<3> {
    let anchors = (0..<count).map { _ in 6 * Vector<3>.random(using: &generator) }
    let sigmas = anchors.map { _ in generator.uniform(in: 0.05...0.5) }
    let distances = zip(anchors, sigmas).map { anchor, sigma in
      ((anchor - Vector([1, 2, 1.5])).length + noise * sigma * generator.normal()).magnitude
    }
    return RangeProblem(
      distances: distances, anchors: anchors, sigmas: sigmas, free: 3, known: .zero)
  }

  /// Returns the lowest cost within ±30 m: on a grid of half a metre, then on ever finer grids of
  /// nine by nine points around the twelve best.
  private func gridMinimum(
    ranges: [Double], anchors: [Vector<2>], sigmas: [Double]
  ) -> (position: Vector<2>, cost: Double) {
    let plain = zip(anchors, zip(ranges, sigmas)).map { ($0[0], $0[1], $1.0, $1.1) }
    func cost(_ x: Double, _ y: Double) -> Double {
      var sum = 0.0
      for (anchorX, anchorY, range, sigma) in plain {
        let (dx, dy) = (x - anchorX, y - anchorY)
        let residual = (range - (dx * dx + dy * dy).squareRoot()) / sigma
        sum += residual * residual
      }
      return sum
    }
    var candidates: [(x: Double, y: Double, cost: Double)] = []
    for column in -60...60 {
      for row in -60...60 {
        let (x, y) = (0.5 * Double(column), 0.5 * Double(row))
        candidates.append((x, y, cost(x, y)))
      }
    }
    candidates.sort { $0.cost < $1.cost }
    var best = (x: 0.0, y: 0.0, cost: Double.infinity)
    for candidate in candidates.prefix(12) {
      var (here, spacing) = (candidate, 0.5)
      while spacing > 1e-7 {
        let (x, y) = (here.x, here.y)
        for column in -4...4 {
          for row in -4...4 {
            let place = (x + spacing / 4 * Double(column), y + spacing / 4 * Double(row))
            let value = cost(place.0, place.1)
            if value < here.cost { here = (place.0, place.1, value) }
          }
        }
        // The minimum may lie beyond the edge: refines only once the best point is inside.
        if max((here.x - x).magnitude, (here.y - y).magnitude) < 0.99 * spacing { spacing /= 3 }
      }
      if here.cost < best.cost { best = here }
    }
    return (Vector([best.x, best.y]), best.cost)
  }
}
