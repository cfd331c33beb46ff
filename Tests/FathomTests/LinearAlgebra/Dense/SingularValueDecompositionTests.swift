import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct SingularValueDecompositionTests {
  @Test(arguments: [UInt64](1...20))
  func factorsAreOrthonormalAndReproduceMatrix(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let rows = Int.random(in: 1...12, using: &generator)
    let columns = Int.random(in: 1...12, using: &generator)
    let count = min(rows, columns)
    let matrix = DenseMatrix.random(rows, columns, using: &generator)

    let thin = try SingularValueDecomposition(matrix)
    #expect(thin.singularValues.count == count)
    #expect(thin.singularValues == thin.singularValues.sorted(by: >))
    #expect(thin.singularValues.allSatisfy { $0 >= 0 })
    #expect((thin.left.transposed() * thin.left).distance(to: .identity(count)) < 1e-14)
    let right = thin.rightTransposed
    #expect((right * right.transposed()).distance(to: .identity(count)) < 1e-14)
    #expect((thin.left * .diagonal(thin.singularValues) * right).distance(to: matrix) < 1e-13)

    let full = try SingularValueDecomposition(matrix, vectors: .full)
    #expect((full.left.transposed() * full.left).distance(to: .identity(rows)) < 1e-14)
    let fullRight = full.rightTransposed
    #expect((fullRight * fullRight.transposed()).distance(to: .identity(columns)) < 1e-14)
    var middle = DenseMatrix(rows: rows, columns: columns)
    for index in 0..<count { middle[index, index] = full.singularValues[index] }
    #expect((full.left * middle * fullRight).distance(to: matrix) < 1e-13)

    for (alone, value) in zip(
      try SingularValueDecomposition.singularValues(of: matrix), thin.singularValues)
    {
      #expect(isClose(alone, value, within: 1e-14 * thin.singularValues[0]))
    }
  }

  @Test func valuesMatchHandComputation() throws {
    // The rows (3, 0) and (0, -2) are orthogonal: the values are their lengths.
    let decomposition = try SingularValueDecomposition(DenseMatrix([[0, -2], [3, 0], [0, 0]]))
    #expect(isClose(decomposition.singularValues[0], 3, within: 1e-15))
    #expect(isClose(decomposition.singularValues[1], 2, within: 1e-15))
    #expect(isClose(decomposition.conditionNumber, 1.5, within: 1e-15))
    #expect(decomposition.rank(relativeCutoff: 0.5) == 2)
    #expect(decomposition.rank(relativeCutoff: 0.7) == 1)
  }

  @Test func conditionNumberMatchesHilbertMatrix() throws {
    // [Higham 2002, table 28.1]: the condition number of order 5 is 4.766e5.
    let hilbert = DenseMatrix((1...5).map { row in (0..<5).map { 1 / Double(row + $0) } })
    #expect(
      isClose(try SingularValueDecomposition(hilbert).conditionNumber, 4.766e5, within: 0.001e5))
  }

  @Test func detectsRankDeficiency() throws {
    let decomposition = try SingularValueDecomposition(DenseMatrix(rows: 3, columns: 2))
    #expect(decomposition.singularValues == [0, 0])
    #expect(decomposition.conditionNumber == .infinity)
    #expect(decomposition.rank(relativeCutoff: 0) == 0)
  }

  @Test func handlesEmptyMatrices() throws {
    let empty = DenseMatrix(rows: 2, columns: 0)
    let thin = try SingularValueDecomposition(empty)
    #expect(thin.singularValues.isEmpty)
    #expect(thin.left == DenseMatrix(rows: 2, columns: 0))
    #expect(thin.rightTransposed == DenseMatrix(rows: 0, columns: 0))
    #expect(thin.conditionNumber == 1)
    #expect(thin.rank(relativeCutoff: 0) == 0)
    #expect(try SingularValueDecomposition(empty, vectors: .full).left == .identity(2))
    #expect(try SingularValueDecomposition.singularValues(of: empty).isEmpty)
  }

  @Test func rejectsInvalidMatrices() {
    #expect(throws: LinearAlgebraError.notFinite(.matrix, row: 1, column: 0)) {
      try SingularValueDecomposition(DenseMatrix([[1, .infinity], [.nan, 1]]))
    }
    // Four elements of the greatest magnitude: the first value is twice that.
    let great = DenseMatrix(
      rows: 2, columns: 2, columnMajor: [Double](repeating: 0x1.8p1023, count: 4))
    #expect(throws: LinearAlgebraError.overflow) { try SingularValueDecomposition(great) }
    let tooLong = Int(Int32.max) + 1
    #expect(throws: LinearAlgebraError.tooLarge(dimension: tooLong)) {
      try SingularValueDecomposition(DenseMatrix(rows: tooLong, columns: 0), vectors: .full)
    }
  }
}
