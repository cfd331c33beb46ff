import CLAPACK

/// What the factors say about the rank and the condition of the matrix.
extension LeastSquaresProblem {
  /// The verdict on a matrix without rows or columns.
  static func verdictOnNothing(_ driver: LeastSquaresDriver) -> Verdict {
    Verdict(
      rank: 0, conditionNumber: 1, singularValues: driver == .singularValues ? [] : nil)
  }

  /// Throws `rankDeficient` where the triangular factor is singular to within `cutoff`.
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
    // The estimate in the 1-norm is the stricter one: where it alone says no, it is by one.
    throw .rankDeficient(
      rank: min(rank, order - 1), required: order, conditionNumber: 1 / reciprocal)
  }

  /// The reciprocal condition number, in the 1-norm, of the leading triangle of `matrix`.
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

  /// The same for a small upper triangle from its inverse, written out: exact, and cheaper than the
  /// estimate; nil where a number is beyond the range.
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

  /// The leading triangle of `matrix`, zeros elsewhere.
  private func leadingTriangle(_ triangle: clapack_triangle, order: Int) -> DenseMatrix {
    var result = DenseMatrix(rows: order, columns: order)
    for column in 0..<order {
      for row in triangle == clapack_upper ? 0..<column + 1 : column..<order {
        result[row, column] = matrix[row + rows * column]
      }
    }
    return result
  }

  /// The ratio of the first of `count` descending singular values to the last; 1 for none of them.
  static func ratio(_ values: [Double], count: Int) -> Double {
    if count == 0 { return 1 }
    return values[count - 1] > 0 ? values[0] / values[count - 1] : .infinity
  }
}
