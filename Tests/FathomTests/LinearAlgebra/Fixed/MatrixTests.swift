import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct MatrixTests {
  @Test(arguments: [UInt64](1...20))
  func productsMatchDenseMatrices(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let left = Matrix<3, 4>.random(using: &generator)
    let right = Matrix<4, 5>.random(using: &generator)
    let column = Vector<4>.random(using: &generator)
    #expect((left * right).dense.distance(to: left.dense * right.dense) < 1e-14)
    #expect(
      DenseMatrix(column: (left * column).array)
        .distance(to: left.dense * DenseMatrix(column: column.array)) < 1e-14)
    #expect(
      left.timesTransposed(right.transposed()).dense.distance(to: (left * right).dense) < 1e-14)
    #expect(left.transposed().dense == left.dense.transposed())
    #expect(left.row(2).array == left.dense.row(2))
  }

  @Test(arguments: [UInt64](1...20))
  func arithmeticIsElementwise(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let left = Matrix<3, 2>.random(using: &generator)
    let right = Matrix<3, 2>.random(using: &generator)
    let scale = generator.normal()
    for row in 0..<3 {
      for column in 0..<2 {
        #expect((left + right)[row, column] == left[row, column] + right[row, column])
        #expect((left - right)[row, column] == left[row, column] - right[row, column])
        #expect((scale * left)[row, column] == scale * left[row, column])
      }
    }
  }

  @Test(arguments: [UInt64](1...20))
  func squareMatrixOperationsAreConsistent(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let matrix = Matrix<4, 4>.random(using: &generator)
    #expect(matrix * .identity == matrix)
    #expect(.identity * matrix == matrix)
    let symmetric = matrix.symmetrized()
    #expect(symmetric == symmetric.transposed())
    #expect(symmetric.diagonal == matrix.diagonal)
    #expect((2 * symmetric - matrix).dense.distance(to: matrix.transposed().dense) < 1e-15)
    #expect(Matrix<4, 4>.diagonal(matrix.diagonal).trace == matrix.trace)
    #expect(Matrix<4, 4>.diagonal(matrix.diagonal)[1, 2] == 0)
    // trace(A B) = trace(B A)
    let other = Matrix<4, 4>.random(using: &generator)
    #expect(((matrix * other).trace - (other * matrix).trace).magnitude < 1e-13)
  }

  @Test func valuesMatchHandComputation() {
    let matrix: Matrix<2, 3> = Matrix([[1, 2, 3], [4, 5, 6]])
    // [1 2 3; 4 5 6] (1, 0, -1) = (1 - 3, 4 - 6)
    #expect(matrix * Vector<3>([1, 0, -1]) == Vector<2>([-2, -2]))
    #expect(matrix.timesTransposed(matrix) == Matrix<2, 2>([[14, 32], [32, 77]]))
    #expect(matrix.description == "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]")
  }

  @Test func rejectsArraysOfAnotherShape() {
    #expect(Matrix<2, 2>(array: [[1, 2], [3, 4]])?.array == [[1, 2], [3, 4]])
    #expect(Matrix<2, 2>(array: [[1, 2]]) == nil)
    #expect(Matrix<2, 2>(array: [[1, 2], [3]]) == nil)
  }

  @Test func detectsNaN() {
    var matrix = Matrix<2, 2>.identity
    #expect(matrix.isFinite)
    matrix[1, 0] = .infinity
    #expect(!matrix.isFinite)
    #expect(matrix == matrix)
    matrix[1, 0] = .nan
    #expect(!matrix.isFinite)
    #expect(matrix != matrix)
  }
}
