/// The eigenvalues and orthonormal eigenvectors of a symmetric matrix of fixed shape.
///
/// Cyclic Jacobi rotations [Golub & Van Loan 2013, Alg. 8.5.3], for covariances and scatter
/// matrices up to about 6 x 6. No heap allocation. For larger matrices use
/// ``SymmetricEigendecomposition``.
@frozen
public struct PrincipalAxes<let Order: Int>: Sendable {
  /// The eigenvalues in descending order.
  public let values: Vector<Order>
  /// The eigenvectors, one per row, in the order of ``values``.
  public let axes: Matrix<Order, Order>

  /// Decomposes `matrix`, of which only the lower triangle is read; its elements must be finite.
  ///
  /// The error of the eigenvalues is about `Order` rounding units of the largest one.
  @inlinable
  public init(of matrix: Matrix<Order, Order>) {
    var rest = matrix
    var axes = Matrix<Order, Order>.identity
    rest.withMutableElements { rest in
      axes.withMutableElements { axes in
        for _ in 0..<Self.maximumSweeps {
          var isDiagonal = true
          for row in 0..<Order {
            for column in 0..<row {
              let element = rest[row * Order + column].magnitude
              let scale = (rest[row * Order + row] * rest[column * Order + column]).magnitude
                .squareRoot()
              guard element > 0x1p-54 * scale, element > .leastNormalMagnitude else { continue }
              isDiagonal = false
              Self.rotate(rest, axes, row, column)
            }
          }
          if isDiagonal { break }
        }
      }
    }
    var values = rest.diagonal
    for first in 0..<Order {
      var best = first
      for other in first..<Order where values[other] > values[best] { best = other }
      guard best != first else { continue }
      (values[first], values[best]) = (values[best], values[first])
      for column in 0..<Order {
        (axes[first, column], axes[best, column]) = (axes[best, column], axes[first, column])
      }
    }
    self.values = values
    self.axes = axes
  }

  /// The limit of sweeps: convergence is quadratic, and about six sweeps suffice.
  @usableFromInline
  static var maximumSweeps: Int { 30 }

  /// Rotates the plane of axes `p` > `q` so that the off-diagonal element between them becomes
  /// zero.
  @inlinable
  @inline(__always)
  static func rotate(
    _ rest: UnsafeMutablePointer<Double>, _ axes: UnsafeMutablePointer<Double>, _ p: Int, _ q: Int
  ) {
    let element = rest[p * Order + q]
    let (first, second) = (rest[p * Order + p], rest[q * Order + q])
    // t = tan of the rotation angle, the smaller root of t² + 2 θ t - 1 = 0.
    let theta = (second - first) / (2 * element)
    let root = (theta * theta + 1).squareRoot()
    let tangent = theta >= 0 ? 1 / (theta + root) : 1 / (theta - root)
    let cosine = 1 / (tangent * tangent + 1).squareRoot()
    let sine = tangent * cosine
    rest[p * Order + p] = first - tangent * element
    rest[q * Order + q] = second + tangent * element
    rest[p * Order + q] = 0
    for other in 0..<Order {
      if other != p, other != q {
        let place = other < p ? p * Order + other : other * Order + p
        let otherPlace = other < q ? q * Order + other : other * Order + q
        let (first, second) = (rest[place], rest[otherPlace])
        rest[place] = cosine * first - sine * second
        rest[otherPlace] = sine * first + cosine * second
      }
      let first = axes[p * Order + other]
      let second = axes[q * Order + other]
      axes[p * Order + other] = cosine * first - sine * second
      axes[q * Order + other] = sine * first + cosine * second
    }
  }
}
