import Fathom
import FathomEvaluation

/// Returns the kernels of matrices of fixed size, and of LAPACK through its Swift interface.
///
/// One item is one problem.
func linearAlgebraKernels() -> [Kernel] {
  let hall = Hall()
  let anchors = DenseMatrix(hall.anchors.map { $0.array })
  let count = 200
  var kernels: [Kernel] = []

  for driver in LeastSquaresDriver.allCases {
    kernels.append(
      Kernel("least squares: 8 x 3, \(driver)", items: count) {
        var sum = 0.0
        for epoch in hall.ranges.prefix(count) {
          let solution = try? leastSquares(anchors, DenseMatrix(column: epoch), using: driver)
          sum += solution?.coefficients[0, 0] ?? 0
        }
        return sum
      })
  }
  // One factorisation for all epochs, the cost of a batch with fixed anchors.
  let sides = DenseMatrix(
    rows: 8, columns: hall.ranges.count, columnMajor: hall.ranges.flatMap { $0 })
  kernels.append(
    Kernel("least squares: 8 x 3, qr, all epochs in one call", items: hall.ranges.count) {
      let solution = try? leastSquares(anchors, sides, using: .qr)
      return solution?.coefficients[0, hall.ranges.count - 1] ?? 0
    })

  let six = positiveDefinite(order: 6)
  let fixed = Matrix<6, 6>(array: (0..<6).map { six.row($0) }) ?? .identity
  kernels += [
    Kernel("Cholesky: fixed 6 x 6, factor and solve", items: 1000) {
      var sum = 0.0
      var right = Vector<6>(repeating: 1)
      for index in 0..<1000 {
        right[0] = Double(index)
        sum += Cholesky(fixed)?.solve(right)[5] ?? 0
      }
      return sum
    },
    Kernel("principal axes: fixed 3 x 3", items: count) {
      var sum = 0.0
      for index in 0..<count {
        var matrix = Matrix<3, 3>.identity
        for row in 0..<3 {
          for column in 0..<3 { matrix[row, column] = six[row, column] }
        }
        matrix[0, 0] += 0.01 * Double(index)
        sum += PrincipalAxes(of: matrix).values[0]
      }
      return sum
    },
  ]
  for order in [6, 30] {
    let matrix = positiveDefinite(order: order)
    let right = DenseMatrix(column: [Double](repeating: 1, count: order))
    kernels += [
      repeated("Cholesky: dense \(order) x \(order), factor and solve", count) {
        try DenseCholesky(matrix).solve(right)[0, 0]
      },
      repeated("singular values: \(order) x \(order), with vectors", 50) {
        try SingularValueDecomposition(matrix).singularValues[0]
      },
      repeated("eigenvalues: symmetric \(order) x \(order), with vectors", 50) {
        try SymmetricEigendecomposition(matrix).eigenvalues[0]
      },
      repeated("eigenvalues: general \(order) x \(order)", 20) {
        try Eigendecomposition(matrix).eigenvalues[0].real
      },
    ]
  }
  kernels.append(
    repeated("singular values: 8 x 3, values only", count) {
      try SingularValueDecomposition.singularValues(of: anchors)[0]
    })
  return kernels
}

/// Returns a kernel that solves the same problem repeatedly.
///
/// The result is NaN if the problem cannot be solved, which no checksum equals.
private func repeated(
  _ name: String, _ count: Int, _ solve: @escaping @Sendable () throws -> Double
) -> Kernel {
  Kernel(name, items: count) {
    var sum = 0.0
    for _ in 0..<count { sum += (try? solve()) ?? .nan }
    return sum
  }
}

/// Returns a well-conditioned random covariance.
private func positiveDefinite(order: Int) -> DenseMatrix {
  var generator = SeededGenerator(seed: UInt64(order))
  var root = DenseMatrix(rows: order, columns: order)
  for row in 0..<order {
    for column in 0..<order { root[row, column] = generator.normal() }
  }
  var matrix = root * root.transposed()
  for index in 0..<order { matrix[index, index] += Double(order) }
  return matrix
}
