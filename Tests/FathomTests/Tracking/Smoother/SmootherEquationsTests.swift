import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Random chains, compared with a dense solution by LAPACK.
@Suite struct SmootherEquationsTests {
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
    var chain = SmootherEquations<4>(count: 2, shared: 0)
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
    var chain = SmootherEquations<4>(count: 2, shared: 0)
    chain.separate(0, axis: 1, information: (4, 9), miss: 0.5, velocity: 2)
    #expect(chain.diagonal[5] == 4 && chain.diagonal[16 + 5] == 4 && chain.upper[5] == -4)
    #expect(chain.diagonal[15] == 0 && chain.diagonal[16 + 15] == 9)
    #expect(chain.right == [0, 2, 0, 0, 0, -2, 0, -18])
  }

  @Test func rejectsIndefiniteEquations() {
    var chain = SmootherEquations<4>(count: 2, shared: 0)
    let isZeroDefinite = chain.factor()
    #expect(!isZeroDefinite)
    chain.clear()
    for index in 0..<32 where index % 5 == 0 { chain.diagonal[index] = .nan }
    let isNotANumberDefinite = chain.factor()
    #expect(!isNotANumberDefinite)
  }

  @Test func clearingZeroesAllNumbers() {
    var generator = SeededGenerator(seed: 2203)
    var chain = Self.random4(count: 3, shared: 2, using: &generator)
    _ = chain.factor()
    chain.clear()
    for numbers in [
      chain.diagonal, chain.upper, chain.right, chain.border, chain.corner, chain.common,
    ] {
      #expect(numbers.allSatisfy { $0 == 0 })
    }
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
  ) -> SmootherEquations<4> {
    random(count: count, shared: shared, using: &generator)
  }

  private static func random6(
    count: Int, shared: Int, using generator: inout SeededGenerator
  ) -> SmootherEquations<6> {
    random(count: count, shared: shared, using: &generator)
  }

  /// A chain of steps, one gap, and measurements of states and common unknowns.
  private static func random<let N: Int>(
    count: Int, shared: Int, using generator: inout SeededGenerator
  ) -> SmootherEquations<N> {
    var chain = SmootherEquations<N>(count: count, shared: shared)
    for index in 0..<count - 1 {
      for axis in 0..<N / 2 {
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
        var common = SmootherEquations<N>.SharedDerivative()
        for place in 0..<min(3, shared) {
          common.append((place + index) % shared, generator.normal())
        }
        chain.add(
          index, derivative: derivative, common: common, residual: generator.normal(),
          weight: generator.exponential(mean: 1))
      }
    }
    for row in 0..<shared { chain.corner[(shared + 1) * row] += 0.5 }
    return chain
  }

  private static func compared<let N: Int>(_ chain: SmootherEquations<N>) throws -> Differences {
    let order = N * chain.count
    let size = order + chain.shared
    var matrix = DenseMatrix(rows: size, columns: size)
    var right = DenseMatrix(rows: size, columns: 1)
    for index in 0..<chain.count {
      for row in 0..<N {
        let place = N * index + row
        right[place, 0] = chain.right[place]
        for column in 0..<N {
          matrix[place, N * index + column] = chain.diagonal[N * N * index + N * row + column]
          guard index + 1 < chain.count else { continue }
          let element = chain.upper[N * N * index + N * row + column]
          matrix[place, N * (index + 1) + column] = element
          matrix[N * (index + 1) + column, place] = element
        }
        for column in 0..<chain.shared {
          let element = chain.border[place * chain.stride + column]
          matrix[place, order + column] = element
          matrix[order + column, place] = element
        }
      }
    }
    for row in 0..<chain.shared {
      right[order + row, 0] = chain.common[row]
      for column in 0..<chain.shared {
        matrix[order + row, order + column] = chain.corner[chain.shared * row + column]
      }
    }
    let dense = try DenseCholesky(matrix)
    let solution = try dense.solve(right)
    let inverse = try dense.solve(.identity(size))

    var chain = chain
    var found = Differences()
    found.isDefinite = chain.factor()
    var states: [Double] = []
    chain.solve(into: &states)
    for (index, value) in states.enumerated() {
      found.states = max(found.states, (value - solution[index, 0]).magnitude)
    }
    for row in 0..<chain.shared {
      found.common = max(found.common, (chain.common[row] - solution[order + row, 0]).magnitude)
      for column in 0..<chain.shared {
        let away = chain.corner[chain.shared * row + column] - inverse[order + row, order + column]
        found.commonCovariance = max(found.commonCovariance, away.magnitude)
      }
    }
    var blocks = [DenseMatrix](repeating: DenseMatrix(rows: 0, columns: 0), count: chain.count)
    chain.withCovariances { index, own, ofCommon in blocks[index] = (own + ofCommon).dense }
    for (index, block) in blocks.enumerated() {
      found.isSymmetric = found.isSymmetric && block == block.transposed()
      for row in 0..<N {
        for column in 0..<N {
          let away = block[row, column] - inverse[N * index + row, N * index + column]
          found.covariances = max(found.covariances, away.magnitude)
        }
      }
    }
    return found
  }
}
