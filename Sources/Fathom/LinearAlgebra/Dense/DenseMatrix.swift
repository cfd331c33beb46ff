/// A matrix whose shape is known only at run time, in LAPACK's column-major order.
///
/// For shapes that are known at compile time, up to about 12 x 12, use ``Matrix``, which allocates
/// nothing. A dense matrix stores its elements in one array, copied on write. Incompatible shapes
/// are programming errors and stop the program.
///
/// ## Edge cases
/// A matrix may have no rows or no columns. Elements may be NaN or infinite: arithmetic propagates
/// them according to IEEE 754, and every factorisation throws an error for them.
@frozen
public struct DenseMatrix: Sendable {
  /// The number of rows.
  public let rows: Int
  /// The number of columns.
  public let columns: Int
  /// The elements column by column; their number always equals rows times columns.
  @usableFromInline
  var elements: [Double]

  /// Creates a matrix of zeros.
  ///
  /// - Parameters:
  ///   - rows: The number of rows, not negative.
  ///   - columns: The number of columns, not negative.
  @inlinable
  public init(rows: Int, columns: Int) {
    precondition(rows >= 0 && columns >= 0, "a matrix cannot have a negative number of rows")
    self.rows = rows
    self.columns = columns
    elements = [Double](repeating: 0, count: rows * columns)
  }

  /// Creates a matrix of the given elements, first column first: element (row, column) is at `row +
  /// rows * column`.
  @inlinable
  public init(rows: Int, columns: Int, columnMajor elements: [Double]) {
    precondition(rows >= 0 && columns >= 0, "a matrix cannot have a negative number of rows")
    precondition(
      elements.count == rows * columns, "the number of elements differs from rows x columns")
    self.rows = rows
    self.columns = columns
    self.elements = elements
  }

  /// Creates a matrix of the given rows of equal length: `DenseMatrix([[1, 2], [3, 4]])`.
  ///
  /// An empty array gives the matrix without rows and columns.
  @inlinable
  public init(_ rows: [[Double]]) {
    self.init(rows: rows.count, columns: rows.first?.count ?? 0)
    for (row, values) in rows.enumerated() {
      precondition(values.count == columns, "rows differ in length")
      for (column, value) in values.enumerated() { self[row, column] = value }
    }
  }

  /// Creates the matrix whose only column is `column`.
  @inlinable
  public init(column: [Double]) {
    self.init(rows: column.count, columns: 1, columnMajor: column)
  }

  /// Returns the identity of the given order.
  @inlinable
  public static func identity(_ order: Int) -> DenseMatrix {
    var result = DenseMatrix(rows: order, columns: order)
    for index in 0..<order { result[index, index] = 1 }
    return result
  }

  /// The elements, first column first.
  @inlinable
  public var columnMajor: [Double] { elements }

  /// The element in `row` (in `0..<rows`) and `column` (in `0..<columns`).
  @inlinable
  public subscript(row: Int, column: Int) -> Double {
    get { elements[offset(row, column)] }
    set { elements[offset(row, column)] = newValue }
  }

  @inlinable
  func offset(_ row: Int, _ column: Int) -> Int {
    // The array's own bounds check misses a wrong row, which may lie in another column.
    precondition(row >= 0 && row < rows && column >= 0 && column < columns, "no such element")
    return row + rows * column
  }

  /// Returns the elements of the column at `index`, in a new array.
  @inlinable
  public func column(_ index: Int) -> [Double] {
    precondition(index >= 0 && index < columns, "no such column")
    return Array(elements[index * rows..<(index + 1) * rows])
  }

  /// Returns the elements of the row at `index`, in a new array.
  @inlinable
  public func row(_ index: Int) -> [Double] {
    precondition(index >= 0 && index < rows, "no such row")
    return (0..<columns).map { self[index, $0] }
  }

  /// Whether every element is finite.
  @inlinable
  public var isFinite: Bool { elements.allSatisfy { $0.isFinite } }

  /// Returns the transpose.
  public func transposed() -> DenseMatrix {
    var result = DenseMatrix(rows: columns, columns: rows)
    for column in 0..<columns {
      for row in 0..<rows {
        result.elements[column + columns * row] = elements[row + rows * column]
      }
    }
    return result
  }

  /// Returns the product with a matrix that has as many rows as this one has columns.
  ///
  /// Sums run in the order of the columns of `left`, so that the product is bitwise reproducible on
  /// every machine; BLAS does not guarantee this. 2 x rows x columns x columns operations;
  /// allocates the result.
  public static func * (left: DenseMatrix, right: DenseMatrix) -> DenseMatrix {
    precondition(left.columns == right.rows, "the shapes are incompatible")
    var result = DenseMatrix(rows: left.rows, columns: right.columns)
    let count = left.rows
    result.elements.withUnsafeMutableBufferPointer { sum in
      left.elements.withUnsafeBufferPointer { factor in
        for column in 0..<right.columns {
          for inner in 0..<left.columns {
            let scale = right.elements[inner + right.rows * column]
            for row in 0..<count {
              sum[row + count * column] += scale * factor[row + count * inner]
            }
          }
        }
      }
    }
    return result
  }
}

extension DenseMatrix: Equatable {
  /// Returns whether shapes and elements are equal as numbers (so `-0` equals `0`, and NaN equals
  /// nothing).
  @inlinable
  public static func == (left: DenseMatrix, right: DenseMatrix) -> Bool {
    // `==` of arrays returns true for identical storage without comparing elements, even with NaN.
    left.rows == right.rows && left.columns == right.columns
      && left.elements.elementsEqual(right.elements)
  }
}

extension DenseMatrix: CustomStringConvertible {
  /// The rows in brackets, printed like nested arrays.
  public var description: String { "\((0..<rows).map(row))" }
}
