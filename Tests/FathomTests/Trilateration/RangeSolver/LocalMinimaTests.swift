import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LocalMinimaTests {
  private let hall: [Vector<3>] = [
    Vector([0, 0, 0.5]), Vector([20, 0, 3]), Vector([20, 12, 0.4]), Vector([0, 12, 2.9]),
    Vector([10, 0, 3.1]), Vector([10, 12, 0.3]),
  ]

  private static let all: [Trilateration.Options.Solver] = [
    .automatic, .descent(.newton), .descent(.gaussNewton), .squaredRanges, .linear,
  ]

  @Test(arguments: all)
  func exactRangesGiveExactPositionForEverySolver(
    _ solver: Trilateration.Options.Solver
  ) throws {
    let tag = Vector<3>([7, 4, 1.1])
    var options = Trilateration.Options()
    options.solver = solver
    for height in [nil, 1.1] {
      options.height = height
      let fix = try Trilateration.solve(
        ranges: hall.map { ($0 - tag).length }, anchors: hall, options: options)
      #expect((try #require(fix.position) - tag).length < 1e-7)
      #expect(fix.verdict == .unique && fix.covariance != nil && fix.dilution != nil)
    }
  }

  @Test func solversGiveDifferentEstimates() throws {
    var generator = SeededGenerator(seed: 1121)
    let tag = Vector<3>([7, 4, 1.1])
    let ranges = hall.map { ($0 - tag).length + 0.1 * generator.normal() }
    func position(_ solver: Trilateration.Options.Solver) throws -> Vector<3> {
      var options = Trilateration.Options()
      options.solver = solver
      let fix = try Trilateration.solve(ranges: ranges, anchors: hall, options: options)
      return try #require(fix.position)
    }
    let linear = try Trilateration.linearLeastSquares(
      ranges: ranges, anchors: hall, sigmas: [Double](repeating: 0.1, count: 6))
    #expect((try position(.linear) - (try #require(linear))).length < 1e-9)
    let squared = try Trilateration.squaredRangeMinimum(ranges: ranges, anchors: hall)
    #expect((try position(.squaredRanges) - squared[0]).length < 1e-9)
    let region = try Trilateration.squaredRangeMinimum(
      ranges: ranges, anchors: hall, by: .trustRegion)
    #expect((region[0] - squared[0]).length < 1e-6)
    #expect((try position(.descent(.gaussNewton)) - (try position(.automatic))).length < 1e-6)
    #expect((try position(.linear) - squared[0]).length > 1e-4)
    #expect((try position(.automatic) - squared[0]).length > 1e-4)
  }

  @Test func coplanarAnchorsHaveTwoSquaredRangeMinima() throws {
    let coplanar = hall.map { Vector<3>([$0[0], $0[1], 2]) }
    let tag = Vector<3>([7, 4, 1.1])
    let ranges = coplanar.map { ($0 - tag).length }
    var options = Trilateration.Options()
    options.solver = .linear
    let linear = try Trilateration.solve(ranges: ranges, anchors: coplanar, options: options)
    #expect(linear.verdict == .continuum && linear.position == nil)
    options.solver = .squaredRanges
    let squared = try Trilateration.solve(ranges: ranges, anchors: coplanar, options: options)
    #expect(squared.verdict == .two)
    let heights = [try #require(squared.position)[2], try #require(squared.alternative)[2]]
    #expect(isClose(heights.min() ?? 0, 1.1, within: 1e-9))
    #expect(isClose(heights.max() ?? 0, 2.9, within: 1e-9))
  }
}
