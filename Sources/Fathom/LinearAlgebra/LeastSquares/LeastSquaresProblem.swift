import CLAPACK

/// The working copies of a least-squares problem, which LAPACK overwrites.
///
/// All elements are finite and all dimensions fit LAPACK's integers;
/// ``leastSquares(_:_:using:rank:)`` checks both.
struct LeastSquaresProblem {
  /// The rank and condition of the matrix, as a driver determined them.
  struct Verdict {
    var rank: Int
    var conditionNumber: Double
    var singularValues: [Double]?
  }

  let rows: Int
  let columns: Int
  /// At least one: LAPACK does not factor the matrix without a right-hand side.
  let sides: Int
  /// The distance between the columns of `solution`, which holds right-hand sides of `rows`
  /// elements before solving and solutions of `columns` elements after.
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

  /// Returns the solutions of the first `count` right-hand sides.
  func coefficients(count: Int) -> DenseMatrix {
    var result = DenseMatrix(rows: columns, columns: count)
    for side in 0..<count {
      for row in 0..<columns { result[row, side] = solution[row + stride * side] }
    }
    return result
  }

  /// Solves a problem with at least as many rows as columns, or throws `rankDeficient`.
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
        // Without a cut-off no direction is dropped, and the triangular factor is unchanged.
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

  /// Refines the solutions, given the problem before its factorisation.
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

  /// Solves any problem; only `qr` requires the greatest rank that the shape allows.
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
      // The retained part is orthogonally equivalent to the leading triangle.
      let reciprocal = rank == 0 ? 1 : try reciprocalCondition(clapack_upper, order: rank)
      return Verdict(rank: rank, conditionNumber: 1 / reciprocal, singularValues: nil)
    case .singularValues:
      return try callSingularValues(relativeCutoff: relativeCutoff)
    }
  }

  // MARK: Columns

  /// Scales the columns to lengths in 1..<2, by powers of two, and returns the factors.
  ///
  /// Columns of zeros are unchanged; columns shorter than the least normal number are scaled by the
  /// largest power of two.
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

  /// Returns 2 to the power of `exponent`, or the greatest power of two for larger exponents.
  private static func powerOfTwo(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: min(exponent, 1023), significand: 1)
  }
}

/// The LAPACK calls, which leave the factor in ``matrix`` and the solutions in ``solution``.
extension LeastSquaresProblem {
  /// Calls dgels; `judgeTriangle` later detects a zero on the diagonal of the factor.
  mutating func callQR() throws(LinearAlgebraError) {
    // The optimal size that a workspace query of dgels returns.
    let order = min(rows, columns)
    let size = order + max(order, sides) * (order > LAPACKBlock.length ? LAPACKBlock.length : 1)
    try withWorkspace(of: size) { work, size in
      clapack_dgels(
        Int32(rows), Int32(columns), Int32(sides), &matrix, Int32(rows), &solution, Int32(stride),
        work, size)
    }
  }

  /// Calls dgelsy; returns the rank and the original index of each column of the factor.
  mutating func callPivotedQR(
    relativeCutoff: Double
  ) throws(LinearAlgebraError) -> (rank: Int, pivots: [Int]) {
    var pivots = [Int32](repeating: 0, count: columns)
    var rank: Int32 = 0
    let order = min(rows, columns)
    let block = LAPACKBlock.length
    let size = max(
      order + 3 * columns + 1, order + 2 * columns + block * (columns + 1),
      2 * order + block * sides)
    try withWorkspace(of: size) { work, size in
      clapack_dgelsy(
        Int32(rows), Int32(columns), Int32(sides), &matrix, Int32(rows), &solution, Int32(stride),
        &pivots, relativeCutoff, &rank, work, size)
    }
    // LAPACK counts columns from 1.
    return (Int(rank), pivots.map { Int($0) - 1 })
  }

