import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct DenseCholeskyTests {
  @Test(arguments: [UInt64](1...10))
  func factorsAndSolvesRandomMatrix(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let order = Int.random(in: 1...60, using: &generator)
    let root = DenseMatrix.random(order, order + 5, using: &generator)
    let matrix = root * root.transposed()
    let cholesky = try DenseCholesky(matrix)
    #expect(cholesky.order == order)
    let product = cholesky.factor * cholesky.factor.transposed()
    #expect(product.distance(to: matrix) < 1e-14 * Double(order) * matrix.greatestMagnitude)
    for column in 1..<max(order, 1) { #expect(cholesky.factor[0, column] == 0) }

    let exact = DenseMatrix.random(order, 3, using: &generator)
    let right = matrix * exact
    let solution = try cholesky.solve(right)
    // Backward stable: the residual is small for every condition number.
    #expect(
      (matrix * solution).distance(to: right)
        < 1e-14 * Double(order) * matrix.greatestMagnitude * Double(order)
        * solution.greatestMagnitude)
    for side in 0..<3 {
      let alone = try cholesky.solve(DenseMatrix(column: right.column(side)))
      #expect(
        alone.distance(to: DenseMatrix(column: solution.column(side)))
          < 1e-13 / cholesky.reciprocalConditionNumber)
    }
  }

  @Test func determinantMatchesSecondDifferenceMatrix() throws {
    // The determinant is order + 1 = 31.
    let cholesky = try DenseCholesky(.secondDifference(30))
    #expect(isClose(cholesky.logarithmOfDeterminant, Double.log(31), within: 1e-13))
  }

  @Test func conditionNumberMatchesHandComputation() throws {
    // diag(1, 4, 1/4): the ratio of the extreme elements is 16.
    let cholesky = try DenseCholesky(.diagonal([1, 4, 0.25]))
    #expect(isClose(cholesky.reciprocalConditionNumber, 1.0 / 16, within: 1e-15))
    // A sum of magnitudes that overflows counts as the greatest number: cond(A) is 1.8 / 0.2 = 9.
    let great = try DenseCholesky(DenseMatrix([[1e308, 0.8e308], [0.8e308, 1e308]]))
    #expect(isClose(great.reciprocalConditionNumber, 1.0 / 9, within: 1e-3))
  }

  @Test func ignoresUpperTriangle() throws {
    let cholesky = try DenseCholesky(DenseMatrix([[4, .nan], [2, 10]]))
    #expect(cholesky.factor == DenseMatrix([[2, 0], [1, 3]]))
  }

  @Test func solvesEmptyMatrix() throws {
    let cholesky = try DenseCholesky(DenseMatrix(rows: 0, columns: 0))
    #expect(cholesky.logarithmOfDeterminant == 0)
    #expect(cholesky.reciprocalConditionNumber == 1)
    let nothing = DenseMatrix(rows: 0, columns: 2)
    #expect(try cholesky.solve(nothing) == nothing)
    #expect(try DenseCholesky(.identity(2)).solve(DenseMatrix(rows: 2, columns: 0)).columns == 0)
  }

  @Test func rejectsInvalidMatrices() {
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 2, found: 3)) {
      try DenseCholesky(DenseMatrix(rows: 2, columns: 3))
    }
    #expect(throws: LinearAlgebraError.notFinite(.matrix, row: 1, column: 0)) {
      try DenseCholesky(DenseMatrix([[1, 0], [.nan, 1]]))
    }
    // The leading minors are 1 and 1 - 4 < 0; the third is not evaluated.
    #expect(throws: LinearAlgebraError.notPositiveDefinite(order: 2)) {
      try DenseCholesky(DenseMatrix([[1, 2, 0], [2, 1, 0], [0, 0, 1]]))
    }
    #expect(throws: LinearAlgebraError.notPositiveDefinite(order: 1)) {
      try DenseCholesky(DenseMatrix(rows: 1, columns: 1))
    }
  }

  @Test func rejectsInvalidRightHandSides() throws {
    let cholesky = try DenseCholesky(.diagonal([1e-200, 1]))
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 2, found: 1)) {
      try cholesky.solve(DenseMatrix(column: [1]))
    }
    #expect(throws: LinearAlgebraError.notFinite(.rightHandSides, row: 0, column: 1)) {
      try cholesky.solve(DenseMatrix([[1, -.infinity], [1, 1]]))
    }
    #expect(throws: LinearAlgebraError.overflow) {
      try cholesky.solve(DenseMatrix(column: [1e200, 1]))
    }
    let tooMany = Int(Int32.max) + 1
    #expect(throws: LinearAlgebraError.tooLarge(dimension: tooMany)) {
      try DenseCholesky(DenseMatrix(rows: 0, columns: 0))
        .solve(DenseMatrix(rows: 0, columns: tooMany))
    }
  }
}
