/// All stationary points of the squared errors of ranges with a common offset, from one eigenvalue
/// problem.
///
/// They are a complete set of starting points for maximising the likelihood. For ranges ρᵢ = |p -
/// aᵢ| + b the cost Σ wᵢ (|p - aᵢ|² - (ρᵢ - b)²)² is a polynomial in y = (p, b). Let sᵢ = (aᵢ, ρᵢ),
/// centred on their weighted mean, and L = diag(1, ..., 1, -1) [Bancroft 1985]. The gradient
/// vanishes where, for z = L y,
///
///     (2M + λL) z = g,   λ = zᵀLz + c
///     M = Σ wᵢ sᵢ sᵢᵀ,   g = Σ wᵢ qᵢ sᵢ,   c = Σ wᵢ qᵢ,   qᵢ = sᵢᵀLsᵢ + the known part of |p - aᵢ|²
///
/// The λ that solve both are eigenvalues of one matrix of order 2n + 1, where n is the number of
/// unknowns. This generalises [Larsson et al. 2025], for ranges without offset, where L is the
/// identity. If M is singular, as with coplanar anchors or as few ranges as unknowns, λ = 0 gives a
/// pair of mirror images along its null vector.
struct SquaredPseudoRanges {
  /// sᵢ: the free coordinates of the anchor, then the pseudo-range; metres.
  let points: [[Double]]
  /// The contribution of the known coordinates to |p - aᵢ|², m².
  let knownSquares: [Double]
  /// wᵢ, not negative, with sum 1.
  let weights: [Double]

  /// Returns the points (p, b) where the gradient vanishes, and the real parts of complex ones.
  func stationaryPoints() -> [[Double]] {
    guard let scaled = Moments(self) else { return [] }
    let order = scaled.right.count
    var solutions = scaled.mirrorImages()
    for multiplier in multipliers(scaled.matrix, scaled.right, scaled.constant) {
      var matrix = scaled.matrix
      for row in 0..<order {
        for column in 0..<order { matrix[row, column] *= 2 }
        matrix[row, row] += row == order - 1 ? -multiplier : multiplier
      }
      let solution = try? leastSquares(
        matrix, DenseMatrix(column: scaled.right), rank: .minimumNorm(relativeCutoff: 1e-12))
      if let solution { solutions.append(solution.coefficients.column(0)) }
    }
    return solutions.map(scaled.point)
  }

  /// Returns only the points (p, b) along the null vector of M: the exact solutions for as many
  /// pseudo-ranges as unknowns [Bancroft 1985].
  func mirrorImages() -> [[Double]] {
    guard let scaled = Moments(self) else { return [] }
    return scaled.mirrorImages().map(scaled.point)
  }

  /// Returns the real parts of all λ, one for each conjugate pair.
  ///
  /// They are eigenvalues with the vector (u, z, 1):
  ///
  ///     λ u = z - 2LM u,   λ z = Lg - 2LM z,   λ = gᵀu + c.
  private func multipliers(
    _ moments: DenseMatrix, _ right: [Double], _ constant: Double
  ) -> [Double] {
    let order = right.count
    var matrix = DenseMatrix(rows: 2 * order + 1, columns: 2 * order + 1)
    for row in 0..<order {
      let sign = row == order - 1 ? -1.0 : 1
      for column in 0..<order {
        matrix[row, column] = -2 * sign * moments[row, column]
        matrix[order + row, order + column] = -2 * sign * moments[row, column]
      }
      matrix[row, order + row] = 1
      matrix[order + row, 2 * order] = sign * right[row]
      matrix[2 * order, row] = right[row]
    }
    matrix[2 * order, 2 * order] = constant
    guard let eigenvalues = try? Eigendecomposition(matrix).eigenvalues else { return [] }
    return eigenvalues.filter { $0.imaginary >= 0 }.map(\.real)
  }
}

/// M, g and c of the problem, centred and in units of its spread, to avoid overflow and loss of
/// precision between powers of lengths.
private struct Moments {
  var matrix: DenseMatrix
  var right: [Double]
  var constant = 0.0
  private let mean: [Double]
  private let unit: Double

  /// Creates the moments of `problem`, or nil if they are not finite or all points coincide.
  init?(_ problem: SquaredPseudoRanges) {
    guard let order = problem.points.first?.count else { return nil }
    var mean = [Double](repeating: 0, count: order)
    for (point, weight) in zip(problem.points, problem.weights) {
      for axis in 0..<order { mean[axis] += weight * point[axis] }
    }
    let centred = problem.points.map { zip($0, mean).map { $0 - $1 } }
    var unit = 0.0
    for point in centred { for value in point { unit = max(unit, value.magnitude) } }
    guard unit > 0, unit.isFinite else { return nil }
    self.mean = mean
    self.unit = unit
    matrix = DenseMatrix(rows: order, columns: order)
    right = [Double](repeating: 0, count: order)
    for (index, offset) in centred.enumerated() {
      let point = offset.map { $0 / unit }
      let weight = problem.weights[index]
      let square = Self.lorentz(point, point) + problem.knownSquares[index] / unit / unit
      constant += weight * square
      for row in 0..<order {
        right[row] += weight * square * point[row]
        for column in 0..<order { matrix[row, column] += weight * point[row] * point[column] }
      }
    }
    guard matrix.isFinite, right.allSatisfy(\.isFinite), constant.isFinite else { return nil }
  }

  /// Returns the point (p, b) that z represents: y = L z.
  func point(_ solution: [Double]) -> [Double] {
    let last = solution.count - 1
    var point = solution.indices.map { mean[$0] + unit * solution[$0] }
    point[last] = mean[last] - unit * solution[last]
    return point
  }

  /// Returns the two solutions for λ = 0 along the null vector of M, or the point half way if they
  /// are complex.
  ///
  /// Empty if M is regular.
  func mirrorImages() -> [[Double]] {
    guard let axes = try? SymmetricEigendecomposition(matrix) else { return [] }
    let order = right.count
    let greatest = axes.eigenvalues[order - 1]
    guard axes.eigenvalues[0] <= 1e-12 * greatest else { return [] }
    let null = axes.eigenvectors.column(0)
    var base = [Double](repeating: 0, count: order)
    for index in 1..<max(1, order) where axes.eigenvalues[index] > 1e-12 * greatest {
      let axis = axes.eigenvectors.column(index)
      let share =
        zip(axis, right).reduce(0) { $0 + $1.0 * $1.1 } / (2 * axes.eigenvalues[index])
      for row in 0..<order { base[row] += share * axis[row] }
    }
    // (base + t null)ᵀ L (base + t null) + c = 0.
    let square = Self.lorentz(null, null)
    let half = Self.lorentz(base, null)
    let rest = Self.lorentz(base, base) + constant
    var roots: [Double] = []
    if square.magnitude <= 1e-12 {
      if half != 0 { roots = [-rest / (2 * half)] }
    } else {
      let root = max(0, half * half - square * rest).squareRoot()
      roots = [(-half + root) / square, (-half - root) / square]
    }
    return roots.map { root in zip(base, null).map { $0 + root * $1 } }
  }

  /// Returns xᵀ L y.
  static func lorentz(_ left: [Double], _ right: [Double]) -> Double {
    var sum = 0.0
    for axis in left.indices {
      sum += (axis == left.count - 1 ? -1 : 1) * left[axis] * right[axis]
    }
    return sum
  }
}