  /// Calls dgelsd.
  mutating func callSingularValues(
    relativeCutoff: Double
  ) throws(LinearAlgebraError) -> Verdict {
    var values = [Double](repeating: 0, count: min(rows, columns))
    var rank: Int32 = 0
    var integers: [Int32] = [0]
    let unsettled = try withLAPACKWorkspace { work, size in
      // The workspace query also returns the size of `integers`.
      if size > 0 { integers = [Int32](repeating: 0, count: max(1, Int(integers[0]))) }
      return clapack_dgelsd(
        Int32(rows), Int32(columns), Int32(sides), &matrix, Int32(rows), &solution, Int32(stride),
        &values, relativeCutoff, &rank, &work, size, &integers)
    }
    if unsettled > 0 { throw .noConvergence(count: unsettled) }
    return Verdict(
      rank: Int(rank), conditionNumber: Self.ratio(values, count: Int(rank)),
      singularValues: values)
  }
}

/// Rank and condition of the matrix from its factors.
extension LeastSquaresProblem {
  /// Returns the verdict on a matrix without rows or columns.
  static func verdictOnNothing(_ driver: LeastSquaresDriver) -> Verdict {
    Verdict(
      rank: 0, conditionNumber: 1, singularValues: driver == .singularValues ? [] : nil)
  }

  /// Throws `rankDeficient` when the triangular factor is singular to within `cutoff`.
  func judgeTriangle(
    _ triangle: clapack_triangle, order: Int, cutoff: Double
  ) throws(LinearAlgebraError) -> Verdict {
    let reciprocal = try reciprocalCondition(triangle, order: order)
    if reciprocal > cutoff {
      return Verdict(rank: order, conditionNumber: 1 / reciprocal, singularValues: nil)
    }
    let values = try SingularValueDecomposition.singularValues(
      of: leadingTriangle(triangle, order: order))
    let rank = values.count { $0 > cutoff * values[0] }
    // The 1-norm estimate is the stricter one: when it alone rejects, the rank is one too small.
    throw .rankDeficient(
      rank: min(rank, order - 1), required: order, conditionNumber: 1 / reciprocal)
  }

  /// Returns the reciprocal condition number, in the 1-norm, of the leading triangle of `matrix`.
  func reciprocalCondition(
    _ triangle: clapack_triangle, order: Int
  ) throws(LinearAlgebraError) -> Double {
    if triangle == clapack_upper, order <= 16, let exact = smallReciprocalCondition(order) {
      return exact
    }
    var reciprocal = 0.0
    var work = [Double](repeating: 0, count: 3 * order)
    var integers = [Int32](repeating: 0, count: order)
    try checkArguments(
      clapack_dtrcon(
        triangle, Int32(order), matrix, Int32(rows), &reciprocal, &work, &integers))
    return reciprocal
  }

  /// Returns the reciprocal condition number of a small upper triangle from its explicit inverse:
  /// exact, and cheaper than the estimate; nil on overflow.
  private func smallReciprocalCondition(_ order: Int) -> Double? {
    withUnsafeTemporaryAllocation(of: Double.self, capacity: order) { column in
      matrix.withUnsafeBufferPointer { factor in
        var (norm, inverseNorm) = (0.0, 0.0)
        for last in 0..<order {
          var sum = 0.0
          for row in 0...last { sum += factor[row + rows * last].magnitude }
          norm = max(norm, sum)
          let pivot = factor[last + rows * last]
          guard pivot != 0 else { return 0 }
          column[last] = 1 / pivot
          var inverseSum = column[last].magnitude
          for row in (0..<last).reversed() {
            var value = 0.0
            for inner in row + 1...last { value -= factor[row + rows * inner] * column[inner] }
            column[row] = value / factor[row + rows * row]
            inverseSum += column[row].magnitude
          }
          inverseNorm = max(inverseNorm, inverseSum)
        }
        let reciprocal = 1 / norm / inverseNorm
        return norm.isFinite && inverseNorm.isFinite && norm > 0 ? reciprocal : nil
      }
    }
  }

  /// Returns the leading triangle of `matrix` with zeros elsewhere.
  private func leadingTriangle(_ triangle: clapack_triangle, order: Int) -> DenseMatrix {
    var result = DenseMatrix(rows: order, columns: order)
    for column in 0..<order {
      for row in triangle == clapack_upper ? 0..<column + 1 : column..<order {
        result[row, column] = matrix[row + rows * column]
      }
    }
    return result
  }

  /// Returns the ratio of the first of `count` descending singular values to the last; 1 when
  /// `count` is 0.
  static func ratio(_ values: [Double], count: Int) -> Double {
    if count == 0 { return 1 }
    return values[count - 1] > 0 ? values[0] / values[count - 1] : .infinity
  }
}
