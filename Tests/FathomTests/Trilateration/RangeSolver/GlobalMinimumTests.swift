import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// The position is the global minimum of the cost, whatever the ranges and the units.
@Suite struct GlobalMinimumTests {
  @Test(arguments: RandomEpoch.Layout.allCases)
  func noSearchFindsALowerCost(_ layout: RandomEpoch.Layout) throws {
    let seed = 2600 + UInt64(layout.rawValue.count)
    var generator = SeededGenerator(seed: seed)
    let draws = repetitions(300, long: 20_000)
    var higher = 0
    for _ in 0..<draws {
      let epoch = RandomEpoch(layout, late: 0.4, early: 0.1, wrong: 0.5, using: &generator)
      let fix = try Trilateration.solve(
        ranges: epoch.ranges, anchors: epoch.anchors, options: epoch.options)
      let least = epoch.leastCost(.cauchy, using: &generator)
      let positions = [fix.position].compactMap { $0 } + fix.alternatives.map(\.position)
      let found = positions.map { epoch.cost($0) }.min() ?? .infinity
      if found > least * (1 + 1e-9) + 1e-9 {
        higher += 1
        if higher <= 3 { print("\(layout): \(found), not \(least); \(fix.verdict)") }
      }
    }
    print("\(layout): \(higher) of \(draws) above the exhaustive search")
    #expect(higher == 0, "seed \(seed): \(higher) of \(draws)")
  }

  @Test(arguments: RandomEpoch.Layout.allCases)
  func unitsShiftsAndScaledCovarianceMoveNothingElse(_ layout: RandomEpoch.Layout) throws {
    let seed = 2610 + UInt64(layout.rawValue.count)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<repetitions(200, long: 5000) {
      let epoch = RandomEpoch(layout, late: 0.4, early: 0.1, wrong: 0.5, using: &generator)
      let fix = try Trilateration.solve(
        ranges: epoch.ranges, anchors: epoch.anchors, options: epoch.options)
      let position = try #require(fix.position)

      var scaled = epoch.options
      scaled.scalesCovariance = true
      let matched = try Trilateration.solve(
        ranges: epoch.ranges, anchors: epoch.anchors, options: scaled)
      #expect((try #require(matched.position) - position).length < 1e-6, "seed \(seed)")

      var millimetres = epoch.options
      millimetres.rangeSigma *= 1000
      millimetres.height = epoch.height.map { 1000 * $0 }
      let large = try Trilateration.solve(
        ranges: epoch.ranges.map { 1000 * $0 }, anchors: epoch.anchors.map { 1000 * $0 },
        options: millimetres)
      #expect((0.001 * (try #require(large.position)) - position).length < 1e-6, "seed \(seed)")
      #expect(large.verdict == fix.verdict, "seed \(seed)")

      let shift = Vector<3>([1e6, -1e6, 0])
      let moved = try Trilateration.solve(
        ranges: epoch.ranges, anchors: epoch.anchors.map { $0 + shift }, options: epoch.options)
      #expect((try #require(moved.position) - shift - position).length < 1e-6, "seed \(seed)")
      #expect(moved.verdict == fix.verdict, "seed \(seed)")
    }
  }
}
