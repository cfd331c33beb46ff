import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LeastSquaresTests {
  /// The residual of every right-hand side is orthogonal to every column.
  @Test(arguments: [UInt64](1...20), LeastSquaresDriver.allCases)
  func residualsAreOrthogonalToColumns(_ seed: UInt64, _ driver: LeastSquaresDriver) throws {
    var generator = SeededGenerator(seed: seed)
    let columns = Int.random(in: 1...8, using: &generator)
    let rows = columns + Int.random(in: 0...20, using: &generator)
    let sides = Int.random(in: 1...5, using: &generator)
    let matrix = DenseMatrix.random(rows, columns, using: &generator)
    let right = DenseMatrix.random(rows, sides, using: &generator)
    let solution = try leastSquares(matrix, right, using: driver)
    #expect(solution.rank == columns)
    #expect(solution.conditionNumber >= 1)
    #expect((solution.singularValues != nil) == (driver == .singularValues))

    let fitted = matrix * solution.coefficients
    let residuals = DenseMatrix(
      rows: rows, columns: sides, columnMajor: zip(right.columnMajor, fitted.columnMajor).map(-))
    // Rounding of the fitted values grows with the coefficients.
    let rounding = 1e-14 * (1 + solution.coefficients.greatestMagnitude)
    #expect((matrix.transposed() * residuals).greatestMagnitude < 10 * rounding * Double(rows))
    for side in 0..<sides {
      let sum = residuals.column(side).reduce(0) { $0 + $1 * $1 }
      #expect(isClose(solution.residualSumsOfSquares[side], sum, within: 1e-12 * (sum + rounding)))
      let alone = try leastSquares(
        matrix, DenseMatrix(column: right.column(side)), using: driver)
      #expect(
        alone.coefficients.distance(to: DenseMatrix(column: solution.coefficients.column(side)))
          < rounding * solution.conditionNumber)
    }
  }

  @Test(arguments: LeastSquaresDriver.allCases)
  func fitsLineThroughThreePoints(_ driver: LeastSquaresDriver) throws {
    // Through (0, 1), (1, 3), (2, 4): slope 3/2, intercept 7/6; the residuals are -1/6, 1/3, -1/6.
    let solution = try leastSquares(
      DenseMatrix([[1, 0], [1, 1], [1, 2]]), DenseMatrix(column: [1, 3, 4]), using: driver)
    #expect(isClose(solution.coefficients[0, 0], 7.0 / 6, within: 1e-14))
    #expect(isClose(solution.coefficients[1, 0], 1.5, within: 1e-14))
    #expect(isClose(solution.residualSumsOfSquares[0], 1.0 / 6, within: 1e-14))
  }

  /// The same columns in other units give the same solution in those units, bitwise for powers of
  /// two.
  @Test(arguments: LeastSquaresDriver.allCases)
  func isIndependentOfColumnUnits(_ driver: LeastSquaresDriver) throws {
    var generator = SeededGenerator(seed: 5)
    let matrix = DenseMatrix.random(9, 3, using: &generator)
    let right = DenseMatrix.random(9, 1, using: &generator)
    let factors = [0x1p-400, 1, 0x1p500]
    let solution = try leastSquares(matrix, right, using: driver)
    let scaled = try leastSquares(matrix * .diagonal(factors), right, using: driver)
    #expect(.diagonal(factors) * scaled.coefficients == solution.coefficients)
    #expect(scaled.conditionNumber == solution.conditionNumber)
  }

  @Test(arguments: [UInt64](1...30), LeastSquaresDriver.allCases)
  func rejectsDependentColumns(_ seed: UInt64, _ driver: LeastSquaresDriver) throws {
    var generator = SeededGenerator(seed: seed)
    let rank = Int.random(in: 1...5, using: &generator)
    let columns = rank + Int.random(in: 1...3, using: &generator)
    let rows = columns + Int.random(in: 0...40, using: &generator)
    let matrix =
      DenseMatrix.random(rows, rank, using: &generator)
      * DenseMatrix.random(rank, columns, using: &generator)
    let right = DenseMatrix.random(rows, 1, using: &generator)
    do {
      _ = try leastSquares(matrix, right, using: driver)
      Issue.record("seed \(seed): solved in spite of rank \(rank) of \(columns)")
    } catch .rankDeficient(let found, let required, let conditionNumber) {
      #expect(found == rank)
      #expect(required == columns)
      #expect(conditionNumber > 1e14)
    }
  }

  @Test(arguments: LeastSquaresDriver.allCases)
  func rejectsZeroColumns(_ driver: LeastSquaresDriver) {
    #expect(
      throws: LinearAlgebraError.rankDeficient(
        rank: 1, required: 2, conditionNumber: .infinity)
    ) {
      try leastSquares(
        DenseMatrix([[1, 0], [1, 0], [1, 0]]), DenseMatrix(column: [1, 2, 3]), using: driver)
    }
    #expect(
      throws: LinearAlgebraError.rankDeficient(
        rank: 0, required: 2, conditionNumber: .infinity)
    ) {
      try leastSquares(
        DenseMatrix(rows: 2, columns: 2), DenseMatrix(column: [1, 2]), using: driver)
    }
  }

  /// Ill-conditioned, but not to working precision: no cut-off may apply.
  @Test(arguments: LeastSquaresDriver.allCases)
  func solvesNearlyDependentColumns(_ driver: LeastSquaresDriver) throws {
    // The columns (1, 1, 1) and (1, 1, 1 + d), with d = 2⁻⁴⁰, and b = 2 a1 + 3 a2 are exact. The
    // solution is (2, 3) to about 2⁻⁵² 2⁴⁰.
    let d = 0x1p-40
    let solution = try leastSquares(
      DenseMatrix([[1, 1], [1, 1], [1, 1 + d]]), DenseMatrix(column: [5, 5, 5 + 3 * d]),
      using: driver)
    #expect(solution.conditionNumber > 1e12)
    #expect(isClose(solution.coefficients[0, 0], 2, within: 0.02))
    #expect(isClose(solution.coefficients[1, 0], 3, within: 0.02))
    #expect(solution.residualSumsOfSquares[0] < 1e-28)
  }

  // MARK: Minimum norm

  @Test(
    arguments: [UInt64](1...20), [LeastSquaresDriver.pivotedQR, .singularValues])
  func minimumNormSolutionIsShortest(_ seed: UInt64, _ driver: LeastSquaresDriver) throws {
    var generator = SeededGenerator(seed: seed)
    let rank = Int.random(in: 1...4, using: &generator)
    let rows = rank + Int.random(in: 0...4, using: &generator)
    let columns = rank + Int.random(in: 0...4, using: &generator)
    let matrix =
      DenseMatrix.random(rows, rank, using: &generator)
      * DenseMatrix.random(rank, columns, using: &generator)
    let right = DenseMatrix.random(rows, 2, using: &generator)
    let solution = try leastSquares(
      matrix, right, using: driver, rank: .minimumNorm(relativeCutoff: 1e-10))
    #expect(solution.rank == rank)

    // The pseudo-inverse from the decomposition: x = V S⁻¹ Uᵀ b over the nonzero values.
    let parts = try SingularValueDecomposition(matrix)
    var inverses = [Double](repeating: 0, count: parts.singularValues.count)
    for index in 0..<rank { inverses[index] = 1 / parts.singularValues[index] }
    let expected =
      parts.rightTransposed.transposed() * .diagonal(inverses) * parts.left.transposed() * right
    #expect(
      solution.coefficients.distance(to: expected)
        < 1e-13 * solution.conditionNumber * (1 + expected.greatestMagnitude))
    let ratio = parts.singularValues[0] / parts.singularValues[rank - 1]
    if driver == .singularValues {
      #expect(isClose(solution.conditionNumber, ratio, within: 1e-10 * ratio))
    } else {
      // The norms differ by at most the order, the estimate by slightly more.
      #expect(solution.conditionNumber >= ratio / Double(3 * rank))
      #expect(solution.conditionNumber <= ratio * Double(rank) * 1.001)
    }
  }

  @Test(arguments: LeastSquaresDriver.allCases)
  func solvesUnderdeterminedProblem(_ driver: LeastSquaresDriver) throws {
    // x + 2 y + 2 z = 18: the nearest point of the plane to the origin is (2, 4, 4).
    let solution = try leastSquares(
      DenseMatrix([[1, 2, 2]]), DenseMatrix([[18]]), using: driver,
      rank: .minimumNorm(relativeCutoff: 1e-12))
    #expect(solution.coefficients.distance(to: DenseMatrix(column: [2, 4, 4])) < 1e-14)
    #expect(solution.rank == 1)
    #expect(solution.residualSumsOfSquares[0] < 1e-28)
    #expect(throws: LinearAlgebraError.underdetermined(rows: 1, columns: 3)) {
      try leastSquares(DenseMatrix([[1, 2, 2]]), DenseMatrix([[18]]), using: driver)
    }
  }

  @Test func unpivotedQRRejectsRankDeficiency() {
    let twins = DenseMatrix([[1, 2], [1, 2], [1, 2]])
    for matrix in [twins, twins.transposed()] {
      do {
        _ = try leastSquares(
          matrix, DenseMatrix(rows: matrix.rows, columns: 1), using: .qr,
          rank: .minimumNorm(relativeCutoff: 0))
        Issue.record("solved in spite of rank 1")
      } catch .rankDeficient(let rank, let required, _) {
        #expect(rank == 1)
        #expect(required == 2)
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test(arguments: [LeastSquaresDriver.pivotedQR, .singularValues])
  func solvesZeroMatrix(_ driver: LeastSquaresDriver) throws {
    let solution = try leastSquares(
      DenseMatrix(rows: 3, columns: 2), DenseMatrix(column: [1, 2, 2]), using: driver,
      rank: .minimumNorm(relativeCutoff: 0))
    #expect(solution.coefficients == DenseMatrix(rows: 2, columns: 1))
    #expect(solution.rank == 0)
    #expect(solution.conditionNumber == 1)
    #expect(solution.residualSumsOfSquares == [9])
  }

  // MARK: Shapes and errors

  @Test(arguments: LeastSquaresDriver.allCases)
  func solvesEmptyProblems(_ driver: LeastSquaresDriver) throws {
    let none = try leastSquares(
      DenseMatrix(rows: 2, columns: 0), DenseMatrix(column: [3, 4]), using: driver)
    #expect(none.coefficients == DenseMatrix(rows: 0, columns: 1))
    #expect(none.rank == 0)
    #expect(none.singularValues == (driver == .singularValues ? [] : nil))
    #expect(none.residualSumsOfSquares == [25])

    let unasked = try leastSquares(
      .identity(2), DenseMatrix(rows: 2, columns: 0), using: driver)
    #expect(unasked.coefficients == DenseMatrix(rows: 2, columns: 0))
    #expect(unasked.rank == 2)
    #expect(unasked.residualSumsOfSquares.isEmpty)
    #expect(throws: LinearAlgebraError.self) {
      try leastSquares(
        DenseMatrix([[1, 1], [1, 1]]), DenseMatrix(rows: 2, columns: 0), using: driver)
    }

    let free = try leastSquares(
      DenseMatrix(rows: 0, columns: 2), DenseMatrix(rows: 0, columns: 3), using: driver,
      rank: .minimumNorm(relativeCutoff: 1e-12))
    #expect(free.coefficients == DenseMatrix(rows: 2, columns: 3))
    #expect(free.residualSumsOfSquares == [0, 0, 0])
    #expect(free.singularValues == none.singularValues)
  }

  @Test(arguments: LeastSquaresDriver.allCases, [Double.nan, .infinity, -.infinity])
  func rejectsNonFiniteElements(_ driver: LeastSquaresDriver, _ value: Double) {
    var matrix = DenseMatrix.identity(3)
    var right = DenseMatrix(rows: 3, columns: 2)
    right[2, 1] = value
    #expect(throws: LinearAlgebraError.notFinite(.rightHandSides, row: 2, column: 1)) {
      try leastSquares(matrix, right, using: driver)
    }
    matrix[1, 0] = value
    #expect(throws: LinearAlgebraError.notFinite(.matrix, row: 1, column: 0)) {
      try leastSquares(matrix, right, using: driver)
    }
  }

  @Test func rejectsIncompatibleShapes() {
    #expect(throws: LinearAlgebraError.dimensionMismatch(expected: 2, found: 3)) {
      try leastSquares(.identity(2), DenseMatrix(rows: 3, columns: 1))
    }
    let tooMany = Int(Int32.max) + 1
    #expect(throws: LinearAlgebraError.tooLarge(dimension: tooMany)) {
      try leastSquares(DenseMatrix(rows: 0, columns: tooMany), DenseMatrix(rows: 0, columns: 1))
    }
  }

  @Test(arguments: LeastSquaresDriver.allCases)
  func solvesExtremeMagnitudes(_ driver: LeastSquaresDriver) throws {
    // The squares of the elements and their sums overflow.
    let great = try leastSquares(
      DenseMatrix([[1e308, 0], [1e308, 1e-100], [1e308, 0]]),
      DenseMatrix(column: [2e200, 5e200, 2e200]), using: driver)
    // 1e308 x = 2e200 and 1e308 x + 1e-100 y = 5e200
    #expect(isClose(great.coefficients[0, 0], 2e-108, within: 1e-121))
    #expect(isClose(great.coefficients[1, 0], 3e300, within: 1e287))
    #expect(throws: LinearAlgebraError.overflow) {
      try leastSquares(DenseMatrix([[1e-200]]), DenseMatrix([[1e200]]), using: driver)
    }
  }
}
