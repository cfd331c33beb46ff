/// A matrix of `Rows` x `Columns` numbers whose shape is part of its type.
///
/// The elements are stored inside the value, row by row. No operation allocates, and incompatible
/// shapes do not compile. Up to about 12 x 12 it is faster than a call of LAPACK; for larger shapes
/// use ``DenseMatrix``.
@frozen
public struct Matrix<let Rows: Int, let Columns: Int>: Sendable {
  @usableFromInline
  var rows: InlineArray<Rows, InlineArray<Columns, Double>>

  /// Creates a matrix of the given rows: `Matrix<2, 2>([[1, 2], [3, 4]])`.
  @inlinable
  public init(_ rows: InlineArray<Rows, InlineArray<Columns, Double>>) {
    self.rows = rows
  }

  /// Creates a matrix whose elements are all `value`.
  @inlinable
  public init(repeating value: Double) {
    rows = InlineArray(repeating: InlineArray(repeating: value))
  }

  /// Creates a matrix of the rows of `array`, or returns nil when its shape differs.
  @inlinable
  public init?(array: [[Double]]) {
    guard array.count == Rows, array.allSatisfy({ $0.count == Columns }) else { return nil }
    self.init(repeating: 0)
    for row in 0..<Rows {
      for column in 0..<Columns { rows[row][column] = array[row][column] }
    }
  }

  /// The matrix of zeros.
  @inlinable
  public static var zero: Self { Self(repeating: 0) }

  /// The element in `row` (in `0..<Rows`) and `column` (in `0..<Columns`).
  @inlinable
  public subscript(row: Int, column: Int) -> Double {
    get { rows[row][column] }
    set { rows[row][column] = newValue }
  }

  /// The elements, row by row, in new arrays.
  @inlinable
  public var array: [[Double]] {
    (0..<Rows).map { row in (0..<Columns).map { column in self[row, column] } }
  }

  /// Whether every element is finite.
  @inlinable
  public var isFinite: Bool {
    withElements { elements in
      for index in 0..<Rows * Columns where !elements[index].isFinite { return false }
      return true
    }
  }

  /// Returns the row at `index` as a vector.
  @inlinable
  public func row(_ index: Int) -> Vector<Columns> { Vector(rows[index]) }

  /// Returns the transpose.
  @inlinable
  public func transposed() -> Matrix<Columns, Rows> {
    var result = Matrix<Columns, Rows>.zero
    withElements { source in
      result.withMutableElements { target in
        for row in 0..<Rows {
          for column in 0..<Columns { target[column * Rows + row] = source[row * Columns + column] }
        }
      }
    }
    return result
  }

  /// Returns the product with a matrix.
  @inlinable
  public static func * <let Inner: Int>(
    left: Self, right: Matrix<Columns, Inner>
  ) -> Matrix<Rows, Inner> {
    var result = Matrix<Rows, Inner>.zero
    left.withElements { left in
      right.withElements { right in
        result.withMutableElements { target in
          for row in 0..<Rows {
            for inner in 0..<Columns {
              let factor = left[row * Columns + inner]
              for column in 0..<Inner {
                target[row * Inner + column] += factor * right[inner * Inner + column]
              }
            }
          }
        }
      }
    }
    return result
  }

  /// Returns the product with a column vector.
  @inlinable
  public static func * (left: Self, right: Vector<Columns>) -> Vector<Rows> {
    var result = Vector<Rows>.zero
    left.withElements { left in
      for row in 0..<Rows {
        var sum = 0.0
        for column in 0..<Columns { sum += left[row * Columns + column] * right[column] }
        result[row] = sum
      }
    }
    return result
  }

  /// Returns the product with the transpose of a matrix, without forming the transpose.
  @inlinable
  public func timesTransposed<let Others: Int>(
    _ other: Matrix<Others, Columns>
  ) -> Matrix<Rows, Others> {
    var result = Matrix<Rows, Others>.zero
    withElements { left in
      other.withElements { right in
        result.withMutableElements { target in
          for row in 0..<Rows {
            for column in 0..<Others {
              var sum = 0.0
              for inner in 0..<Columns {
                sum += left[row * Columns + inner] * right[column * Columns + inner]
              }
              target[row * Others + column] = sum
            }
          }
        }
      }
    }
    return result
  }

