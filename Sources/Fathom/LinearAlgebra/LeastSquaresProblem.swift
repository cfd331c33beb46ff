import CLAPACK

/// The working copies of a least-squares problem, which LAPACK overwrites.
///
/// All elements are finite and all dimensions fit LAPACK's integers: the front door,
/// ``leastSquares(_:_:using:rank:)``, sees to that.
struct LeastSquaresProblem {
  /// What a driver found out about the matrix.
  struct Verdict {
    var rank: Int
    var conditionNumber: Double
    var singularValues: [Double]?
  }

  let rows: Int
  let columns: Int
  /// At least one: LAPACK does not look at the matrix where there is no right-hand side.
  let sides: Int
  /// The distance between the columns of `solution`, which holds right-hand sides of `rows`
  /// elements before and solutions of `columns` elements after.
  let stride: Int
  var matrix: [Double]
  var solution: [Double]

  init(_ matrix: DenseMatrix, _ rightHandSides: DenseMatrix) {
    rows = matrix.rows
    columns = matrix.columns
    sides = max(1, rightHandSides.columns)
    stride = max(1, rows, columns)
    self.matrix = matrix.elements
    solution = [Double](repeating: 0, count: stride * sides)
    for side in 0..<rightHandSides.columns {
      for row in 0..<rows { solution[row + stride * side] = rightHandSides[row, side] }
    }
  }

  /// The solutions of the first `count` right-hand sides.
  func coefficients(count: Int) -> DenseMatrix {
    var result = DenseMatrix(rows: columns, columns: count)
    for side in 0..<count {
      for row in 0..<columns { result[row, side] = solution[row + stride * side] }
    }
    return result
  }

  /// Solves where there are at least as many rows as columns, or throws `rankDeficient`.
  mutating func solveWithFullRank(
    _ driver: LeastSquaresDriver
  ) throws(LinearAlgebraError) -> Verdict {
    if columns == 0 { return Self.verdictOnNothing(driver) }
    let scales = equilibrate()
    let cutoff = max(16, Double(columns)) * Double.ulpOfOne
    let verdict: Verdict
    switch driver {
    case .qr, .pivotedQR:
      let (originalMatrix, originalSides) = (matrix, solution)
      var pivots = Array(0..<columns)
      if driver == .qr {
        try callQR()
      } else {
        // With no cut-off nothing is dropped, and the triangular factor stays as it is.
        pivots = try callPivotedQR(relativeCutoff: 0).pivots
      }
      verdict = try judgeTriangle(clapack_upper, order: columns, cutoff: cutoff)
      if verdict.conditionNumber <= LeastSquaresRefinement.greatestConditionNumber {
        refine(originalMatrix, originalSides, pivots, verdict.conditionNumber)
      }
    case .singularValues:
      verdict = try callSingularValues(relativeCutoff: cutoff)
      if verdict.rank < columns {
        throw .rankDeficient(
          rank: verdict.rank, required: columns,
          conditionNumber: Self.ratio(verdict.singularValues ?? [], count: columns))
      }
    }
    for side in 0..<sides {
      for row in 0..<columns { solution[row + stride * side] *= scales[row] }
    }
    return verdict
  }

  /// Corrects the solutions, given the problem before its factorisation.
  private mutating func refine(
    _ originalMatrix: [Double], _ originalSides: [Double], _ pivots: [Int],
    _ conditionNumber: Double
  ) {
    let refinement = LeastSquaresRefinement(
      rows: rows, columns: columns, matrix: originalMatrix, factor: matrix, pivots: pivots,
      conditionNumber: conditionNumber)
    for side in 0..<sides {
      let first = stride * side
      refinement.refine(
        &solution, from: first, rightHandSide: originalSides[first..<first + rows])
    }
  }

  /// Solves any problem; only `qr` needs the greatest rank that the shape allows.
  mutating func solveWithMinimumNorm(
    _ driver: LeastSquaresDriver, relativeCutoff: Double
  ) throws(LinearAlgebraError) -> Verdict {
    let order = min(rows, columns)
    if order == 0 {
      for index in solution.indices { solution[index] = 0 }
      return Self.verdictOnNothing(driver)
    }
    switch driver {
    case .qr:
      try callQR()
      return try judgeTriangle(
        rows < columns ? clapack_lower : clapack_upper, order: order, cutoff: relativeCutoff)
    case .pivotedQR:
      let rank = try callPivotedQR(relativeCutoff: relativeCutoff).rank
      // What was kept is orthogonally equivalent to the leading triangle.
      let reciprocal = rank == 0 ? 1 : try reciprocalCondition(clapack_upper, order: rank)
      return Verdict(rank: rank, conditionNumber: 1 / reciprocal, singularValues: nil)
    case .singularValues:
      return try callSingularValues(relativeCutoff: relativeCutoff)
    }
  }

  // MARK: Columns

  /// Scales the columns to lengths in 1..<2, by powers of two, and returns the factors.
  ///
  /// Columns of zeros stay; columns shorter than the least normal number come as close as a power
  /// of two can bring them.
  private mutating func equilibrate() -> [Double] {
    var scales = [Double](repeating: 1, count: columns)
    for column in 0..<columns {
      let range = rows * column..<rows * (column + 1)
      var largest = 0.0
      for index in range { largest = max(largest, matrix[index].magnitude) }
      if largest == 0 { continue }
      // The length in units of the largest element's power of two, which cannot overflow.
      let unit = Self.powerOfTwo(-Int(largest.exponent))
      var squares = 0.0
      for index in range { squares += (matrix[index] * unit) * (matrix[index] * unit) }
      let exponent = Int(squares.squareRoot().exponent) - Int(unit.exponent)
      scales[column] = Self.powerOfTwo(-exponent)
      for index in range { matrix[index] *= scales[column] }
    }
    return scales
  }

  /// 2 to the power of `exponent`, or the greatest power of two for exponents beyond.
  private static func powerOfTwo(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: min(exponent, 1023), significand: 1)
  }
}
