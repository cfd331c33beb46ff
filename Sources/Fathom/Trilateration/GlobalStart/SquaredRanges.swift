/// The weighted squared-range problem in normal form, whose global minimum needs only the root of
/// one scalar equation.
///
/// Minimising F(x) = Σ wᵢ (|x - sᵢ|² - dᵢ²)² with Σ wᵢ = 1 and Σ wᵢ sᵢ = 0 leads to [Larsson et al.
/// 2025]
///
///     (|x|² + c̄) x + 2 S x = g,   S = Σ w s sᵀ,   cᵢ = |sᵢ|² - dᵢ²,   c̄ = Σ w c,   g = Σ w c s
///
/// In the axes of S, largest spread first, and with λ = |x|²: x_k = g_k / (λ - D_k), D_k = -2 S_k -
/// c̄. Weights of 1/(2 dᵢ σᵢ)² make an error of dᵢ² count like the error of dᵢ that caused it.
/// Lengths are in units of ``scale`` to avoid overflow and underflow.
struct SquaredRanges<let D: Int>: Sendable {
  /// Number of leading coordinates that are unknown.
  let free: Int
  /// The unit of length, metres.
  let scale: Double
  /// Weighted mean of the anchors, relative to the centre of the problem, metres.
  let mean: Vector<D>
  /// The axes of S, one per row; only the first ``free`` are used.
  let axes: Matrix<D, D>
  /// The eigenvalues of S, largest first, not negative.
  let spreads: Vector<D>
  /// c̄.
  let offset: Double
  /// g along the axes.
  let forcing: Vector<D>
  /// The known coordinates, relative to the centre.
  let given: Vector<D>

  /// Creates the normal form of a problem, or nil if it has no unknowns or no weight, or if its
  /// magnitudes overflow.
  init?(_ problem: RangeProblem<D>) {
    let (free, count, scale) = (problem.free, problem.count, problem.scale)
    guard free > 0, count > 0, scale > 0, scale.isFinite else { return nil }
    var total = 0.0
    var smallestSigma = Double.infinity
    for index in 0..<count {
      total += problem.distances[index] / scale
      smallestSigma = min(smallestSigma, problem.sigmas[index])
    }
    // A range counts as at least a tenth of the mean range: ranges near zero would get all the
    // weight.
    let smallest = max(0.1 * total / Double(count), 1e-3 * problem.span.spread / scale)
    guard smallest > 0 else { return nil }

    func weight(_ index: Int) -> Double {
      let relative =
        problem.sigmas[index] / smallestSigma * max(problem.distances[index] / scale, smallest)
      return 1 / (relative * relative)
    }
    var sum = 0.0
    var mean = Vector<D>.zero
    for index in 0..<count {
      let weight = weight(index)
      sum += weight
      for axis in 0..<free { mean[axis] += weight * (problem.anchors[index][axis] / scale) }
    }
    guard sum > 0, sum.isFinite else { return nil }
    for axis in 0..<free { mean[axis] /= sum }

    var scatter = Matrix<D, D>.zero
    var offset = 0.0
    var forcing = Vector<D>.zero
    for index in 0..<count {
      let weight = weight(index) / sum
      let anchor = problem.anchors[index]
      var point = Vector<D>.zero
      var square = 0.0
      for axis in 0..<free {
        point[axis] = anchor[axis] / scale - mean[axis]
        square += point[axis] * point[axis]
      }
      let distance = problem.distances[index] / scale
      square -= distance * distance
      for axis in free..<max(free, D) {
        let rise = (problem.given[axis] - anchor[axis]) / scale
        square += rise * rise
      }
      offset += weight * square
      for row in 0..<free {
        forcing[row] += weight * square * point[row]
        for column in 0...row { scatter[row, column] += weight * point[row] * point[column] }
      }
    }
    // Below every eigenvalue of the scatter matrix, so that known coordinates sort last.
    for axis in free..<max(free, D) { scatter[axis, axis] = -1 }
    guard scatter.isFinite, offset.isFinite, forcing.isFinite else { return nil }
    let principal = PrincipalAxes(of: scatter)
    var spreads = principal.values
    for axis in 0..<D { spreads[axis] = max(0, spreads[axis]) }
    self.free = free
    self.scale = scale
    self.mean = scale * mean
    axes = principal.axes
    self.spreads = spreads
    self.offset = offset
    self.forcing = principal.axes * forcing
    given = problem.given
  }

  /// λ at the pole of the axis of least spread.
  var pole: Double { -2 * spreads[free - 1] - offset }

  /// Returns the position of a stationary point with λ = ``pole`` + `shift`.
  ///
  /// `top`, if given, replaces the coordinate along the axis of least spread.
  func position(shift: Double, top: Double?) -> Vector<D> {
    var result = given
    for axis in 0..<free { result[axis] += mean[axis] }
    for axis in 0..<free {
      var coordinate = 0.0
      if axis == free - 1, let top {
        coordinate = top
      } else {
        let gap = 2 * (spreads[axis] - spreads[free - 1]) + shift
        coordinate = gap != 0 ? forcing[axis] / gap : 0
      }
      let step = scale * coordinate
      for other in 0..<free { result[other] += step * axes[axis, other] }
    }
    return result
  }

  /// Returns the mirror image of a position in the best-fitting plane (line, point) through the
  /// anchors.
  func image(of position: Vector<D>) -> Vector<D> {
    var height = 0.0
    for axis in 0..<free {
      height += (position[axis] - given[axis] - mean[axis]) * axes[free - 1, axis]
    }
    var result = position
    for axis in 0..<free { result[axis] -= 2 * height * axes[free - 1, axis] }
    return result
  }
}
