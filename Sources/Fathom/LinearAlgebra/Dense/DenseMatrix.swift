/// A matrix whose shape is known at run time only, stored by columns as LAPACK wants it.
///
/// For shapes that the source code fixes, up to about 12 x 12, use ``Matrix``: it allocates nothing.
/// A dense matrix keeps its elements in one array, copied on write. Shapes that do not fit are
/// programming errors and stop the program.
///
/// ## Edge cases
/// A matrix may have no rows or no columns. Elements may be NaN or infinite; arithmetic carries them
/// along as IEEE 754 says, and every factorisation refuses them with an error.
@frozen
public struct DenseMatrix: Sendable {
  /// The number of rows.
  public let rows: Int
  /// The number of columns.
  public let columns: Int
  /// The elements column by column; never of another length than rows times columns.
  @usableFromInline
  var elements: [Double]

  /// The matrix of zeros.
  ///
  /// - Parameters:
  ///   - rows: the number of rows, not negative.
  ///   - columns: the number of columns, not negative.
  @inlinable
  public init(rows: Int, columns: Int) {
    precondition(rows >= 0 && columns >= 0, "a matrix cannot have a negative number of rows")
    self.rows = rows
    self.columns = columns
    elements = [Double](repeating: 0, count: rows * columns)
  }

  /// The matrix of the given elements, first column first: element (row, column) is at
  /// `row + rows * column`.
  @inlinable
  public init(rows: Int, columns: Int, columnMajor elements: [Double]) {
    precondition(rows >= 0 && columns >= 0, "a matrix cannot have a negative number of rows")
    precondition(elements.count == rows * columns, "the number of elements is not the shape's")
    self.rows = rows
    self.columns = columns
    self.elements = elements
  }

  /// The matrix of the given rows, equally long: `DenseMatrix([[1, 2], [3, 4]])`.
  ///
  /// No rows give the matrix without rows and columns.
  @inlinable
  public init(_ rows: [[Double]]) {
    self.init(rows: rows.count, columns: rows.first?.count ?? 0)
    for (row, values) in rows.enumerated() {
      precondition(values.count == columns, "rows differ in length")
      for (column, value) in values.enumerated() { self[row, column] = value }
    }
  }

  /// The matrix whose only column is `column`.
  @inlinable
  public init(column: [Double]) {
    self.init(rows: column.count, columns: 1, columnMajor: column)
  }

  /// The identity of the given order.
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
    // The array checks its own bounds, which a wrong row can meet in another column.
    precondition(row >= 0 && row < rows && column >= 0 && column < columns, "no such element")
    return row + rows * column
  }

  /// The elements of the column at `index`, in a new array.
  @inlinable
  public func column(_ index: Int) -> [Double] {
    precondition(index >= 0 && index < columns, "no such column")
    return Array(elements[index * rows..<(index + 1) * rows])
  }

  /// The elements of the row at `index`, in a new array.
  @inlinable
  public func row(_ index: Int) -> [Double] {
    precondition(index >= 0 && index < rows, "no such row")
    return (0..<columns).map { self[index, $0] }
  }

  /// Whether every element is finite.
  @inlinable
  public var isFinite: Bool { elements.allSatisfy { $0.isFinite } }

  /// The matrix with rows and columns exchanged.
  public func transposed() -> DenseMatrix {
    var result = DenseMatrix(rows: columns, columns: rows)
    for column in 0..<columns {
      for row in 0..<rows {
        result.elements[column + columns * row] = elements[row + rows * column]
      }
    }
    return result
  }

  /// The product with a matrix that has as many rows as this one has columns.
  ///
  /// Sums run in the order of the columns of `left`, so that a product is the same to the bit on
  /// every machine, which BLAS does not promise. 2 x rows x columns x columns operations; allocates
  /// the result.
  public static func * (left: DenseMatrix, right: DenseMatrix) -> DenseMatrix {
    precondition(left.columns == right.rows, "the shapes do not fit")
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
  /// Whether shapes and elements are equal as numbers (so `-0` equals `0`, and NaN equals nothing).
  @inlinable
  public static func == (left: DenseMatrix, right: DenseMatrix) -> Bool {
    // Not `==` of the arrays, which takes one array to equal itself without looking for NaN.
    left.rows == right.rows && left.columns == right.columns
      && left.elements.elementsEqual(right.elements)
  }
}

extension DenseMatrix: CustomStringConvertible {
  /// The rows in brackets, as nested arrays print.
  public var description: String { "\((0..<rows).map(row))" }
}
