/// The linear solution for a set of anchors, as one product with the squared ranges.
///
/// The equations 2 (aᵢ - ā) · p = |aᵢ|² - dᵢ² - mean(|a|² - d²) [Caffery 2000] have the same left
/// side in every epoch. Their pseudo-inverse P is computed once, by singular value decomposition: p
/// = P |a|² - P d². The mean drops out because the rows of P sum to zero.
struct LinearRangeSolution: Sendable {
  /// Three coefficients of the squared range per anchor, 1/m; zero for absent anchors.
  var coefficients: [Double]
  /// The position for ranges of zero, relative to the centre of the batch, metres.
  var constant: Vector<3>

  /// Creates the solution for the `present` anchors, or nil if they do not span the space.
  init?(_ batch: BatchAnchors, present: [Bool]) {
    let free = batch.free
    let indices = batch.anchors.indices.filter { present[$0] }
    let anchors = indices.map { batch.anchors[$0] }
    let span = AnchorSpan(of: anchors, free: free)
    guard span.rank == free, anchors.count > free else { return nil }
    let dimensions = free

    // Weights relative to the largest: only their ratios matter.
    let least = indices.map { batch.sigmas[$0] }.min() ?? 1
    let weights = indices.map { least / batch.sigmas[$0] }
    let points = anchors.map { span.coordinates(of: $0 - span.centre) }
    var mean = Vector<3>.zero
    var sum = 0.0
    for (point, weight) in zip(points, weights) {
      mean += (weight * weight) * point
      sum += weight * weight
    }
    mean = (1 / sum) * mean

    var matrix = DenseMatrix(rows: anchors.count, columns: dimensions)
    for (row, point) in points.enumerated() {
      for axis in 0..<dimensions {
        matrix[row, axis] = 2 * weights[row] * (point[axis] - mean[axis])
      }
    }
    guard let inverse = Self.pseudoInverse(matrix) else { return nil }

    coefficients = [Double](repeating: 0, count: 3 * batch.count)
    constant = span.centre - batch.centre
    if free == 2 { constant[2] = 0 }
    for (row, index) in indices.enumerated() {
      var along = Vector<3>.zero
      for axis in 0..<dimensions { along[axis] = inverse[axis, row] * weights[row] }
      let coefficient = span.offset(of: along)
      for axis in 0..<free { coefficients[3 * index + axis] = coefficient[axis] }
      var square = 0.0
      for axis in 0..<dimensions { square += points[row][axis] * points[row][axis] }
      // The contribution of the known height to the squared range.
      let above = free == 2 ? batch.height - batch.anchors[index][2] : 0
      square += above * above
      for axis in 0..<free { constant[axis] += square * coefficient[axis] }
    }
    guard constant.isFinite, coefficients.allSatisfy(\.isFinite) else { return nil }
  }

  /// Returns the pseudo-inverse of a matrix of full column rank.
  private static func pseudoInverse(_ matrix: DenseMatrix) -> DenseMatrix? {
    guard matrix.columns > 0 else { return DenseMatrix(rows: 0, columns: matrix.rows) }
    guard let parts = try? SingularValueDecomposition(matrix),
      parts.rank(relativeCutoff: 1e-7) == matrix.columns
    else { return nil }
    var inverse = DenseMatrix(rows: matrix.columns, columns: matrix.rows)
    for (index, value) in parts.singularValues.enumerated() {
      for row in 0..<matrix.columns {
        let factor = parts.rightTransposed[index, row] / value
        for column in 0..<matrix.rows {
          inverse[row, column] += factor * parts.left[column, index]
        }
      }
    }
    return inverse
  }

  /// Returns the position relative to the centre of the batch, from the squared range to each anchor.
  func position(squaredRange: (Int) -> Double) -> Vector<3> {
    var position = constant
    for index in 0..<coefficients.count / 3 {
      let square = squaredRange(index)
      for axis in 0..<3 { position[axis] -= coefficients[3 * index + axis] * square }
    }
    return position
  }
}

/// The linear solutions for the sets of anchors in a batch, each computed once.
struct LinearRangeSolutionCache {
  private let batch: BatchAnchors
  private var known: [SIMD4<UInt64>: LinearRangeSolution?] = [:]

  init(_ batch: BatchAnchors) { self.batch = batch }

  /// Returns the solution for the anchors with `isPresent`, or nil if they do not determine a
  /// position.
  mutating func solution(_ isPresent: (Int) -> Bool) -> LinearRangeSolution? {
    var key = SIMD4<UInt64>.zero
    for index in 0..<min(256, batch.count) where isPresent(index) {
      key[index >> 6] |= 1 << UInt64(index & 63)
    }
    if batch.count <= 256, let solution = known[key] { return solution }
    let solution = LinearRangeSolution(batch, present: (0..<batch.count).map(isPresent))
    // Limits the memory for sets that do not recur.
    if known.count == 4096 { known.removeAll(keepingCapacity: true) }
    if batch.count <= 256 { known[key] = .some(solution) }
    return solution
  }
}
