import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Random chains, compared with a dense solution by LAPACK.
@Suite struct ChainEquationsTests {
  @Test(arguments: [0, 1, 2, 7])
  func solutionInThePlaneMatchesTheDenseOne(_ shared: Int) throws {
    var generator = SeededGenerator(seed: 2201)
    for count in [1, 2, 3, 12] {
      let found = try Self.compared(
        Self.random4(count: count, shared: shared, using: &generator))
      #expect(found.isWithin(1e-9), "seed 2201, \(count) states: \(found)")
    }
  }

  @Test(arguments: [0, 1, 2, 7])
  func solutionInSpaceMatchesTheDenseOne(_ shared: Int) throws {
    var generator = SeededGenerator(seed: 2202)
    for count in [1, 2, 3, 12] {
      let found = try Self.compared(
        Self.random6(count: count, shared: shared, using: &generator))
      #expect(found.isWithin(1e-9), "seed 2202, \(count) states: \(found)")
    }
  }

  /// Two states of one axis each, linked by nearly constant velocity: FᵀAF, -FᵀA and A by hand.
  @Test func linkMatchesValuesComputedByHand() {
    var chain = ChainEquations<4>(count: 2, shared: 0)
    chain.tie(0, axis: 0, seconds: 2, information: (3, -2, 5), miss: 0.5, change: 0.25)
    // F = [1 2; 0 1], A = [3 -2; -2 5]: FᵀAF = [3 4; 4 9], FᵀA = [3 -2; 4 1].
    #expect(chain.diagonal[0] == 3 && chain.diagonal[2] == 4)
    #expect(chain.diagonal[8] == 4 && chain.diagonal[10] == 9)
    #expect(chain.upper[0] == -3 && chain.upper[2] == 2)
    #expect(chain.upper[8] == -4 && chain.upper[10] == -1)
    #expect(chain.diagonal[16] == 3 && chain.diagonal[18] == -2 && chain.diagonal[26] == 5)
    // A (0.5, 0.25) = (1, 0.25): Fᵀ of it is (1, 2.25).
    #expect(chain.right == [1, 0, 2.25, 0, -1, 0, -0.25, 0])
  }

  /// A gap links the positions; the next velocity is drawn to zero, the previous one is free.
  @Test func gapMatchesValuesComputedByHand() {
    var chain = ChainEquations<4>(count: 2, shared: 0)
    chain.separate(0, axis: 1, information: (4, 9), miss: 0.5, velocity: 2)
    #expect(chain.diagonal[5] == 4 && chain.diagonal[16 + 5] == 4 && chain.upper[5] == -4)
    #expect(chain.diagonal[15] == 0 && chain.diagonal[16 + 15] == 9)
    #expect(chain.right == [0, 2, 0, 0, 0, -2, 0, -18])
  }

  @Test func rejectsIndefiniteEquations() {
    var chain = ChainEquations<4>(count: 2, shared: 0)
    #expect(!Self.isDefinite(chain))
    for index in 0..<32 where index % 5 == 0 { chain.diagonal[index] = .nan }
    #expect(!Self.isDefinite(chain))
  }

  @Test func clearingZeroesAllNumbers() {
    var generator = SeededGenerator(seed: 2203)
    var chain = Self.random4(count: 3, shared: 2, using: &generator)
    var sums: [Double] = []
    _ = chain.eliminate(ChainEquations<4>.Part(states: 0..<3), &sums)
    chain.clear()
    for numbers in [
      chain.diagonal, chain.upper, chain.right, chain.border, chain.corner, chain.common,
    ] {
      #expect(numbers.allSatisfy { $0 == 0 })
    }
  }

  private static func isDefinite(_ chain: ChainEquations<4>) -> Bool {
    var equations = JointEquations<4>(count: chain.count, shared: [chain.shared])
    equations.chains[0] = chain
    return equations.factor()
  }

  // MARK: Harness

  /// The largest differences between a chain and the dense solution.
  struct Differences {
    var isDefinite = false
    var states = 0.0
    var common = 0.0
    var covariances = 0.0
    var commonCovariance = 0.0
    var isSymmetric = true

    func isWithin(_ tolerance: Double) -> Bool {
      isDefinite && isSymmetric && states < tolerance && common < tolerance
        && covariances < tolerance && commonCovariance < tolerance
    }
  }

  static func random4(
    count: Int, shared: Int, using generator: inout SeededGenerator
  ) -> ChainEquations<4> {
    random(count: count, shared: shared, using: &generator)
  }

  private static func random6(
    count: Int, shared: Int, using generator: inout SeededGenerator
  ) -> ChainEquations<6> {
    random(count: count, shared: shared, using: &generator)
  }

  private static func random<let N: Int>(
    count: Int, shared: Int, using generator: inout SeededGenerator
  ) -> ChainEquations<N> {
    var chain = ChainEquations<N>(count: count, shared: shared)
    fill(&chain, using: &generator)
    return chain
  }

