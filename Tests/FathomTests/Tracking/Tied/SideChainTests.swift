import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// The chain of the sides of stretches against the sum over all sides.
@Suite struct SideChainTests {
  @Test func sidesAndProbabilitiesAreThoseOfAllSequences() {
    for seed in 0..<300 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let count = 1 + Int(generator.uniform(in: 0...6))
      let costs = randomCosts(count, &generator)
      let chain = SideChain(costs: costs)
      // Likelihood of every sequence of sides.
      var (best, most) = (0, -Double.infinity)
      var (whole, second) = (0.0, [Double](repeating: 0, count: count))
      for sequence in 0..<(1 << count) {
        let sides = [0] + (0..<count).map { (sequence >> $0) & 1 } + [0]
        let cost = (0...count).reduce(0.0) { $0 + costs[$1][sides[$1]][sides[$1 + 1]] }
        if -cost > most { (best, most) = (sequence, -cost) }
        whole += Double.exp(-cost)
        for index in 0..<count where sides[index + 1] == 1 { second[index] += Double.exp(-cost) }
      }
      #expect(chain.flips == (0..<count).map { (best >> $0) & 1 == 1 }, "seed \(seed)")
      for index in 0..<count {
        let other = second[index] / whole
        let expected = chain.flips[index] ? 1 - other : other
        #expect((chain.otherSides[index] - expected).magnitude < 1e-12, "seed \(seed)")
      }
    }
  }

  /// Two stretches, of which the second has one side, by hand: the likelihoods of the sides of the first are
  /// 1/2 · 1/4 and 1/8 · 1/2, so that the other one has a probability of 1/3.
  @Test func aChainByHand() throws {
    let log2 = Double.log(2)
    let never = Double.infinity
    let chain = SideChain(costs: [
      [[log2, 3 * log2], [never, never]], [[2 * log2, never], [log2, never]],
      [[0, never], [never, never]],
    ])
    #expect(chain.flips == [false, false])
    #expect((try #require(chain.otherSides.first) - 1 / 3).magnitude < 1e-15)
    #expect(chain.otherSides[1] == 0)
  }

  @Test func impossibleAndEmptyChainsHaveNoOtherSide() {
    #expect(SideChain(costs: []).flips.isEmpty)
    #expect(SideChain(costs: [[[0, .infinity], [.infinity, .infinity]]]).otherSides.isEmpty)
    let never = [[Double.infinity, .infinity], [.infinity, .infinity]]
    let chain = SideChain(costs: [never, never])
    #expect(chain.flips == [false] && chain.otherSides == [0])
  }

  /// Costs of which one in five is impossible, but for those of side 0.
  private func randomCosts(_ count: Int, _ generator: inout SeededGenerator) -> [[[Double]]] {
    (0...count).map { piece in
      (0...1).map { first in
        (0...1).map { second in
          let isMissing = piece == 0 && first == 1 || piece == count && second == 1
          let isImpossible = first + second > 0 && generator.uniform(in: 0...1) < 0.2
          return isMissing || isImpossible ? .infinity : generator.uniform(in: 0...20)
        }
      }
    }
  }
}

/// The sides that a tied smoother finds, against solutions from starts at either place.
@Suite struct TiedSidesTests {
  /// A tag that hears one anchor and one other tag is where the joint cost is least: a search from its true
  /// track and one from the image of that find no less.
  @Test(.releaseOnly) func theMinimumIsThatOfBothPlaces() throws {
    var (changes, images) = (0, 0)
    for seed in 0..<20 as Range<UInt64> {
      var room = TiedRoom(seed: 7100 + seed)
      var (own, other): ([RangeMeasurement], [RangeMeasurement]) = ([], [])
      var between: [TagRange] = []
      for step in 0..<150 {
        for anchor in 0..<4 { own.append(room.range(0, anchor: anchor, step)) }
        other.append(room.range(1, anchor: 0, step))
        between.append(room.range(between: 0, and: 1, step))
      }
      let smoother = try TrackSmoother(
        anchors: TiedRoom.corners.map { Anchor(position: $0) },
        configuration: TiedRoom.configuration)
      let problem = TiedProblem(
        [TiedSmoother.Tag(smoother, ranges: own), TiedSmoother.Tag(smoother, ranges: other)],
        between: between)
      let times = (0..<150).map { room.time($0) }
      func run(_ place: (Int) -> Vector<3>) -> JointRun<4> {
        var profiles = TiedProfile(problem).profiles
        for index in profiles[1].points.indices {
          let step = Int(profiles[1].points[index].time.nanoseconds / 100_000_000)
          profiles[1].points[index].position = place(step)
          profiles[1].points[index].velocity = 10 * (place(step + 1) - place(step))
        }
        return problem.run(of: [0, 1], from: profiles, at: times)
      }
      func image(_ step: Int) -> Vector<3> {
        let seconds = 0.1 * Double(step)
        return reflected(
          room.place(1, seconds), at: TiedRoom.corners[0], room.place(0, seconds))
      }
      let starts: [JointRun<4>] = [
        run { room.place(1, 0.1 * Double($0)) }, run { image($0) },
        problem.run(of: [0, 1], from: TiedProfile(problem).profiles, at: times),
      ]
      let found = starts.compactMap { $0.solved() }
      let least = try #require(found.map(\.cost).min())
      for start in found {
        let sides = TiedSides(problem, [0, 1], of: start)
        if sides.minimum.cost < start.cost - 1 { changes += 1 }
        #expect(sides.minimum.cost <= start.cost + 1e-6, "seed \(seed)")
        if sides.minimum.cost > least + 0.1 { images += 1 }
      }
    }
    print("tied sides: \(changes) starts improved, \(images) of 60 stay above the least")
    #expect(changes > 0)
    #expect(images <= 6)
  }

  /// Returns the image of a place in the line through two others, in the plane.
  private func reflected(
    _ place: Vector<3>, at first: Vector<3>, _ second: Vector<3>
  ) -> Vector<3> {
    let (x, y) = (second[0] - first[0], second[1] - first[1])
    let square = x * x + y * y
    let along = ((place[0] - first[0]) * x + (place[1] - first[1]) * y) / square
    return Vector([
      2 * (first[0] + along * x) - place[0], 2 * (first[1] + along * y) - place[1], place[2],
    ])
  }
}
