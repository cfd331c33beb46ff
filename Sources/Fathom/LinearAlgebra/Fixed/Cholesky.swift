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
      lower.withMutableElements { lower in
        for column in 0..<Order {
          let above = column * Order
          var pivot = matrix[above + column]
          for inner in 0..<column { pivot -= lower[above + inner] * lower[above + inner] }
          guard pivot > 0, pivot.isFinite else { return false }
          let root = pivot.squareRoot()
          lower[above + column] = root
          for row in column + 1..<max(Order, column + 1) {
            var sum = matrix[row * Order + column]
            for inner in 0..<column { sum -= lower[row * Order + inner] * lower[above + inner] }
            lower[row * Order + column] = sum / root
          }
        }
        return true
      }
    }
    guard isPositive else { return nil }
    factor = lower
  }

  /// Returns the solution of L y = b.
  @inlinable
  public func forward(_ right: Vector<Order>) -> Vector<Order> {
    var result = right
    factor.withElements { factor in
      result.withMutableElements { result in
        for row in 0..<Order {
          var sum = result[row]
          for inner in 0..<row { sum -= factor[row * Order + inner] * result[inner] }
          result[row] = sum / factor[row * Order + row]
        }
      }
    }
    return result
  }

  /// Returns the solution of A x = b.
  @inlinable
  public func solve(_ right: Vector<Order>) -> Vector<Order> {
    var result = forward(right)
    factor.withElements { factor in
      result.withMutableElements { result in
        for step in 0..<Order {
          let row = Order - 1 - step
          var sum = result[row]
          for inner in row + 1..<max(Order, row + 1) {
            sum -= factor[inner * Order + row] * result[inner]
          }
          result[row] = sum / factor[row * Order + row]
        }
      }
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