  /// Adds steps, one gap, and measurements of states and common unknowns to a chain.
  static func fill<let N: Int>(
    _ chain: inout ChainEquations<N>, using generator: inout SeededGenerator
  ) {
    let (count, shared) = (chain.count, chain.shared)
    for index in 0..<count - 1 {
      for axis in 0..<ChainEquations<N>.axes {
        if index == 1 {
          chain.separate(
            index, axis: axis, information: (0.3, 0.7), miss: generator.normal(),
            velocity: generator.normal())
        } else {
          let seconds = generator.uniform(in: 0.2...2)
          chain.tie(
            index, axis: axis, seconds: seconds,
            information: (
              12 / (seconds * seconds * seconds), -6 / (seconds * seconds), 4 / seconds
            ), miss: generator.normal(), change: generator.normal())
        }
      }
    }
    for index in 0..<count {
      for _ in 0..<2 * N {
        var derivative = InlineArray<N, Double>(repeating: 0)
        for row in 0..<N { derivative[row] = generator.normal() }
        var common = ChainEquations<N>.SharedDerivative()
        for place in 0..<min(3, shared) {
          common.append((place + index) % shared, generator.normal())
        }
        chain.add(
          index, derivative: derivative, common: common, residual: generator.normal(),
          weight: generator.exponential(mean: 1))
      }
    }
    for row in 0..<shared { chain.corner[(shared + 1) * row] += 0.5 }
  }

  private static func compared<let N: Int>(_ chain: ChainEquations<N>) throws -> Differences {
    var equations = JointEquations<N>(count: chain.count, shared: [chain.shared])
    equations.chains[0] = chain
    let dense = DenseChains([chain])
    return try dense.compared(equations)
  }
}

/// The equations of several chains and their ties as one dense matrix.
struct DenseChains<let N: Int> {
  private(set) var matrix: DenseMatrix
  private(set) var right: DenseMatrix
  private let count: Int
  private let tags: Int
  private var states: Int { N * tags * count }

  /// Creates the equations of chains without ties.
  init(_ chains: [ChainEquations<N>]) {
    (count, tags) = (chains[0].count, chains.count)
    let size = N * chains.count * count + chains.reduce(0) { $0 + $1.shared }
    matrix = DenseMatrix(rows: size, columns: size)
    right = DenseMatrix(rows: size, columns: 1)
    var first = states
    for (tag, chain) in chains.enumerated() {
      add(chain, tag, first)
      first += chain.shared
    }
  }

  /// The place of an element of a tag's state.
  private func place(_ tag: Int, _ index: Int, _ element: Int) -> Int {
    N * (tags * index + tag) + element
  }

  private mutating func add(_ chain: ChainEquations<N>, _ tag: Int, _ first: Int) {
    for index in 0..<count {
      for row in 0..<N {
        let own = place(tag, index, row)
        right[own, 0] = chain.right[N * index + row]
        for column in 0..<N {
          matrix[own, place(tag, index, column)] =
            chain.diagonal[
              N * N * index + N * row + column]
          guard index + 1 < count else { continue }
          let next = place(tag, index + 1, column)
          matrix[own, next] = chain.upper[N * N * index + N * row + column]
          matrix[next, own] = matrix[own, next]
        }
        for column in 0..<chain.shared {
          matrix[own, first + column] = chain.border[(N * index + row) * chain.stride + column]
          matrix[first + column, own] = matrix[own, first + column]
        }
      }
    }
    for row in 0..<chain.shared {
      right[first + row, 0] = chain.common[row]
      for column in 0..<chain.shared {
        matrix[first + row, first + column] = chain.corner[chain.shared * row + column]
      }
    }
  }

  /// Adds a tie: the row of the measurement times itself.
  mutating func add(
    _ pair: TieOrder.Pair, _ derivative: InlineArray<N, Double>, residual: Double, weight: Double
  ) {
    var row = [Double](repeating: 0, count: matrix.rows)
    for element in 0..<N {
      row[place(pair.first, pair.state, element)] += derivative[element]
      row[place(pair.second, pair.state, element)] -= derivative[element]
    }
    for one in row.indices where row[one] != 0 {
      right[one, 0] += weight * row[one] * residual
      for other in row.indices { matrix[one, other] += weight * row[one] * row[other] }
    }
  }

  /// Returns the largest differences of the solution and covariances of `equations`.
  func compared(_ equations: JointEquations<N>) throws -> ChainEquationsTests.Differences {
    let dense = try DenseCholesky(matrix)
    let solution = try dense.solve(right)
    let inverse = try dense.solve(.identity(matrix.rows))
    var equations = equations
    var found = ChainEquationsTests.Differences()
    found.isDefinite = equations.factor()
    var result: [[Double]] = []
    equations.solve(into: &result)
    for tag in 0..<tags {
      for (index, value) in result[tag].enumerated() {
        let expected = solution[place(tag, index / N, index % N), 0]
        found.states = max(found.states, (value - expected).magnitude)
      }
    }
    let shared = equations.shared
    for row in 0..<shared {
      let away = equations.common[row] - solution[states + row, 0]
      found.common = max(found.common, away.magnitude)
      for column in 0..<shared {
        let away =
          equations.corner[shared * row + column] - inverse[states + row, states + column]
        found.commonCovariance = max(found.commonCovariance, away.magnitude)
      }
    }
    var blocks = [[DenseMatrix?]](
      repeating: Array(repeating: nil, count: count), count: tags)
    equations.withCovariances(corner: equations.corner) { tag, index, own, ofCommon in
      blocks[tag][index] = (own + ofCommon).dense
    }
    for tag in 0..<tags {
      for index in 0..<count {
        guard let block = blocks[tag][index] else {
          found.isSymmetric = false
          continue
        }
        for row in 0..<N {
          for column in 0..<N {
            let expected = inverse[place(tag, index, row), place(tag, index, column)]
            found.covariances = max(found.covariances, (block[row, column] - expected).magnitude)
            found.isSymmetric = found.isSymmetric && block[row, column] == block[column, row]
          }
        }
      }
    }
    return found
  }
}
