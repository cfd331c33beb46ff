import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct CholeskyTests {
  @Test(arguments: [UInt64](1...20))
  func factorsAndSolvesRandomMatrix(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let root = Matrix<6, 6>.random(using: &generator)
    let matrix = root.timesTransposed(root) + .identity
    let cholesky = try #require(Cholesky(matrix))
    let lower = cholesky.factor
    #expect(lower.timesTransposed(lower).dense.distance(to: matrix.dense) < 1e-13)
    for row in 0..<6 {
      #expect(lower[row, row] > 0)
      for column in row + 1..<max(6, row + 1) { #expect(lower[row, column] == 0) }
    }

    // LAPACK provides the reference; the condition number stays below 1e3.
    let dense = try DenseCholesky(matrix.dense)
    #expect(dense.factor.distance(to: lower.dense) < 1e-12)
    #expect(
      isClose(
        cholesky.rootOfDeterminant, Double.exp(dense.logarithmOfDeterminant / 2),
        within: 1e-12 * cholesky.rootOfDeterminant))
    let right = Vector<6>.random(using: &generator)
    let solution = try dense.solve(DenseMatrix(column: right.array))
    #expect(DenseMatrix(column: cholesky.solve(right).array).distance(to: solution) < 1e-12)
    #expect((lower * cholesky.forward(right) - right).length < 1e-13)
    let inverse = cholesky.inverse()
    #expect(inverse == inverse.transposed())
    #expect((inverse * matrix).dense.distance(to: .identity(6)) < 1e-11)
  }

  @Test func valuesMatchHandComputation() throws {
    // [4 2; 2 10] = [2 0; 1 3] [2 1; 0 3]
    let cholesky = try #require(Cholesky(Matrix<2, 2>([[4, 2], [2, 10]])))
    #expect(cholesky.factor == Matrix<2, 2>([[2, 0], [1, 3]]))
    #expect(cholesky.rootOfDeterminant == 6)
    #expect(cholesky.solve(Vector<2>([8, 22])) == Vector<2>([1, 2]))
  }

  @Test func ignoresUpperTriangle() throws {
    let cholesky = try #require(Cholesky(Matrix<2, 2>([[4, .nan], [2, 10]])))
    #expect(cholesky.factor == Matrix<2, 2>([[2, 0], [1, 3]]))
  }

  @Test(arguments: [
    [[1, 2], [2, 1]], [[0, 0], [0, 1]], [[1, 1], [1, 1]], [[-1, 0], [0, 1]], [[.nan, 0], [0, 1]],
    [[1, 0], [.nan, 1]], [[.infinity, 0], [0, 1]],
  ])
  func rejectsIndefiniteMatrices(_ rows: [[Double]]) throws {
    #expect(Cholesky(try #require(Matrix<2, 2>(array: rows))) == nil)
  }
}
