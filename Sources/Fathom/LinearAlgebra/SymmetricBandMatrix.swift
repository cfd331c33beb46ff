/// A symmetric matrix whose elements vanish more than `bandwidth` places from the diagonal.
///
/// Smoothing a whole track gives such matrices: each instant is tied to its neighbours only. Memory
/// and work grow with the order, not with its square.
///
/// ## Layout
/// The lower band by columns, LAPACK's lower band storage: element (row, column), with column <= row
/// <= column + bandwidth, is at `row - column + (bandwidth + 1) * column`. The last `bandwidth`
/// columns have places at their end that belong to no element and stay zero. For order 4 and
/// bandwidth 1:
///
///     a00 a10 | a11 a21 | a22 a32 | a33  0
public struct SymmetricBandMatrix: Sendable {
  /// The number of rows and of columns.
  public let order: Int
  /// The number of diagonals below the main one; 0 for a diagonal matrix.
  public let bandwidth: Int
  /// The elements in the layout described above.
  var elements: [Double]

  /// The matrix of zeros.
  ///
  /// - Parameters:
  ///   - order: the number of rows and of columns, not negative.
  ///   - bandwidth: the number of diagonals below the main one, not negative; it may exceed the
  ///     order.
  public init(order: Int, bandwidth: Int) {
    precondition(order >= 0 && bandwidth >= 0, "order and bandwidth cannot be negative")
    self.order = order
    self.bandwidth = bandwidth
    elements = [Double](repeating: 0, count: (bandwidth + 1) * order)
  }

  /// The element in `row` and `column`, both in `0..<order`.
  ///
  /// Outside the band it reads zero and cannot be set, which would be a programming error. Setting
  /// an element sets its mirror image.
  public subscript(row: Int, column: Int) -> Double {
    get {
      precondition(row >= 0 && row < order && column >= 0 && column < order, "no such element")
      return abs(row - column) <= bandwidth ? elements[offset(row, column)] : 0
    }
    set {
      precondition(row >= 0 && row < order && column >= 0 && column < order, "no such element")
      precondition(abs(row - column) <= bandwidth, "the element is outside the band")
      elements[offset(row, column)] = newValue
    }
  }

  private func offset(_ row: Int, _ column: Int) -> Int {
    abs(row - column) + (bandwidth + 1) * min(row, column)
  }

  /// The same matrix with all its elements.
  public func dense() -> DenseMatrix {
    var result = DenseMatrix(rows: order, columns: order)
    for column in 0..<order {
      for row in column...min(order - 1, column + bandwidth) {
        result[row, column] = self[row, column]
        result[column, row] = self[row, column]
      }
    }
    return result
  }
}

extension SymmetricBandMatrix: Equatable {
  /// Whether order, bandwidth and elements are equal as numbers (so NaN equals nothing).
  public static func == (left: SymmetricBandMatrix, right: SymmetricBandMatrix) -> Bool {
    // Not `==` of the arrays, which takes one array to equal itself without looking for NaN.
    left.order == right.order && left.bandwidth == right.bandwidth
      && left.elements.elementsEqual(right.elements)
  }
}
