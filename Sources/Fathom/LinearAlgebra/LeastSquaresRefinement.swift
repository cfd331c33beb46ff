/// Iterative refinement of a least-squares solution.
///
/// QR methods leave an error of the order of κ² u times the residual, where u is the precision of a
/// `Double`: with a condition number κ of a few thousand and a large residual only six digits may
/// remain, and which ones depends on the order in which BLAS adds. Each step here evaluates the
/// gradient g = Aᵀ (b - A x) as if with twice the precision and corrects x by the solution of
/// Rᵀ R d = g (the corrected semi-normal equations [Björck 1987]). The error shrinks by a factor of
/// about κ² u per step, until x is right to nearly the last digit.
struct LeastSquaresRefinement {
  /// The greatest condition number for which the steps surely shrink: κ² u is 2e-4 there.
  static let greatestConditionNumber = 1e6

  let rows: Int
  let columns: Int
  /// The matrix A by columns.
  let matrix: [Double]
  /// The triangular factor R of A with its columns permuted, in the upper triangle of `rows` rows.
  let factor: [Double]
  /// The column of A that each column of R belongs to.
  let pivots: [Int]
  /// The condition number κ of A, or more.
  let conditionNumber: Double

  /// The solution for one right-hand side b, corrected from `start`.
  ///
  /// Takes one step where `start` has the digits that QR normally leaves, rarely more than three.
  func refined(_ start: ArraySlice<Double>, rightHandSide: ArraySlice<Double>) -> [Double] {
    var solution = Array(start)
    // What a step leaves of the error; κ² u is the order of magnitude only.
    let contraction = 8 * conditionNumber * conditionNumber * Double.ulpOfOne
    var previous = Double.infinity
    // Five steps reach the last digit from any start that QR can leave.
    for _ in 0..<5 {
      let correction = solve(gradient(at: solution, rightHandSide: rightHandSide))
      let step = correction.reduce(0) { max($0, $1.magnitude) }
      // No further where steps no longer shrink, or where a number is beyond the range.
      guard correction.allSatisfy({ $0.isFinite }), step < 0.5 * previous else { break }
      for index in solution.indices { solution[index] += correction[index] }
      let greatest = solution.reduce(0) { max($0, $1.magnitude) }
      if step * contraction <= greatest * Double.ulpOfOne { break }
      previous = step
    }
    return solution
  }

  /// The gradient Aᵀ (b - A x), sums and products carried to twice the precision.
  ///
  /// [Ogita, Rump & Oishi 2005, Sec. 5]
  private func gradient(at solution: [Double], rightHandSide: ArraySlice<Double>) -> [Double] {
    var residual = Array(rightHandSide)
    // What the rounding of `residual` has lost.
    var lost = [Double](repeating: 0, count: rows)
    var gradient = [Double](repeating: 0, count: columns)
    matrix.withUnsafeBufferPointer { matrix in
      residual.withUnsafeMutableBufferPointer { residual in
        lost.withUnsafeMutableBufferPointer { lost in
          for column in 0..<columns {
            let factor = -solution[column]
            for row in 0..<rows {
              lost[row] += Self.add(matrix[row + rows * column], factor, to: &residual[row])
            }
          }
          for column in 0..<columns {
            var lostFromSum = 0.0
            for row in 0..<rows {
              let element = matrix[row + rows * column]
              lostFromSum += Self.add(element, residual[row], to: &gradient[column])
              lostFromSum += element * lost[row]
            }
            gradient[column] += lostFromSum
          }
        }
      }
    }
    return gradient
  }

  /// Adds `left` times `right` to `sum` and returns what rounding has lost of it.
  private static func add(_ left: Double, _ right: Double, to sum: inout Double) -> Double {
    let product = left * right
    let lostFromProduct = (-product).addingProduct(left, right)
    let total = sum + product
    // [Knuth 1997, Sec. 4.2.2, Theorem B]
    let added = total - sum
    let lostFromTotal = (sum - (total - added)) + (product - added)
    sum = total
    return lostFromProduct + lostFromTotal
  }

  /// The solution of Rᵀ R d = g, in the order of the columns of A.
  private func solve(_ gradient: [Double]) -> [Double] {
    var result = pivots.map { gradient[$0] }
    for row in 0..<columns {
      for inner in 0..<row { result[row] -= factor[inner + rows * row] * result[inner] }
      result[row] /= factor[row + rows * row]
    }
    for row in (0..<columns).reversed() {
      for inner in row + 1..<max(columns, row + 1) {
        result[row] -= factor[row + rows * inner] * result[inner]
      }
      result[row] /= factor[row + rows * row]
    }
    var correction = result
    for (index, pivot) in pivots.enumerated() { correction[pivot] = result[index] }
    return correction
  }
}
