/// The Cholesky factor L of a symmetric positive definite matrix A = L Lᵀ of fixed shape.
///
/// [Golub & Van Loan 2013, Alg. 4.2.1]. Only the lower triangle of the input is read. Order³/3
/// operations, no heap allocation.
@frozen
public struct Cholesky<let Order: Int>: Sendable {
  /// The factor L; zero above the diagonal.
  public let factor: Matrix<Order, Order>

  /// Factors `matrix`, or returns nil when it is not positive definite to working precision: a
  /// pivot is zero, negative or not finite.
  @inlinable
  public init?(_ matrix: Matrix<Order, Order>) {
    var lower = Matrix<Order, Order>.zero
    let isPositive = matrix.withElements { matrix in
      lower.withMutableElements { CholeskyLoops.factor(matrix, into: $0, Order) }
    }
    guard isPositive else { return nil }
    factor = lower
  }

  /// Returns the solution of L y = b.
  @inlinable
  public func forward(_ right: Vector<Order>) -> Vector<Order> {
    var result = right
    factor.withElements { factor in
      result.withMutableElements { CholeskyLoops.forward(factor, $0, Order) }
    }
    return result
  }

  /// Returns the solution of A x = b.
  @inlinable
  public func solve(_ right: Vector<Order>) -> Vector<Order> {
    var result = forward(right)
    factor.withElements { factor in
      result.withMutableElements { CholeskyLoops.backward(factor, $0, Order) }
    }
    return result
  }

  /// Returns the inverse of A, exactly symmetric.
  @inlinable
  public func inverse() -> Matrix<Order, Order> {
    var result = Matrix<Order, Order>.zero
    for column in 0..<Order {
      var unit = Vector<Order>.zero
      unit[column] = 1
      let solution = solve(unit)
      for row in 0..<Order { result[row, column] = solution[row] }
    }
    return result.symmetrized()
  }

  /// The square root of the determinant of A: the product of the pivots of L.
  @inlinable
  public var rootOfDeterminant: Double {
    var product = 1.0
    for index in 0..<Order { product *= factor[index, index] }
    return product
  }
}

/// The loops of Cholesky factorisations, for square matrices of which the lower triangle is stored
/// row by row.
///
/// They serve orders that are known at compile time, for which the compiler unrolls them, and small
/// orders of run time, for which the overhead of a call of LAPACK would dominate. The pointers have
/// `order`² and `order` elements.
@usableFromInline
enum CholeskyLoops {
  /// Writes L into a lower triangle, which may be that of A; returns false when A is not positive definite
  /// to working precision.
  @inlinable
  @inline(__always)
  static func factor(
    _ a: UnsafePointer<Double>, into lower: UnsafeMutablePointer<Double>, _ order: Int
  ) -> Bool {
    for column in 0..<order {
      let above = column * order
      var pivot = a[above + column]
      for inner in 0..<column { pivot -= lower[above + inner] * lower[above + inner] }
      guard pivot > 0, pivot.isFinite else { return false }
      let root = pivot.squareRoot()
      lower[above + column] = root
      for row in column + 1..<max(order, column + 1) {
        var sum = a[row * order + column]
        for inner in 0..<column { sum -= lower[row * order + inner] * lower[above + inner] }
        lower[row * order + column] = sum / root
      }
    }
    return true
  }

  /// Overwrites b with the solution of L y = b.
  @inlinable
  @inline(__always)
  static func forward(
    _ factor: UnsafePointer<Double>, _ b: UnsafeMutablePointer<Double>, _ order: Int
  ) {
    for row in 0..<order {
      var sum = b[row]
      for inner in 0..<row { sum -= factor[row * order + inner] * b[inner] }
      b[row] = sum / factor[row * order + row]
    }
  }

  /// Overwrites y with the solution of Lᵀ x = y.
  @inlinable
  @inline(__always)
  static func backward(
    _ factor: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ order: Int
  ) {
    for step in 0..<order {
      let row = order - 1 - step
      var sum = y[row]
      for inner in row + 1..<max(order, row + 1) { sum -= factor[inner * order + row] * y[inner] }
      y[row] = sum / factor[row * order + row]
    }
  }
}

extension Matrix where Rows == Columns {
  /// Returns the solution of A x = b for a symmetric matrix, of which only the lower triangle is
  /// read, or nil if it is not positive definite to working precision.
  ///
  /// The factors are L D Lᵀ with a unit diagonal of L, which needs no roots: half the latency of
  /// ``Cholesky``, for a single right-hand side. No heap allocation.
  @inline(__always)
  func solution(of right: Vector<Rows>) -> Vector<Rows>? {
    var (result, inverses) = (right, Vector<Rows>.zero)
    // L below the diagonal, L D above it.
    var work = self
    let isPositive = work.withMutableElements { a in
      result.withMutableElements { x in
        inverses.withMutableElements { inverse in
          for row in 0..<Rows {
            var pivot = a[row * Rows + row]
            for column in 0..<row {
              var sum = a[row * Rows + column]
              for inner in 0..<column {
                sum -= a[row * Rows + inner] * a[inner * Rows + column]
              }
              a[column * Rows + row] = sum
              a[row * Rows + column] = sum * inverse[column]
              pivot -= a[row * Rows + column] * sum
              x[row] -= a[row * Rows + column] * x[column]
            }
            guard pivot > 0, pivot.isFinite else { return false }
            inverse[row] = 1 / pivot
          }
          for step in 0..<Rows {
            let row = Rows - 1 - step
            x[row] *= inverse[row]
            for inner in row + 1..<max(Rows, row + 1) { x[row] -= a[inner * Rows + row] * x[inner] }
          }
          return true
        }
      }
    }
    return isPositive ? result : nil
  }
}
