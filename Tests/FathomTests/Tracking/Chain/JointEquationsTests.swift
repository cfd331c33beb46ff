import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Random chains of tied tracks, compared with a dense solution by LAPACK.
@Suite struct JointEquationsTests {
  /// One tie at each instant, between neighbours in turn.
  @Test(arguments: [[0, 0], [2, 0], [1, 3], [2, 1, 2]])
  func solutionMatchesTheDenseOne(_ shared: [Int]) throws {
    var generator = SeededGenerator(seed: 6201)
    for count in [1, 2, 3, 9] {
      let pairs = (0..<count).map { index in
        let first = index % shared.count
        return TieOrder.Pair(state: index, first: first, second: (first + 1) % shared.count)
      }
      let found = try Self.compared(
        ChainEquations<4>.self, count, shared, pairs, using: &generator)
      #expect(found.isWithin(1e-9), "seed 6201, \(count) instants, \(shared): \(found)")
    }
  }

  /// From tags without ties and with a single one to ties of all with all at every instant, for all sizes of
  /// states: the parts of chains between ties have every length, and groups of tags join late.
  @Test(arguments: [0, 0.05, 0.3, 1]) func anyTiesMatchTheDenseSolution(_ share: Double) throws {
    var generator = SeededGenerator(seed: 6202)
    for count in [1, 2, 9, 20] {
      for shared in [[2], [0, 0], [0, 2, 5, 1]] {
        let pairs = Self.pairs(count, tags: shared.count, share: share, using: &generator)
        let found = [
          try Self.compared(ChainEquations<4>.self, count, shared, pairs, using: &generator),
          try Self.compared(ChainEquations<5>.self, count, shared, pairs, using: &generator),
          try Self.compared(ChainEquations<6>.self, count, shared, pairs, using: &generator),
          try Self.compared(ChainEquations<7>.self, count, shared, pairs, using: &generator),
          try Self.compared(ChainEquations<8>.self, count, shared, pairs, using: &generator),
          try Self.compared(ChainEquations<10>.self, count, shared, pairs, using: &generator),
        ]
        for differences in found {
          #expect(differences.isWithin(1e-9), "seed 6202, \(count), \(shared): \(differences)")
        }
      }
    }
  }

  /// Two tags, tied at the instants 1 and 3 of five: the states 0, 2 and 4 are eliminated in their chains.
  @Test func orderOfTwoTags() {
    let order = TieOrder(
      [1, 3].map { TieOrder.Pair(state: $0, first: 1, second: 0) }, order: 4, shared: [2, 0])
    #expect(order.kept == [[1, 3], [1, 3]])
    #expect(order.starts == [0, 6, 10])
    #expect(order.moves.map(\.tag) == [1, 0, 1, 0, 0, 1])
    #expect(order.moves.map(\.from) == [nil, nil, 1, 1, 3, 3])
    #expect(order.moves.map(\.to) == [1, 1, 3, 3, nil, nil])
    #expect(order.moves.map(\.pairs) == [0, 0, 1, 1, 2, 2])
    #expect(order.moves.map(\.number) == [0, 0, 0, 1, 2, 3])
    #expect(order.count == 4)
  }

  /// Random pairs, `share` of all possible.
  private static func pairs(
    _ count: Int, tags: Int, share: Double, using generator: inout SeededGenerator
  ) -> [TieOrder.Pair] {
    var pairs: [TieOrder.Pair] = []
    for state in 0..<count {
      for one in 0..<tags {
        for other in 0..<tags where one != other && generator.uniform(in: 0...2) < share {
          pairs.append(TieOrder.Pair(state: state, first: one, second: other))
        }
      }
    }
    return pairs
  }

  private static func compared<let N: Int>(
    _ kind: ChainEquations<N>.Type, _ count: Int, _ shared: [Int], _ pairs: [TieOrder.Pair],
    using generator: inout SeededGenerator
  ) throws -> ChainEquationsTests.Differences {
    var equations = JointEquations<N>(count: count, shared: shared, ties: pairs)
    for tag in shared.indices {
      ChainEquationsTests.fill(&equations.chains[tag], using: &generator)
    }
    var dense = DenseChains(equations.chains)
    for pair in pairs {
      var derivative = InlineArray<N, Double>(repeating: 0)
      for row in 0..<N { derivative[row] = generator.normal() }
      let (residual, weight) = (generator.normal(), generator.exponential(mean: 2))
      equations.add(derivative: derivative, residual: residual, weight: weight)
      dense.add(pair, derivative, residual: residual, weight: weight)
    }
    return try dense.compared(equations)
  }
}
