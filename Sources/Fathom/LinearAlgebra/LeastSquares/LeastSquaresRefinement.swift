/// Iterative refinement of a least-squares solution.
///
/// QR methods leave an error of about κ² u times the residual, where u is the precision of a
/// `Double`. With a condition number κ of a few thousand and a large residual only six digits may
/// remain, and these depend on the summation order of BLAS. Each step evaluates the gradient g = Aᵀ
/// (b - A x) in effectively doubled precision and corrects x by the solution of Rᵀ R d = g (the
/// corrected semi-normal equations [Björck 1987]). Each step reduces the error by a factor of about
/// κ² u, until x is correct to almost the last digit.
struct LeastSquaresRefinement {
  /// The greatest condition number at which the steps certainly contract: κ² u is 2e-4 there.
  static let greatestConditionNumber = 1e6

  let rows: Int
  let columns: Int
  /// The matrix A in column-major order.
  let matrix: [Double]
  /// The triangular factor R of the column-permuted A, in the upper triangle of `rows` rows.
  let factor: [Double]
  /// The index in A of each column of R.
  let pivots: [Int]
  /// An upper bound of the condition number κ of A.
  let conditionNumber: Double

  /// Refines the solution for one right-hand side b: ``columns`` numbers of `solutions` from
  /// `first`.
  ///
  /// Takes one step when the solution has the usual accuracy of QR, and rarely more than three.
  func refine(
    _ solutions: inout [Double], from first: Int, rightHandSide: ArraySlice<Double>
  ) {
    precondition(first >= 0 && first + columns <= solutions.count)
    precondition(rightHandSide.count == rows && matrix.count == rows * columns)
    precondition(factor.count == rows * columns && pivots.count == columns && rows >= columns)
    solutions.withUnsafeMutableBufferPointer { solutions in
      withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * rows + 2 * columns) {
        workspace in
        rightHandSide.withUnsafeBufferPointer { side in
          matrix.withUnsafeBufferPointer { matrix in
            factor.withUnsafeBufferPointer { factor in
              guard let start = solutions.baseAddress, let base = workspace.baseAddress,
                let side = side.baseAddress, let matrix = matrix.baseAddress,
                let factor = factor.baseAddress
              else { return }
              correct(start + first, side, matrix, factor, base)
            }
          }
        }
      }
    }
  }

  /// Performs the refinement steps.
  ///
  /// `workspace` holds the residual and its rounding errors, ``rows`` numbers each, then the
  /// gradient and the correction, ``columns`` each.
  private func correct(
    _ solution: UnsafeMutablePointer<Double>, _ side: UnsafePointer<Double>,
    _ matrix: UnsafePointer<Double>, _ factor: UnsafePointer<Double>,
    _ workspace: UnsafeMutablePointer<Double>
  ) {
    let gradient = workspace + 2 * rows
    let correction = gradient + columns
    // The fraction of the error that remains after a step; κ² u is only its order of magnitude.
    let contraction = 8 * conditionNumber * conditionNumber * Double.ulpOfOne
    var previous = Double.infinity
    // Five steps reach the last digit from any solution that QR can leave.
    for _ in 0..<5 {
      setGradient(gradient, at: solution, side, matrix, workspace, workspace + rows)
      solve(gradient, factor, into: correction)
      var step = 0.0
      var isFinite = true
      for index in 0..<columns {
        isFinite = isFinite && correction[index].isFinite
        step = max(step, correction[index].magnitude)
      }
      // Stop when the steps no longer shrink or overflow.
      guard isFinite, step < 0.5 * previous else { break }
      var greatest = 0.0
      for index in 0..<columns {
        solution[index] += correction[index]
        greatest = max(greatest, solution[index].magnitude)
      }
      if step * contraction <= greatest * Double.ulpOfOne { break }
      previous = step
    }
  }

  /// Computes the gradient Aᵀ (b - A x) with sums and products in doubled precision.
  ///
  /// [Ogita, Rump & Oishi 2005, Sec. 5]
  private func setGradient(
    _ gradient: UnsafeMutablePointer<Double>, at solution: UnsafeMutablePointer<Double>,
    _ side: UnsafePointer<Double>, _ matrix: UnsafePointer<Double>,
    _ residual: UnsafeMutablePointer<Double>, _ lost: UnsafeMutablePointer<Double>
  ) {
    for row in 0..<rows {
      residual[row] = side[row]
      // The accumulated rounding error of `residual`.
      lost[row] = 0
    }
    for column in 0..<columns {
      let factor = -solution[column]
      let elements = matrix + rows * column
      for row in 0..<rows { lost[row] += Self.add(elements[row], factor, to: &residual[row]) }
    }
    for column in 0..<columns {
      let elements = matrix + rows * column
      var (sum, lostFromSum) = (0.0, 0.0)
      for row in 0..<rows {
        lostFromSum += Self.add(elements[row], residual[row], to: &sum)
        lostFromSum += elements[row] * lost[row]
      }
      gradient[column] = sum + lostFromSum
    }
  }

  /// Adds `left` times `right` to `sum` and returns the rounding error.
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

  /// Computes the solution of Rᵀ R d = g, in the column order of A; overwrites the gradient.
  private func solve(
    _ gradient: UnsafeMutablePointer<Double>, _ factor: UnsafePointer<Double>,
    into correction: UnsafeMutablePointer<Double>
  ) {
    for row in 0..<columns { correction[row] = gradient[pivots[row]] }
    for row in 0..<columns {
      var value = correction[row]
      for inner in 0..<row { value -= factor[inner + rows * row] * correction[inner] }
      correction[row] = value / factor[row + rows * row]
    }
    for row in (0..<columns).reversed() {
      var value = correction[row]
      for inner in row + 1..<max(columns, row + 1) {
        value -= factor[row + rows * inner] * correction[inner]
      }
      correction[row] = value / factor[row + rows * row]
    }
    for index in 0..<columns { gradient[pivots[index]] = correction[index] }
    for index in 0..<columns { correction[index] = gradient[index] }
  }
}
