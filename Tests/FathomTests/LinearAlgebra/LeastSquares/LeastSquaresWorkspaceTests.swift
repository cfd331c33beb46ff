import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LeastSquaresWorkspaceTests {
  /// Solves many problems in one workspace and compares with the refined solutions.
  @Test func solutionsMatchLeastSquares() throws {
    var generator = SeededGenerator(seed: 1101)
    for (rows, columns) in [(8, 3), (7, 3), (3, 3), (20, 6), (1, 1), (50, 40)] {
      var workspace = try LeastSquaresWorkspace(rows: rows, columns: columns)
      for _ in 0..<20 {
        let elements = (0..<rows * columns).map { _ in generator.normal() }
        let matrix = DenseMatrix(rows: rows, columns: columns, columnMajor: elements)
        let side = (0..<rows).map { _ in generator.normal() }
        let right = try leastSquares(matrix, DenseMatrix(column: side), using: .qr)
        try workspace.solve(matrix, side)
        // The error of QR: the condition number times the precision, squared for large residuals.
        let bound = 1e-14 * right.conditionNumber * right.conditionNumber
        for column in 0..<columns {
          let expected = right.coefficients[column, 0]
          #expect(isClose(workspace[column], expected, within: bound), "seed 1101")
        }
      }
    }
  }

  @Test func rejectsInvalidShapesAndValues() throws {
    #expect(throws: LinearAlgebraError.underdetermined(rows: 2, columns: 3)) {
      _ = try LeastSquaresWorkspace(rows: 2, columns: 3)
    }
    #expect(throws: LinearAlgebraError.underdetermined(rows: 2, columns: 0)) {
      _ = try LeastSquaresWorkspace(rows: 2, columns: 0)
    }
    var workspace = try LeastSquaresWorkspace(rows: 3, columns: 2)
    let matrix = DenseMatrix([[1, 0], [0, 1], [1, 1]])
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 3, found: 2)) {
      try workspace.solve(DenseMatrix([[1, 0], [0, 1]]), [1, 2])
    }
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 2, found: 1)) {
      try workspace.solve(DenseMatrix([[1], [0], [1]]), [1, 2, 3])
    }
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 3, found: 4)) {
      try workspace.solve(matrix, [1, 2, 3, 4])
    }
    #expect(throws: LinearAlgebraError.notFinite(.rightHandSides, row: 1, column: 0)) {
      try workspace.solve(matrix, [1, .nan, 3])
    }
    #expect(throws: LinearAlgebraError.notFinite(.matrix, row: 2, column: 1)) {
      try workspace.solve(DenseMatrix([[1, 0], [0, 1], [1, .infinity]]), [1, 2, 3])
    }
    // A solvable problem after errors: x = (1, 2), exactly.
    try workspace.solve(matrix, [1, 2, 3])
    #expect(isClose(workspace[0], 1, within: 1e-15) && isClose(workspace[1], 2, within: 1e-15))
  }

  @Test func reportsDependentColumns() throws {
    var workspace = try LeastSquaresWorkspace(rows: 3, columns: 2)
    do {
      try workspace.solve(DenseMatrix([[1, 2], [2, 4], [3, 6]]), [1, 2, 3])
      Issue.record("the second column is twice the first")
    } catch {
      guard case .rankDeficient(rank: 1, required: 2, let condition) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(condition > 1e14)
    }
  }
}
