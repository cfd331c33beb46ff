import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Positions from ranges with gross outliers.
@Suite struct RobustPositionTests {
  private let hall: [Vector<3>] = [
    Vector([0, 0, 0.5]), Vector([20, 0, 3]), Vector([20, 12, 0.4]), Vector([0, 12, 2.9]),
    Vector([10, 0, 3.1]), Vector([10, 12, 0.3]), Vector([0, 6, 2.5]), Vector([20, 6, 0.6]),
  ]

  /// Two of eight ranges are late by 2 to 20 m: the default options find the tag and discount them.
  @Test func lateRangesAreDiscounted() throws {
    var generator = SeededGenerator(seed: 351)
    var found = 0
    for _ in 0..<200 {
      let tag = tag(using: &generator)
      var ranges = hall.map { ($0 - tag).length + 0.05 * generator.normal() }
      let first = Int(generator.uniform(in: 0...7.999))
      let second = (first + 1 + Int(generator.uniform(in: 0...6.999))) % 8
      for wrong in [first, second] { ranges[wrong] += generator.uniform(in: 2...20) }
      let fix = try Trilateration.solve(ranges: ranges, anchors: hall)
      let position = try #require(fix.position)
      let error = position - tag
      if Set(fix.discounted).isSuperset(of: [first, second]),
        (error[0] * error[0] + error[1] * error[1]).squareRoot() < 0.3
      {
        found += 1
      }
    }
    // Occasionally another position fits as many ranges.
    #expect(found >= 196, "seed 351: \(found) of 200")
  }

  /// Four of eleven ranges have random values: too many for least squares or a descent alone.
  @Test func searchFindsGrossErrors() throws {
    var generator = SeededGenerator(seed: 352)
    let anchors = hall + [Vector([5, 12, 3.2]), Vector([15, 0, 0.2]), Vector([10, 6, 3.5])]
    var (worse, found) = (0, 0)
    for _ in 0..<100 {
      let tag = tag(using: &generator)
      var ranges = anchors.map { ($0 - tag).length + 0.05 * generator.normal() }
      for wrong in [1, 4, 6, 9] { ranges[wrong] = generator.uniform(in: 0.5...40) }
      let fix = try Trilateration.solve(ranges: ranges, anchors: anchors)
      if (try #require(fix.position) - tag).length < 1 { found += 1 }
      var options = Trilateration.Options()
      options.loss = .squared
      let squares = try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
      if (try #require(squares.position) - tag).length > 1 { worse += 1 }
      #expect(squares.verdict == .inconsistent)
    }
    #expect(worse > 90 && found >= 97, "seed 352: \(worse) and \(found) of 100")
  }

  /// Eight of thirteen ranges are wrong: the search over minimal subsets finds the position of the
  /// other five.
  @Test func searchFindsAgreeingMinority() throws {
    var generator = SeededGenerator(seed: 353)
    var found = 0
    for _ in 0..<50 {
      let anchors = (0..<13).map { _ in 10 * Vector<2>.random(using: &generator) }
      let tag = 5 * Vector<2>.random(using: &generator)
      var ranges = anchors.map { ($0 - tag).length }
      for wrong in 0..<8 { ranges[wrong] = generator.uniform(in: 0.5...30) }
      var options = Trilateration.Options()
      // Bounded: five exact ranges outweigh eight wrong ones.
      options.loss = .gemanMcClure
      let fix = try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
      if (try #require(fix.position) - tag).length < 0.1 { found += 1 }
    }
    // All 78 pairs are tried, 10 of them correct.
    #expect(found >= 48, "seed 353: \(found) of 50")
  }

  @Test func searchIsDeterministic() throws {
    var generator = SeededGenerator(seed: 354)
    let anchors = (0..<40).map { _ in 10 * Vector<3>.random(using: &generator) }
    let ranges = anchors.map { _ in generator.uniform(in: 1...20) }
    let first = try Trilateration.solve(ranges: ranges, anchors: anchors)
    #expect(first.verdict == .inconsistent)
    for _ in 0..<3 {
      let again = try Trilateration.solve(ranges: ranges, anchors: anchors)
      #expect(again.position == first.position && again.discounted == first.discounted)
    }
  }

  /// Graduated non-convexity alone, from the least-squares position, against a descent of the
  /// actual loss from there.
  @Test func graduatedLossEscapesWrongMinima() throws {
    var generator = SeededGenerator(seed: 355)
    var (direct, gradual) = (0, 0)
    for _ in 0..<100 {
      let tag = tag(using: &generator)
      var ranges = hall.map { ($0 - tag).length }
      ranges[2] += 15
      ranges[5] += 9
      var problem = RangeProblem(
        distances: ranges, anchors: hall, sigmas: [Double](repeating: 0.1, count: 8), free: 2,
        known: tag)
      let start = problem.refine(from: problem.given, limit: 100).position
      func isRight(_ position: Vector<3>) -> Bool {
        let error = problem.span.centre + position - tag
        return (error[0] * error[0] + error[1] * error[1]).squareRoot() < 0.05
      }
      if isRight(problem.graduated(from: start)) { gradual += 1 }
      problem.loss = .gemanMcClure
      if isRight(problem.refine(from: start, limit: 100).position) { direct += 1 }
    }
    #expect(gradual >= 60 && gradual > direct + 20, "seed 355: \(gradual), \(direct) of 100")
  }

  @Test(arguments: [RobustLoss.huber, .cauchy, .gemanMcClure, .tukey, .cauchy.lateOnly])
  func everyRobustLossHandlesOneOutlier(_ loss: RobustLoss) throws {
    var options = Trilateration.Options()
    options.loss = loss
    options.height = 1.2
    let tag = Vector<3>([7, 4, 1.2])
    var ranges = hall.map { ($0 - tag).length }
    ranges[3] += 5
    let fix = try Trilateration.solve(ranges: ranges, anchors: hall, options: options)
    // The influence in Huber's loss remains 1.345 standard deviations.
    #expect((try #require(fix.position) - tag).length < 0.12, "\(loss)")
    #expect(fix.discounted == [3])
    #expect(fix.verdict == .unique)
    let contribution = try #require(fix.contributions[3])
    #expect(contribution.weight < 0.05 && contribution.residual > 4.8)
  }

  @Test func agreementWithoutRedundancyIsInconsistent() throws {
    // Four ranges in the plane, two of them wrong: any two agree.
    let anchors = hall.prefix(4).map { Vector<2>([$0[0], $0[1]]) }
    var ranges = anchors.map { ($0 - Vector([7, 4])).length }
    ranges[0] += 6
    ranges[1] += 3
    let fix = try Trilateration.solve(ranges: ranges, anchors: anchors)
    #expect(fix.verdict == .inconsistent)
    #expect(fix.position != nil)
  }

  private func tag(using generator: inout SeededGenerator) -> Vector<3> {
    Vector([
      generator.uniform(in: 2...18), generator.uniform(in: 2...10), generator.uniform(in: 0.5...2),
    ])
  }
}
