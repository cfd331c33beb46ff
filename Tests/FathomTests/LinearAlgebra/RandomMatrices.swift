import FathomEvaluation

@testable import Fathom

extension DenseMatrix {
  /// Returns a matrix of independent standard normal elements.
  static func random(
    _ rows: Int, _ columns: Int, using generator: inout SeededGenerator
  ) -> DenseMatrix {
    DenseMatrix(
      rows: rows, columns: columns,
      columnMajor: (0..<rows * columns).map { _ in generator.normal() })
  }

  /// The greatest magnitude of an element; NaN when an element is NaN.
  var greatestMagnitude: Double {
    columnMajor.reduce(0) { $1.isNaN || $1.magnitude > $0 ? $1.magnitude : $0 }
  }

  /// Returns the greatest magnitude of an element of the difference.
  func distance(to other: DenseMatrix) -> Double {
    guard rows == other.rows, columns == other.columns else { return .infinity }
    return DenseMatrix(
      rows: rows, columns: columns, columnMajor: zip(columnMajor, other.columnMajor).map(-)
    ).greatestMagnitude
  }

  /// Returns the square matrix with `elements` on its diagonal.
  static func diagonal(_ elements: [Double]) -> DenseMatrix {
    var result = DenseMatrix(rows: elements.count, columns: elements.count)
    for (index, element) in elements.enumerated() { result[index, index] = element }
    return result
  }

  /// Returns the second-difference matrix: 2 on the diagonal, -1 beside it.
  ///
  /// Its determinant is order + 1, its eigenvalues are 2 - 2 cos(k pi / (order + 1)).
  static func secondDifference(_ order: Int) -> DenseMatrix {
    var result = DenseMatrix.diagonal([Double](repeating: 2, count: order))
    for index in 1..<order {
      result[index, index - 1] = -1
      result[index - 1, index] = -1
    }
    return result
  }
}

extension Vector {
  /// Returns a vector of independent standard normal elements.
  static func random(using generator: inout SeededGenerator) -> Self {
    var result = Self.zero
    for index in 0..<Count { result[index] = generator.normal() }
    return result
  }
}

extension Matrix {
  /// Returns a matrix of independent standard normal elements.
  static func random(using generator: inout SeededGenerator) -> Self {
    var result = Self.zero
    for row in 0..<Rows {
      for column in 0..<Columns { result[row, column] = generator.normal() }
    }
    return result
  }

  /// The same elements in a matrix of run-time size.
  var dense: DenseMatrix { DenseMatrix(array) }
}
