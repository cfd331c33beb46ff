import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Extrapolates iterations with known fixed points.
@Suite struct SquaredExtrapolationTests {
  /// When every step covers the same fraction of the remaining distance, the first extrapolation
  /// reaches the fixed point.
  @Test(arguments: [0.5, 0.9, 0.999])
  func convergesInOneExtrapolationForOneRate(_ rate: Double) {
    let goal = Vector<3>([1, -2, 5])
    var search = SquaredExtrapolation(from: Vector<3>([4, 4, -4]))
    for _ in 0..<2 {
      search.advance(to: goal + rate * (search.next - goal), value: 0)
    }
    #expect((search.next - goal).length < 1e-9)
    // Without extrapolation two steps cover the fraction 1 - rate² of the distance.
    #expect(isClose((search.image - goal).length, rate * rate * 126.0.squareRoot(), within: 1e-9))
    #expect(search.accepts(0) && !search.accepts(-1) && !search.accepts(.nan))
  }

  /// With several rates it needs far fewer steps than without extrapolation, and the value never
  /// decreases.
  @Test(arguments: [31, 32, 33, 34, 35] as [UInt64])
  func convergesFasterWithoutDecrease(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let rates = Vector<2>([
        generator.uniform(in: 0.9...0.999), generator.uniform(in: 0...0.9),
      ])
      let goal = Vector<2>([generator.normal(), generator.normal()])
      let start = goal + Vector<2>([3 + generator.uniform(), generator.normal()])
      func step(_ point: Vector<2>) -> Vector<2> {
        goal + Vector([rates[0] * (point[0] - goal[0]), rates[1] * (point[1] - goal[1])])
      }
      var search = SquaredExtrapolation(from: start)
      var looks = 0
      while (search.image - goal).length > 1e-8, looks < 10_000 {
        looks += 1
        let value = -(search.next - goal).length
        if !search.accepts(value) { search.fallBack() }
        search.advance(to: step(search.next), value: -(search.next - goal).length)
      }
      // The steps that the slower direction needs without extrapolation.
      let plain = .log(1e-8 / (start - goal).length) / .log(rates[0])
      #expect(Double(looks) < 0.5 * plain, "seed \(seed): \(looks) of \(plain) for \(rates)")
      for (before, after) in zip(search.values, search.values.dropFirst()) {
        #expect(after >= before - 1e-12 * before.magnitude, "seed \(seed)")
      }
    }
  }

  @Test func discardsRejectedExtrapolation() {
    var search = SquaredExtrapolation(from: Vector<1>([8]))
    search.advance(to: Vector([4]), value: 1)
    search.advance(to: Vector([3]), value: 2)
    // r = -4, v = 3, α = -4/3: 8 - 32/3 + 16/3 = 8/3.
    #expect(isClose(search.next[0], 8.0 / 3, within: 1e-12))
    #expect(search.isLeaping && !search.accepts(1.9) && search.accepts(2))
    search.fallBack()
    #expect(!search.isLeaping && search.next == Vector([3]) && search.image == Vector([3]))
    // Plain steps are accepted for every value.
    #expect(search.accepts(1.9))
    #expect(search.values == [1, 2])
  }

  @Test func limitsExtrapolationWithoutFixedPoint() {
    // Steps of equal length: no curvature, no extrapolation.
    var even = SquaredExtrapolation(from: Vector<1>([0]))
    even.advance(to: Vector([1]), value: 0)
    even.advance(to: Vector([2]), value: 0)
    #expect(even.next == Vector([2]))
    // Hardly shorter: limited to the reach.
    var long = SquaredExtrapolation(from: Vector<1>([0]), reach: 5)
    long.advance(to: Vector([1]), value: 0)
    long.advance(to: Vector([1.999]), value: 0)
    #expect(long.next == Vector([5]))
    // At the fixed point.
    var done = SquaredExtrapolation(from: Vector<2>([1, 2]))
    for _ in 0..<2 { done.advance(to: Vector([1, 2]), value: 0) }
    #expect(done.next == Vector([1, 2]))
    // Growing steps have no fixed point.
    var growing = SquaredExtrapolation(from: Vector<1>([0]))
    growing.advance(to: Vector([1]), value: 0)
    growing.advance(to: Vector([4]), value: 0)
    #expect(growing.next == Vector([4]))
  }
}
