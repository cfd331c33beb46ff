import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Random chains of tied tracks, compared with a dense solution by LAPACK.
@Suite struct TiedEquationsTests {
  @Test(arguments: [[0, 0], [2, 0], [1, 3], [2, 1, 2]])
  func solutionMatchesTheDenseOne(_ shared: [Int]) throws {
    var generator = SeededGenerator(seed: 6201)
    for count in [1, 2, 3, 9] {
      let chains = shared.map {
        SmootherEquationsTests.random4(count: count, shared: $0, using: &generator)
      }
      var tied = TiedEquations<4>(count: count, shared: shared)
      tied.assemble(chains)
      var (matrix, right) = Self.dense(chains)
      for index in 0..<count {
        let first = index % shared.count
        let second = (first + 1) % shared.count
        var derivative = InlineArray<4, Double>(repeating: 0)
        for row in 0..<4 { derivative[row] = generator.normal() }
        let (residual, weight) = (generator.normal(), generator.exponential(mean: 2))
        tied.add(
          index, between: (first, second), derivative: derivative, residual: residual,
          weight: weight)
        // The row of the measurement in the dense matrix.
        var row = [Double](repeating: 0, count: matrix.rows)
        for element in 0..<4 {
          row[Self.place(index, first, element, of: shared)] += derivative[element]
          row[Self.place(index, second, element, of: shared)] -= derivative[element]
        }
        for one in row.indices where row[one] != 0 {
          right[one, 0] += weight * row[one] * residual
          for other in row.indices { matrix[one, other] += weight * row[one] * row[other] }
        }
      }
      let dense = try DenseCholesky(matrix)
      let (solution, inverse) = (try dense.solve(right), try dense.solve(.identity(matrix.rows)))
      let isDefinite = tied.factor()
      #expect(isDefinite)
      var worst = 0.0
      for (place, value) in tied.solution().enumerated() {
        worst = max(worst, (value - solution[place, 0]).magnitude)
      }
      let states = 4 * shared.count * count
      for (place, value) in tied.common.enumerated() {
        worst = max(worst, (value - solution[states + place, 0]).magnitude)
      }
      tied.withCovariances(corner: tied.corner) { index, tag, own, ofCommon in
        let total = own + ofCommon
        for row in 0..<4 {
          for column in 0..<4 {
            let expected = inverse[
              Self.place(index, tag, row, of: shared), Self.place(index, tag, column, of: shared)]
            worst = max(worst, (total[row, column] - expected).magnitude)
          }
        }
      }
      #expect(worst < 1e-9, "seed 6201, \(count) instants, \(shared)")
    }
  }

  /// The place of an element of a tag's state in the joint solution.
  private static func place(_ index: Int, _ tag: Int, _ element: Int, of shared: [Int]) -> Int {
    4 * (shared.count * index + tag) + element
  }

  /// The equations of chains without ties, in the order of the joint solution.
  private static func dense(
    _ chains: [SmootherEquations<4>]
  ) -> (matrix: DenseMatrix, right: DenseMatrix) {
    let shared = chains.map(\.shared)
    let count = chains[0].count
    let states = 4 * chains.count * count
    let size = states + shared.reduce(0, +)
    var matrix = DenseMatrix(rows: size, columns: size)
    var right = DenseMatrix(rows: size, columns: 1)
    var first = states
    for (tag, chain) in chains.enumerated() {
      for index in 0..<count {
        for row in 0..<4 {
          let own = place(index, tag, row, of: shared)
          right[own, 0] = chain.right[4 * index + row]
          for column in 0..<4 {
            matrix[own, place(index, tag, column, of: shared)] =
              chain.diagonal[16 * index + 4 * row + column]
            guard index + 1 < count else { continue }
            let next = place(index + 1, tag, column, of: shared)
            matrix[own, next] = chain.upper[16 * index + 4 * row + column]
            matrix[next, own] = matrix[own, next]
          }
          for column in 0..<chain.shared {
            matrix[own, first + column] = chain.border[(4 * index + row) * chain.stride + column]
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
      first += chain.shared
    }
    return (matrix, right)
  }
}