  /// Returns the elementwise sum.
  @inlinable
  public static func + (left: Self, right: Self) -> Self { left.combined(with: right, factor: 1) }

  /// Returns the elementwise difference.
  @inlinable
  public static func - (left: Self, right: Self) -> Self { left.combined(with: right, factor: -1) }

  /// Returns the matrix multiplied by a number.
  @inlinable
  public static func * (scale: Double, matrix: Self) -> Self {
    var result = matrix
    result.withMutableElements { target in
      for index in 0..<Rows * Columns { target[index] *= scale }
    }
    return result
  }

  /// Returns self + factor x other.
  @inlinable
  func combined(with other: Self, factor: Double) -> Self {
    var result = self
    result.withMutableElements { target in
      other.withElements { other in
        for index in 0..<Rows * Columns { target[index] += factor * other[index] }
      }
    }
    return result
  }
}

extension Matrix {
  /// Calls `body` with the elements, row by row.
  ///
  /// For kernels over whole matrices. Element access through nested inline arrays copies a row each
  /// time (Swift 6.3), which makes products ten to twenty times slower. The pointer has `Rows *
  /// Columns` elements and is valid during the call only.
  @inlinable
  @inline(__always)
  func withElements<Result>(_ body: (UnsafePointer<Double>) -> Result) -> Result {
    withUnsafePointer(to: rows) {
      body(UnsafeRawPointer($0).assumingMemoryBound(to: Double.self))
    }
  }

  /// Calls `body` with the elements, row by row, for writing; see ``withElements(_:)``.
  @inlinable
  @inline(__always)
  mutating func withMutableElements<Result>(
    _ body: (UnsafeMutablePointer<Double>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &rows) {
      body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: Double.self))
    }
  }
}

extension Matrix where Rows == Columns {
  /// The identity.
  @inlinable
  public static var identity: Self { diagonal(Vector(repeating: 1)) }

  /// Returns the matrix with `elements` on its diagonal and zeros elsewhere.
  @inlinable
  public static func diagonal(_ elements: Vector<Rows>) -> Self {
    var result = Self.zero
    for index in 0..<Rows { result[index, index] = elements[index] }
    return result
  }

  /// The diagonal.
  @inlinable
  public var diagonal: Vector<Rows> { Vector(InlineArray { self[$0, $0] }) }

  /// The sum of the diagonal.
  @inlinable
  public var trace: Double {
    var sum = 0.0
    for index in 0..<Rows { sum += self[index, index] }
    return sum
  }

  /// Returns the mean of the matrix and its transpose, exactly symmetric.
  @inlinable
  public func symmetrized() -> Self {
    var result = self
    result.withMutableElements { target in
      for row in 0..<Rows {
        for column in 0..<row {
          let mean = 0.5 * (target[row * Rows + column] + target[column * Rows + row])
          target[row * Rows + column] = mean
          target[column * Rows + row] = mean
        }
      }
    }
    return result
  }
}

extension Matrix: Equatable {
  /// Returns whether all elements are equal as numbers.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    for row in 0..<Rows {
      for column in 0..<Columns where left[row, column] != right[row, column] { return false }
    }
    return true
  }
}

extension Matrix: CustomStringConvertible {
  /// The rows in brackets, printed like nested arrays.
  public var description: String { "\(array)" }
}

extension Matrix<3, 3> {
  /// Creates a symmetric matrix from its upper triangle, of which `element` returns the numbers 0 to
  /// 5: xx, xy, xz, yy, yz, zz.
  package init<Failure: Error>(
    upperTriangle element: (Int) throws(Failure) -> Double
  ) throws(Failure) {
    self.init(repeating: 0)
    var place = 0
    for first in 0..<3 {
      for second in first..<3 {
        let value = try element(place)
        self[first, second] = value
        self[second, first] = value
        place += 1
      }
    }
  }
}
