import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct SymmetricEigendecompositionTests {
  @Test(arguments: [UInt64](1...20))
  func decomposesRandomMatrix(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let order = Int.random(in: 1...20, using: &generator)
    let root = DenseMatrix.random(order, order, using: &generator)
    var matrix = root
    for row in 0..<order {
      for column in 0..<order { matrix[row, column] = root[row, column] + root[column, row] }
    }
    let eigen = try SymmetricEigendecomposition(matrix)
    #expect(eigen.eigenvalues == eigen.eigenvalues.sorted())
    let vectors = eigen.eigenvectors
    #expect((vectors.transposed() * vectors).distance(to: .identity(order)) < 1e-13)
    #expect((matrix * vectors).distance(to: vectors * .diagonal(eigen.eigenvalues)) < 1e-12)
    let trace = (0..<order).reduce(0) { $0 + matrix[$1, $1] }
    #expect(isClose(eigen.eigenvalues.reduce(0, +), trace, within: 1e-12))
  }

  @Test func eigenvaluesMatchSecondDifferenceMatrix() throws {
    let eigen = try SymmetricEigendecomposition(.secondDifference(40))
    for (index, value) in eigen.eigenvalues.enumerated() {
      let exact = 2 - 2 * Double.cos(Double(index + 1) * Double.pi / 41)
      #expect(isClose(value, exact, within: 1e-14))
    }
  }

  @Test func ignoresUpperTriangle() throws {
    // [2 1; 1 2] has the eigenvalues 1 and 3.
    let eigen = try SymmetricEigendecomposition(DenseMatrix([[2, .nan], [1, 2]]))
    #expect(isClose(eigen.eigenvalues[0], 1, within: 1e-15))
    #expect(isClose(eigen.eigenvalues[1], 3, within: 1e-15))
  }

  @Test func emptyMatrixHasNoEigenvalues() throws {
    let eigen = try SymmetricEigendecomposition(DenseMatrix(rows: 0, columns: 0))
    #expect(eigen.eigenvalues.isEmpty)
    #expect(eigen.eigenvectors.columns == 0)
  }

  @Test func rejectsInvalidMatrices() {
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 1, found: 2)) {
      try SymmetricEigendecomposition(DenseMatrix(rows: 1, columns: 2))
    }
    #expect(throws: LinearAlgebraError.notFinite(.matrix, row: 1, column: 1)) {
      try SymmetricEigendecomposition(.diagonal([1, .nan]))
    }
    let great = DenseMatrix(
      rows: 2, columns: 2, columnMajor: [Double](repeating: 0x1.8p1023, count: 4))
    #expect(throws: LinearAlgebraError.overflow) { try SymmetricEigendecomposition(great) }
  }
}
