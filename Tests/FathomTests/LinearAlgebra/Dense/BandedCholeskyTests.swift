import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct BandedCholeskyTests {
  /// Returns a random diagonally dominant, hence positive definite, matrix.
  private func randomMatrix(
    _ order: Int, _ bandwidth: Int, using generator: inout SeededGenerator
  ) -> SymmetricBandMatrix {
    var matrix = SymmetricBandMatrix(order: order, bandwidth: bandwidth)
    for column in 0..<order {
      matrix[column, column] = Double(2 * bandwidth + 1)
      for row in column + 1..<max(column + 1, min(order, column + bandwidth + 1)) {
        matrix[row, column] = generator.uniform(in: -1...1)
      }
    }
    return matrix
  }

  @Test(arguments: [UInt64](1...20))
  func matchesDenseFactorisation(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let order = Int.random(in: 1...50, using: &generator)
    let bandwidth = Int.random(in: 0...6, using: &generator)
    let matrix = randomMatrix(order, bandwidth, using: &generator)
    let banded = try BandedCholesky(matrix)
    let dense = try DenseCholesky(matrix.dense())
    #expect(banded.order == order)
    #expect(
      isClose(
        banded.logarithmOfDeterminant, dense.logarithmOfDeterminant, within: 1e-12))
    #expect(
      isClose(
        banded.reciprocalConditionNumber, dense.reciprocalConditionNumber, within: 1e-12))
    let right = DenseMatrix.random(order, 4, using: &generator)
    #expect(try banded.solve(right).distance(to: dense.solve(right)) < 1e-14)
  }

  @Test func solvesLargeSecondDifferenceProblem() throws {
    // x_k = (k + 1) (n - k) / 2 has second differences -1 and vanishes beyond both ends.
    let order = 2000
    var matrix = SymmetricBandMatrix(order: order, bandwidth: 1)
    for index in 0..<order { matrix[index, index] = 2 }
    for index in 1..<order { matrix[index, index - 1] = -1 }
    let cholesky = try BandedCholesky(matrix)
    let ones = DenseMatrix(column: [Double](repeating: 1, count: order))
    let solution = try cholesky.solve(ones)
    for index in [0, 17, 999, 1999] {
      let exact = Double((index + 1) * (order - index)) / 2
      #expect(isClose(solution[index, 0], exact, within: 1e-9 * exact))
    }
    #expect(isClose(cholesky.logarithmOfDeterminant, Double.log(2001), within: 1e-10))
    // The 1-norm of the matrix is 4, that of its inverse the greatest element of the solution.
    #expect(
      isClose(cholesky.reciprocalConditionNumber * 4 * 1000.0 * 1001 / 2, 1, within: 1e-6))
  }

  @Test func rejectsInvalidMatrices() throws {
    var matrix = SymmetricBandMatrix(order: 3, bandwidth: 1)
    for index in 0..<3 { matrix[index, index] = 1 }
    matrix[2, 1] = 2
    // The leading minors are 1, 1 and 1 - 4.
    #expect(throws: LinearAlgebraError.notPositiveDefinite(order: 3)) {
      try BandedCholesky(matrix)
    }
    matrix[2, 1] = .infinity
    #expect(throws: LinearAlgebraError.notFinite(.matrix, row: 2, column: 1)) {
      try BandedCholesky(matrix)
    }
    let tooWide = Int(Int32.max)
    #expect(throws: LinearAlgebraError.tooLarge(dimension: tooWide + 1)) {
      try BandedCholesky(SymmetricBandMatrix(order: 0, bandwidth: tooWide))
    }
  }

  @Test func rejectsInvalidRightHandSides() throws {
    var matrix = SymmetricBandMatrix(order: 1, bandwidth: 0)
    matrix[0, 0] = 1e-200
    let cholesky = try BandedCholesky(matrix)
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 1, found: 2)) {
      try cholesky.solve(DenseMatrix(column: [1, 2]))
    }
    #expect(throws: LinearAlgebraError.notFinite(.rightHandSides, row: 0, column: 0)) {
      try cholesky.solve(DenseMatrix(column: [.nan]))
    }
    #expect(throws: LinearAlgebraError.overflow) {
      try cholesky.solve(DenseMatrix(column: [1e200]))
    }
  }

  @Test func solvesEmptyMatrix() throws {
    let cholesky = try BandedCholesky(SymmetricBandMatrix(order: 0, bandwidth: 2))
    #expect(cholesky.logarithmOfDeterminant == 0)
    #expect(cholesky.reciprocalConditionNumber == 1)
    #expect(try cholesky.solve(DenseMatrix(rows: 0, columns: 1)).rows == 0)
  }
}
