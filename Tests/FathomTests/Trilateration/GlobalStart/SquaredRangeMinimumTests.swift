import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import Fathom

@Suite struct SquaredRangeMinimumTests {
  private static let kinds = SquaredRangeCase.kinds

  /// Number of geometries per kind: an equal part of `FATHOM_GEOMETRIES` if set.
  private static let rounds: Int = {
    let given = ProcessInfo.processInfo.environment["FATHOM_GEOMETRIES"].flatMap { Int($0) }
    return given.map { ($0 + kinds.count - 1) / kinds.count } ?? repetitions(100, long: 500)
  }()

  /// Compares three solvers; none may exceed the best of 50 descents from random starts.
  ///
  /// Prints the differences.
  @Test(.releaseOnly, arguments: kinds) func noDescentFindsLowerMinimum(_ kind: Int) throws {
    let seed = 331 + UInt64(kind)
    var generator = SeededGenerator(seed: seed)
    // The largest differences of costs, relative to 1 + the cost.
    var (above, eigenvalues, regions) = (-Double.infinity, 0.0, 0.0)
    var (misses, disagreements) = (0, 0)
    for round in 0..<Self.rounds {
      let noise = [0.0, 1, 10, 30][round % 4]
      let count = Int(generator.uniform(in: 3...9.999))
      let geometry = SquaredRangeCase(kind, count, noise: noise, using: &generator)
      let (anchors, ranges, sigmas) = (geometry.anchors, geometry.ranges, geometry.sigmas)
      func found(_ solver: SquaredRangeSolver) throws -> Double {
        let minima = try Trilateration.squaredRangeMinimum(
          ranges: ranges, anchors: anchors, sigmas: sigmas, by: solver)
        #expect(!minima.isEmpty, "kind \(kind), round \(round)")
        return minima.map(geometry.cost).max() ?? .infinity
      }
      var least = Double.infinity
      for _ in 0..<50 {
        let start = 30 * Vector<3>.random(using: &generator)
        least = min(least, geometry.cost(descend(from: start, anchors, ranges, sigmas)))
      }
      let slack = 1e-8 + 1e-6 * least
      let secular = try found(.secular)
      let place: Comment = "seed \(seed), kind \(kind), round \(round)"
      #expect(secular <= least + slack, place)
      misses += secular <= least + slack ? 0 : 1
      above = max(above, (secular - least) / (1 + least))
      let (eigenvalue, region) = try (found(.eigenvalue), found(.trustRegion))
      let unit = 1 / (1 + secular)
      let (first, second) = (
        unit * (eigenvalue - secular).magnitude, unit * (region - secular).magnitude
      )
      #expect(first <= 1e-9, place)
      #expect(second <= 1e-3, place)
      disagreements += first <= 1e-9 && second <= 1e-3 ? 0 : 1
      (eigenvalues, regions) = (max(eigenvalues, first), max(regions, second))
    }
    print(
      "squared ranges, kind \(kind), seed \(seed), \(Self.rounds) geometries: \(misses) above",
      "the best descent, at most by \(above); \(disagreements) disagreements, eigenvalues at most",
      "\(eigenvalues), trust region \(regions)")
  }

  @Test(arguments: SquaredRangeSolver.allCases)
  func exactRangesGiveExactPosition(_ solver: SquaredRangeSolver) throws {
    var generator = SeededGenerator(seed: 341)
    for offset in [0.0, 5e5, 1e9] {
      for _ in 0..<50 {
        let shift = Vector<3>(repeating: offset)
        let anchors = (0..<6).map { _ in shift + 10 * Vector<3>.random(using: &generator) }
        let tag = shift + 10 * Vector<3>.random(using: &generator)
        let minima = try Trilateration.squaredRangeMinimum(
          ranges: anchors.map { ($0 - tag).length }, anchors: anchors, by: solver)
        let nearest = minima.map { ($0 - tag).length }.min()
        #expect(try #require(nearest) < 1e-6 + 1000 * offset.ulp, "seed 341, \(offset)")
      }
    }
  }

