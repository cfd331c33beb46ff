import FathomEvaluation
import Testing

@testable import Fathom

@Suite struct DenseMatrixTests {
  @Test func storesElementsByColumns() {
    let matrix = DenseMatrix([[1, 2, 3], [4, 5, 6]])
    #expect(matrix.rows == 2)
    #expect(matrix.columns == 3)
    #expect(matrix.columnMajor == [1, 4, 2, 5, 3, 6])
    #expect(matrix == DenseMatrix(rows: 2, columns: 3, columnMajor: [1, 4, 2, 5, 3, 6]))
    #expect(matrix[1, 2] == 6)
    #expect(matrix.column(1) == [2, 5])
    #expect(matrix.row(1) == [4, 5, 6])
    #expect(matrix.description == "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]")
    #expect(matrix.transposed() == DenseMatrix([[1, 4], [2, 5], [3, 6]]))
    #expect(DenseMatrix(column: [7, 8]) == DenseMatrix([[7], [8]]))
  }

  @Test func copiesAreIndependent() {
    let original = DenseMatrix(rows: 2, columns: 2)
    var copy = original
    copy[0, 1] = 5
    #expect(original[0, 1] == 0)
    #expect(copy == DenseMatrix([[0, 5], [0, 0]]))
  }

  @Test func emptyMatricesKeepTheirShape() {
    #expect(DenseMatrix([]) == DenseMatrix(rows: 0, columns: 0))
    #expect(DenseMatrix([[], []]) == DenseMatrix(rows: 2, columns: 0))
    #expect(DenseMatrix(rows: 0, columns: 3).transposed() == DenseMatrix(rows: 3, columns: 0))
    // A sum without terms is zero.
    let product = DenseMatrix(rows: 2, columns: 0) * DenseMatrix(rows: 0, columns: 3)
    #expect(product == DenseMatrix(rows: 2, columns: 3))
    #expect(DenseMatrix.identity(0) == DenseMatrix(rows: 0, columns: 0))
  }

  @Test func productMatchesHandComputation() {
    // [1 2; 3 4] [5 6 7; 8 9 10] = [5+16 6+18 7+20; 15+32 18+36 21+40]
    let product = DenseMatrix([[1, 2], [3, 4]]) * DenseMatrix([[5, 6, 7], [8, 9, 10]])
    #expect(product == DenseMatrix([[21, 24, 27], [47, 54, 61]]))
  }

  @Test(arguments: [UInt64](1...20))
  func productsObeyMatrixAlgebra(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let shape = (0..<3).map { _ in Int.random(in: 1...9, using: &generator) }
    let left = DenseMatrix.random(shape[0], shape[1], using: &generator)
    let right = DenseMatrix.random(shape[1], shape[2], using: &generator)
    let product = left * right
    for row in 0..<shape[0] {
      for column in 0..<shape[2] {
        let sum = zip(left.row(row), right.column(column)).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(product[row, column] == sum)
      }
    }
    // The sums have the same terms in the same order, so they agree bitwise.
    #expect((right.transposed() * left.transposed()).transposed() == product)
    #expect(.identity(shape[0]) * left == left)
    #expect(left * .identity(shape[1]) == left)
  }

  @Test func propagatesAndDetectsNaN() {
    var matrix = DenseMatrix.identity(2)
    #expect(matrix.isFinite)
    matrix[0, 1] = .nan
    #expect(!matrix.isFinite)
    #expect(matrix != matrix)
    let product = DenseMatrix(rows: 2, columns: 2) * matrix
    #expect(product[0, 0] == 0)
    #expect(product[0, 1].isNaN)
  }

  @Test func checksRowBounds() async {
    await #expect(processExitsWith: .failure) {
      let matrix = DenseMatrix(rows: 2, columns: 2)
      print(matrix[2, 0])
    }
  }

  @Test func incompatibleShapesStopTheProgram() async {
    await #expect(processExitsWith: .failure) {
      print(DenseMatrix(rows: 2, columns: 2) * DenseMatrix(rows: 3, columns: 2))
    }
    await #expect(processExitsWith: .failure) { print(DenseMatrix([[1, 2], [3]])) }
  }
}
