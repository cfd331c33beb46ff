import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Values of any magnitude, any number of anchors, and degenerate geometries.
@Suite struct TrilaterationNumericsTests {
  private static let special: [Double] = [
    0, -0.0, 1, -1, 1e-300, 1e-30, 1e30, 1e155, 1e300, .nan, .infinity, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude,
  ]

  /// Every loss, prior, box and height, with random values: all results are finite.
  @Test func positionsAreFiniteForAnyInput() throws {
    var generator = SeededGenerator(seed: 381)
    func number() -> Double {
      generator.uniform() < 0.3
        ? Self.special[Int(generator.uniform() * Double(Self.special.count))]
        : generator.uniform(in: -10...10)
    }
    let losses = RobustLoss.Shape.allCases
    for _ in 0..<10_000 {
      let count = Int(generator.uniform() * 9)
      var options = Trilateration.Options()
      options.loss = RobustLoss(
        losses[Int(generator.uniform() * Double(losses.count))],
        onlyLate: generator.uniform() < 0.3)
      options.height = generator.uniform() < 0.3 ? number() : nil
      options.heightSigma = generator.uniform() < 0.3 ? number() : nil
      options.scalesCovariance = generator.uniform() < 0.3
      options.steps = generator.uniform() < 0.3 ? .gaussNewton : .newton
      let ranges = (0..<count).map { _ in number().magnitude }
      let plane = (0..<count).map { _ in Vector<2>([number(), number()]) }
      let prior =
        generator.uniform() < 0.3
        ? PositionPrior(position: Vector<2>([number(), number()]), sigma: number()) : nil
      let bounds =
        generator.uniform() < 0.3
        ? PositionBounds<2>(
          lower: Vector([number(), number()]), upper: Vector([number(), number()])) : nil
      if let fix = try? Trilateration.solve(
        ranges: ranges, anchors: plane, prior: prior, within: bounds, options: options)
      {
        #expect(fix.position?.isFinite ?? true, "seed 381: \(ranges) \(plane)")
        #expect(fix.alternative?.isFinite ?? true, "seed 381: \(ranges) \(plane)")
        #expect(fix.covariance?.isFinite ?? true, "seed 381: \(ranges) \(plane)")
        #expect(fix.verdict != .unique || fix.position != nil)
        #expect(fix.condition?.isFinite ?? true)
      }
      let line = (0..<count).map { _ in Vector<1>([number()]) }
      if let fix = try? Trilateration.solve(ranges: ranges, anchors: line, options: options) {
        #expect(fix.position?.isFinite ?? true, "seed 381: \(ranges) \(line)")
        #expect(fix.covariance?.isFinite ?? true, "seed 381: \(ranges) \(line)")
      }
    }
  }

  @Test(arguments: [3, 4, 5, 16, 64, 256]) func solvesAnyNumberOfAnchors(_ count: Int) throws {
    var generator = SeededGenerator(seed: 382)
    for _ in 0..<20 {
      let anchors = (0..<count).map { _ in 10 * Vector<2>.random(using: &generator) }
      let tag = 5 * Vector<2>.random(using: &generator)
      let fix = try Trilateration.solve(
        ranges: anchors.map { ($0 - tag).length + 1e-12 }, anchors: anchors)
      let found = [fix.position, fix.alternative].compactMap { $0 }
      let nearest = found.map { ($0 - tag).length }.min()
      #expect(try #require(nearest) < 1e-6, "seed 382: \(tag) \(anchors)")
    }
  }

  /// The same problem in units from 1e-150 m to gigametres gives the same position.
  @Test func positionScalesWithUnit() throws {
    let anchors: [Vector<3>] = [
      Vector([0, 0, 0.5]), Vector([10, 0, 2.5]), Vector([10, 8, 0.4]), Vector([0, 8, 2.4]),
      Vector([5, 4, 3]),
    ]
    let tag = Vector<3>([3, 5, 1.2])
    let errors = [0.05, -0.08, 0.1, 0.02, -0.11]
    let ranges = zip(anchors, errors).map { ($0 - tag).length + $1 }
    let plain = try #require(try Trilateration.solve(ranges: ranges, anchors: anchors).position)
    for unit in [1e-150, 1e-9, 1e-3, 1e3, 1e9] {
      var options = Trilateration.Options()
      options.rangeSigma = 0.1 * unit
      let fix = try Trilateration.solve(
        ranges: ranges.map { unit * $0 }, anchors: anchors.map { unit * $0 }, options: options)
      let position = (1 / unit) * (try #require(fix.position))
      #expect((position - plain).length < 1e-6, "unit \(unit): \(position), not \(plain)")
    }
  }

  @Test func countsCoincidentAnchorsOnce() throws {
    let here = Vector<2>([1, 2])
    let same = try Trilateration.solve(ranges: [3, 3, 3], anchors: [here, here, here])
    #expect(same.verdict == .continuum && same.position == nil)
    let pair = try Trilateration.solve(
      ranges: [5, 5, 5], anchors: [Vector([-3, 0]), Vector([3, 0]), Vector([3, 0])])
    #expect(pair.verdict == .two)
    for position in [pair.position, pair.alternative] {
      #expect(isClose(try #require(position)[1].magnitude, 4, within: 1e-9))
    }
  }

  @Test func findsTagAtAnchor() throws {
    let anchors: [Vector<3>] = [
      Vector([0, 0, 0]), Vector([10, 0, 3]), Vector([10, 8, 0]), Vector([0, 8, 3]),
      Vector([5, 4, 5]),
    ]
    for tag in anchors {
      for closest in [1e-9, 1e-3] {
        let fix = try Trilateration.solve(
          ranges: anchors.map { max(closest, ($0 - tag).length) }, anchors: anchors)
        #expect((try #require(fix.position) - tag).length < 0.01, "\(tag)")
        #expect(fix.covariance?.isFinite == true)
      }
    }
  }
}
