@testable import Fathom

extension RangeProblem {
  /// Computes the global minimum of the squared ranges, or both of a pair of mirror images, as a
  /// generalised trust region subproblem [Beck, Stoica & Li 2008].
  ///
  /// In y = (x, |x|²) the problem is linear least squares |A y - b|² with one quadratic constraint
  /// yᵀD y + 2 fᵀy = 0. Its solution is y(λ) = (AᵀA + λD)⁻¹ (Aᵀb - λf) for the root λ of the
  /// constraint. The constraint decreases with λ where AᵀA + λD is positive definite, so bisection
  /// finds the root. Without a root there, the solution is on the border and is completed by a null
  /// vector. Uses no formula of ``SquaredRanges`` except the weights. Allocates.
  ///
  /// - Returns: Positions relative to the centre; empty if LAPACK fails.
  func minimaByTrustRegion() -> [Vector<D>] {
    guard free > 0, count > 0, scale > 0 else { return [] }
    let (gram, side) = normalEquations()
    let order = free + 1

    func matrix(_ multiplier: Double) -> DenseMatrix {
      var result = gram
      for axis in 0..<free { result[axis, axis] += multiplier }
      return result
    }
    func solution(_ multiplier: Double) -> [Double]? {
      guard let root = try? DenseCholesky(matrix(multiplier)) else { return nil }
      var right = DenseMatrix(column: side)
      right[free, 0] += multiplier / 2
      return (try? root.solve(right))?.columnMajor
    }
    func constraint(_ y: [Double]) -> Double {
      var square = 0.0
      for axis in 0..<free { square += y[axis] * y[axis] }
      return square - y[free]
    }
    // Positive definite above `low`, not at it.
    var high = 1.0
    while let y = solution(high), constraint(y) > 0, high < 1e300 { high *= 4 }
    var low = -high
    while solution(low) != nil, low > -1e300 { low *= 4 }
    for _ in 0..<2000 {
      let middle = low / 2 + high / 2
      guard middle > low, middle < high else { break }
      if let y = solution(middle), constraint(y) <= 0 { high = middle } else { low = middle }
    }
    guard let y = solution(high) else { return [] }
    var size = 0.0
    for element in y { size += element.magnitude }
    guard constraint(y) < -1e-9 * max(1, size) else { return [position(y)] }

    // The hard case: y = yₚ + τ v with v in the null space at the border.
    guard let axes = try? SymmetricEigendecomposition(matrix(high)) else { return [] }
    let null = axes.eigenvectors.column(0)
    var partial = [Double](repeating: 0, count: order)
    for index in 1..<order {
      let vector = axes.eigenvectors.column(index)
      var product = 0.0
      for row in 0..<order {
        product += vector[row] * (side[row] + (row == free ? high / 2 : 0))
      }
      for row in 0..<order { partial[row] += product / axes.eigenvalues[index] * vector[row] }
    }
    // |xₚ + τ vₓ|² = αₚ + τ v_α.
    var (a, b) = (0.0, -null[free] / 2)
    for axis in 0..<free {
      a += null[axis] * null[axis]
      b += partial[axis] * null[axis]
    }
    let root = max(0, b * b - a * constraint(partial)).squareRoot()
    return [(-b + root) / a, (-b - root) / a].map { step in
      position(zip(partial, null).map { $0 + step * $1 })
    }
  }

  /// Returns AᵀA and Aᵀb, in units of ``scale``.
  private func normalEquations() -> (gram: DenseMatrix, side: [Double]) {
    var gram = DenseMatrix(rows: free + 1, columns: free + 1)
    var side = [Double](repeating: 0, count: free + 1)
    let mean = distances.reduce(0) { $0 + $1 / scale } / Double(count)
    let smallest = max(0.1 * mean, 1e-3 * span.spread / scale)
    let finest = sigmas.min() ?? 1
    var sum = 0.0
    for index in 0..<count {
      let distance = distances[index] / scale
      let relative = sigmas[index] / finest * max(distance, smallest)
      let weight = 1 / (relative * relative)
      sum += weight
      var row = [Double](repeating: 1, count: free + 1)
      var value = distance * distance
      for axis in 0..<D {
        let coordinate = (anchors[index][axis] - (axis < free ? 0 : given[axis])) / scale
        value -= coordinate * coordinate
        if axis < free { row[axis] = -2 * coordinate }
      }
      for first in row.indices {
        side[first] += weight * row[first] * value
        for second in row.indices { gram[first, second] += weight * row[first] * row[second] }
      }
    }
    for first in side.indices {
      side[first] /= sum
      for second in side.indices { gram[first, second] /= sum }
    }
    return (gram, side)
  }

  private func position(_ y: [Double]) -> Vector<D> {
    var result = given
    for axis in 0..<free { result[axis] = scale * y[axis] }
    return result
  }
}
