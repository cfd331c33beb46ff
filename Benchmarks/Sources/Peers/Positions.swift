import Fathom

/// Returns the most likely position of every epoch.
func solveByLikelihood(
  _ all: [Double], _ workload: Workload, _ loss: RobustLoss, epochs: Int
) throws -> [Double] {
  var options = Trilateration.Options()
  options.loss = loss
  let anchors = anchors(of: workload)
  var result: [Double] = []
  result.reserveCapacity(3 * epochs)
  // One array serves all epochs, because allocating arrays is not part of solving.
  var ranges = [Double](repeating: 0, count: 8)
  for epoch in 0..<epochs {
    for index in 0..<8 { ranges[index] = all[8 * epoch + index] }
    let fix = try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
    guard let position = fix.position else {
      result += [.nan, .nan, .nan]
      continue
    }
    for axis in 0..<3 { result.append(position[axis]) }
  }
  return result
}

/// Solves the differences of squares with LAPACK's dgels or dgelsy, one call per epoch.
func solveLinearQR(
  _ workload: Workload, _ driver: LeastSquaresDriver, epochs: Int
) throws -> [Double] {
  let (matrix, offsets) = differences(of: workload)
  var result: [Double] = []
  result.reserveCapacity(3 * epochs)
  for epoch in 0..<epochs {
    let side = side(of: ranges(of: workload, epoch), offsets)
    let solution = try leastSquares(matrix, DenseMatrix(column: side), using: driver)
    for axis in 0..<3 { result.append(solution.coefficients[axis, 0]) }
  }
  return result
}

/// Solves the differences of squares with all epochs as right-hand sides of one call.
func solveLinearQRInOneCall(_ workload: Workload, epochs: Int) throws -> [Double] {
  let (matrix, offsets) = differences(of: workload)
  var sides: [Double] = []
  sides.reserveCapacity(offsets.count * epochs)
  for epoch in 0..<epochs { sides += side(of: ranges(of: workload, epoch), offsets) }
  let right = DenseMatrix(rows: offsets.count, columns: epochs, columnMajor: sides)
  let coefficients = try leastSquares(matrix, right, using: .qr).coefficients
  var result: [Double] = []
  result.reserveCapacity(3 * epochs)
  for epoch in 0..<epochs {
    for axis in 0..<3 { result.append(coefficients[axis, epoch]) }
  }
  return result
}

/// Solves with Fathom's own linear solution, which weights ranges by their errors.
func solveLinearWeighted(_ workload: Workload, epochs: Int) throws -> [Double] {
  let anchors = anchors(of: workload)
  var result: [Double] = []
  result.reserveCapacity(3 * epochs)
  for epoch in 0..<epochs {
    let position = try Trilateration.linearLeastSquares(
      ranges: ranges(of: workload, epoch), anchors: anchors)
    for axis in 0..<3 { result.append(position?[axis] ?? .nan) }
  }
  return result
}

/// Returns the anchors as positions.
func anchors(of workload: Workload) -> [Vector<3>] {
  (0..<8).map {
    Vector([
      workload.anchors[3 * $0], workload.anchors[3 * $0 + 1], workload.anchors[3 * $0 + 2],
    ])
  }
}

private func ranges(of workload: Workload, _ epoch: Int) -> [Double] {
  Array(workload.ranges[8 * epoch..<8 * epoch + 8])
}

/// Returns the system of differences: 2 (aᵢ - a₀) per row, and |aᵢ|² - |a₀|².
private func differences(of workload: Workload) -> (matrix: DenseMatrix, offsets: [Double]) {
  let anchors = anchors(of: workload)
  var matrix = DenseMatrix(rows: 7, columns: 3)
  var offsets: [Double] = []
  for row in 0..<7 {
    let difference = anchors[row + 1] - anchors[0]
    for axis in 0..<3 { matrix[row, axis] = 2 * difference[axis] }
    offsets.append(anchors[row + 1].dot(anchors[row + 1]) - anchors[0].dot(anchors[0]))
  }
  return (matrix, offsets)
}

private func side(of ranges: [Double], _ offsets: [Double]) -> [Double] {
  offsets.indices.map {
    offsets[$0] - ranges[$0 + 1] * ranges[$0 + 1] + ranges[0] * ranges[0]
  }
}