  @Test(arguments: SquaredRangeSolver.allCases)
  func exactRangesAtKnownHeightGiveExactPosition(_ solver: SquaredRangeSolver) throws {
    let anchors: [Vector<3>] = [
      Vector([0, 0, 0.5]), Vector([20, 0, 3]), Vector([20, 12, 0.4]), Vector([0, 12, 2.9]),
      Vector([10, 0, 3.1]), Vector([10, 12, 0.3]),
    ]
    let tag = Vector<3>([7, 4, 1.1])
    let minima = try Trilateration.squaredRangeMinimum(
      ranges: anchors.map { ($0 - tag).length }, anchors: anchors, height: 1.1, by: solver)
    #expect(minima.count == 1)
    #expect((try #require(minima.first) - tag).length < 1e-7)
  }

  @Test(arguments: SquaredRangeSolver.allCases)
  func coplanarAnchorsGiveBothMirrorImages(_ solver: SquaredRangeSolver) throws {
    // Wayne82 #2: four corners at one height, r = 6.09: (2.25, 4.8, ±2.9976).
    let anchors: [Vector<3>] = [
      Vector([0, 0, 0]), Vector([4.5, 0, 0]), Vector([4.5, 9.6, 0]), Vector([0, 9.6, 0]),
    ]
    let minima = try Trilateration.squaredRangeMinimum(
      ranges: [6.09, 6.09, 6.09, 6.09], anchors: anchors, by: solver
    ).sorted { $0[2] > $1[2] }
    #expect(minima.count == 2)
    for (minimum, sign) in zip(minima, [1.0, -1]) {
      #expect((minimum - Vector([2.25, 4.8, sign * 2.997_599_039_2])).length < 1e-6, "\(minimum)")
    }
  }

  @Test(arguments: SquaredRangeSolver.allCases)
  func undeterminedProblemsGiveNoPosition(_ solver: SquaredRangeSolver) throws {
    let line = (0..<4).map { Vector<3>([Double($0), 0, 0]) }
    #expect(
      try Trilateration.squaredRangeMinimum(ranges: [3, 3, 3, 3], anchors: line, by: solver)
        .isEmpty)
    #expect(
      try Trilateration.squaredRangeMinimum(
        ranges: [3, .nan, 3, -1], anchors: line, by: solver
      ).isEmpty)
  }

  // MARK: Harness

  /// Minimises the squared ranges by damped Gauss-Newton steps.
  private func descend(
    from start: Vector<3>, _ anchors: [Vector<3>], _ ranges: [Double], _ sigmas: [Double]
  ) -> Vector<3> {
    let mean = ranges.reduce(0, +) / Double(ranges.count)
    func linearised(_ position: Vector<3>) -> (Double, Vector<3>, Matrix<3, 3>) {
      var (cost, gradient, information) = (0.0, Vector<3>.zero, Matrix<3, 3>.zero)
      for index in ranges.indices {
        let weight = 1 / (2 * sigmas[index] * max(ranges[index], 0.1 * mean))
        let offset = position - anchors[index]
        let error = weight * (offset.dot(offset) - ranges[index] * ranges[index])
        cost += error * error
        for row in 0..<3 {
          gradient[row] += 2 * weight * error * offset[row]
          for column in 0..<3 {
            information[row, column] += 4 * weight * weight * offset[row] * offset[column]
          }
        }
      }
      return (cost, gradient, information)
    }
    var position = start
    var (cost, gradient, information) = linearised(position)
    var damping = 1e-3
    for _ in 0..<150 where damping < 1e12 {
      var damped = information
      for axis in 0..<3 { damped[axis, axis] += damping * information.trace + 1e-300 }
      guard let step = Cholesky(damped)?.solve(gradient) else { break }
      let next = linearised(position - step)
      if next.0 < cost {
        position = position - step
        (cost, gradient, information) = next
        damping = max(1e-15, damping / 10)
        if step.length < 1e-12 { break }
      } else {
        damping *= 10
      }
    }
    return position
  }
}
