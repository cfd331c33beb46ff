import CLAPACK
import RealModule

/// The eigenvalues and, optionally, right eigenvectors of a general real matrix.
///
/// LAPACK's dgeev: reduction to Hessenberg form and implicit double-shift QR [Golub & Van Loan
/// 2013, Sec. 7.5]. For symmetric matrices ``SymmetricEigendecomposition`` is faster and more
/// accurate.
public struct Eigendecomposition: Sendable {
  /// A complex number.
  public struct Eigenvalue: Sendable, Hashable {
    /// The real part.
    public var real: Double
    /// The imaginary part; exactly zero for a real eigenvalue.
    public var imaginary: Double

    /// Creates a number with the given parts.
    public init(real: Double, imaginary: Double = 0) {
      self.real = real
      self.imaginary = imaginary
    }

    /// The absolute value.
    public var magnitude: Double { Double.hypot(real, imaginary) }
  }

  /// Complex eigenvectors, one column per eigenvalue, split into real and imaginary parts.
  public struct Eigenvectors: Sendable, Equatable {
    /// The real parts.
    public let real: DenseMatrix
    /// The imaginary parts; zero in the column of a real eigenvalue.
    public let imaginary: DenseMatrix
  }

  /// The eigenvalues in no particular order, except that complex ones are adjacent conjugate pairs
  /// with the positive imaginary part first.
  public let eigenvalues: [Eigenvalue]
  /// The right eigenvectors, of Euclidean length 1 with a real largest element, in the order of the
  /// eigenvalues; nil when not requested.
  public let eigenvectors: Eigenvectors?

  /// Decomposes `matrix`.
  ///
  /// A defective matrix gives eigenvectors that coincide to within rounding. About 10 x order³
  /// operations, 25 x order³ with vectors; allocates the vectors and workspace.
  ///
  /// - Parameters:
  ///   - matrix: A square matrix.
  ///   - vectors: Whether to compute the eigenvectors as well.
  /// - Throws: `dimensionMismatch` when the matrix is not square; `tooLarge`; `notFinite` for a NaN
  ///   or infinite element; `noConvergence`; `overflow` when an eigenvalue exceeds the range of
  ///   `Double`.
  public init(_ matrix: DenseMatrix, vectors: Bool = false) throws(LinearAlgebraError) {
    try matrix.requireSquare()
    let order = matrix.rows
    let count = try lapackInteger(order)
    try matrix.requireFinite()
    var elements = matrix.elements
    var real = [Double](repeating: 0, count: order)
    var imaginary = real
    // LAPACK requires storage for the vectors even when it does not compute them.
    var packed = DenseMatrix(rows: vectors ? order : 1, columns: vectors ? order : 1)
    let unsettled = try withLAPACKWorkspace { work, size in
      clapack_dgeev(
        vectors ? 1 : 0, count, &elements, max(1, count), &real, &imaginary, &packed.elements,
        vectors ? max(1, count) : 1, &work, size)
    }
    if unsettled > 0 { throw .noConvergence(count: unsettled) }
    eigenvalues = zip(real, imaginary).map { Eigenvalue(real: $0, imaginary: $1) }
    guard eigenvalues.allSatisfy({ $0.real.isFinite && $0.imaginary.isFinite }) else {
      throw .overflow
    }
    eigenvectors = vectors ? Self.unpack(packed, imaginary) : nil
  }

  /// Splits LAPACK's columns: a conjugate pair stores the real and the imaginary part of the first
  /// eigenvector.
  private static func unpack(_ packed: DenseMatrix, _ imaginary: [Double]) -> Eigenvectors {
    var parts = (real: packed, imaginary: DenseMatrix(rows: packed.rows, columns: packed.columns))
    for first in imaginary.indices where imaginary[first] > 0 {
      for row in 0..<packed.rows {
        let part = packed[row, first + 1]
        parts.real[row, first + 1] = packed[row, first]
        parts.imaginary[row, first] = part
        parts.imaginary[row, first + 1] = -part
      }
    }
    return Eigenvectors(real: parts.real, imaginary: parts.imaginary)
  }
}

/// The eigenvalues and orthonormal eigenvectors of a symmetric matrix of run-time size.
///
/// LAPACK's dsyev: tridiagonal reduction and implicit QL or QR [Golub & Van Loan 2013, Sec. 8.3].
public struct SymmetricEigendecomposition: Sendable {
  /// The eigenvalues in ascending order.
  public let eigenvalues: [Double]
  /// The orthonormal eigenvectors, one column per eigenvalue.
  public let eigenvectors: DenseMatrix

  /// Decomposes `matrix`, of which only the lower triangle is read.
  ///
  /// The signs of the vectors are arbitrary. The vectors of a repeated eigenvalue are one of many
  /// bases of its eigenspace. About 9 x order³ operations; allocates the vectors and workspace.
  ///
  /// - Throws: `dimensionMismatch` when the matrix is not square; `tooLarge`; `notFinite` for a NaN
  ///   or infinite element of the lower triangle; `noConvergence`; `overflow` when an eigenvalue
  ///   exceeds the range of `Double`.
  public init(_ matrix: DenseMatrix) throws(LinearAlgebraError) {
    try matrix.requireSquare()
    let order = matrix.rows
    let count = try lapackInteger(order)
    var lower = try matrix.lowerTriangle()
    var values = [Double](repeating: 0, count: order)
    let unsettled = try withLAPACKWorkspace { work, size in
      clapack_dsyev(count, &lower.elements, max(1, count), &values, &work, size)
    }
    if unsettled > 0 { throw .noConvergence(count: unsettled) }
    guard values.allSatisfy({ $0.isFinite }) else { throw .overflow }
    eigenvalues = values
    eigenvectors = lower
  }
}
