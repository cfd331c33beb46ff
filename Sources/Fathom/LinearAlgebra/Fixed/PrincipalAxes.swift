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
    for _ in 0..<Self.maximumSweeps {
      var largest = 0.0
      for row in 0..<Order {
        for column in 0..<row {
          let element = rest[row, column]
          let scale = (rest[row, row].magnitude * rest[column, column].magnitude).squareRoot()
          guard element.magnitude > 0x1p-54 * scale, element.magnitude > .leastNormalMagnitude
          else { continue }
          largest = max(largest, element.magnitude)
          Self.rotate(&rest, &axes, row, column)
        }
      }
      if largest == 0 { break }
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
  static func rotate(
    _ rest: inout Matrix<Order, Order>, _ axes: inout Matrix<Order, Order>, _ p: Int, _ q: Int
  ) {
    // t = tan of the rotation angle, the smaller root of t² + 2 θ t - 1 = 0.
    let theta = (rest[q, q] - rest[p, p]) / (2 * rest[p, q])
    let root = (theta * theta + 1).squareRoot()
    let tangent = theta >= 0 ? 1 / (theta + root) : 1 / (theta - root)
    let cosine = 1 / (tangent * tangent + 1).squareRoot()
    let sine = tangent * cosine
    rest[p, p] -= tangent * rest[p, q]
    rest[q, q] += tangent * rest[p, q]
    rest[p, q] = 0
    rest[q, p] = 0
    for other in 0..<Order {
      if other != p, other != q {
        let first = rest[max(other, p), min(other, p)]
        let second = rest[max(other, q), min(other, q)]
        rest[max(other, p), min(other, p)] = cosine * first - sine * second
        rest[max(other, q), min(other, q)] = sine * first + cosine * second
      }
      let first = axes[p, other]
      let second = axes[q, other]
      axes[p, other] = cosine * first - sine * second
      axes[q, other] = sine * first + cosine * second
    }
  }
}
