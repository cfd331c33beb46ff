/// Where an iteration that minimises squared range residuals ended.
struct Refinement<let D: Int>: Sendable {
  /// The position relative to the centre of the anchors, metres.
  var position: Vector<D>
  /// Weighted sum of squared residuals there.
  var cost: Double
  /// JᵀWJ there, diagonal in the given coordinates.
  var information: Matrix<D, D>
  /// Steps taken or tried.
  var iterations: Int
}

extension RangeProblem {
  /// The local minimum of the weighted sum of squared residuals that `start` leads to.
  ///
  /// Gauss-Newton steps (JᵀWJ + λI) s = JᵀW e with Marquardt's damping [Marquardt 1963;
  /// Nocedal & Wright 2006, Sec. 10.3]: λ is zero while steps lower the cost. The rows of J are unit
  /// vectors from the anchors; at an anchor itself its row is zero. Directions across which the
  /// gradient vanishes, such as off the flat of the anchors, are left alone. No heap allocation.
  ///
  /// - Parameters:
  ///   - start: a position relative to the centre, whose given coordinates are right.
  ///   - limit: the largest number of steps tried.
  /// - Returns: Where the iteration ended: the most likely position for independent normal errors.
  func refine(from start: Vector<D>, limit: Int) -> Refinement<D> {
    var result = Refinement(position: start, cost: 0, information: .zero, iterations: 0)
    var gradient = Vector<D>.zero
    (result.cost, gradient, result.information) = linearised(at: start)
    var damping = 0.0
    let scale = self.scale
    let smallest = 1e-13 * (scale + start.length)
    while result.iterations < limit, result.cost > 0 {
      result.iterations += 1
      var damped = result.information
      // A trace of damping always: on the flat of the anchors the information is singular.
      let floor = 1e-14 * result.information.trace
      for axis in 0..<free { damped[axis, axis] += max(damping, floor) }
      guard let root = Cholesky(damped) else {
        damping = max(10 * damping, 1e-6 * result.information.trace)
        continue
      }
      let step = root.solve(gradient)
      let length = step.length
      guard length.isFinite else { break }
      let (cost, nextGradient, information) = linearised(at: result.position + step)
      if cost <= result.cost {
        let settled = length <= smallest
        result.position += step
        (result.cost, gradient, result.information) = (cost, nextGradient, information)
        damping = damping < 1e-9 * information.trace ? 0 : damping / 10
        if settled { break }
      } else {
        if length <= 1e-9 * (scale + result.position.length) { break }
        damping = max(10 * damping, 1e-3 * result.information.trace / Double(D))
      }
    }
    return result
  }

  /// Cost, JᵀW e and JᵀWJ at `position`, diagonal in the given coordinates.
  func linearised(
    at position: Vector<D>
  ) -> (cost: Double, gradient: Vector<D>, information: Matrix<D, D>) {
    var cost = 0.0
    var gradient = Vector<D>.zero
    var information = Matrix<D, D>.zero
    for index in 0..<count {
      let offset = position - anchors[index]
      let distance = offset.length
      let weight = 1 / (sigmas[index] * sigmas[index])
      let residual = distances[index] - distance
      cost += weight * residual * residual
      guard distance > 0 else { continue }
      for row in 0..<free {
        let unit = offset[row] / distance
        gradient[row] += weight * residual * unit
        for column in 0...row {
          information[row, column] += weight * unit * offset[column] / distance
        }
      }
    }
    for row in 0..<free {
      for column in 0..<row { information[column, row] = information[row, column] }
    }
    // Of the size of the others, so that they do not look like an undetermined direction.
    let typical = information.trace / Double(max(1, free))
    for axis in free..<max(free, D) { information[axis, axis] = typical > 0 ? typical : 1 }
    return (cost, gradient, information)
  }

  /// (JᵀJ)⁻¹ at `position` with unit weights, zero in the given coordinates; nil where singular.
  func cofactor(at position: Vector<D>) -> Matrix<D, D>? {
    let unit = RangeProblem(
      flat: flat, anchors: anchors, distances: distances,
      sigmas: [Double](repeating: 1, count: count), free: free, given: given, known: known)
    return unit.freeInverse(unit.linearised(at: position).information)
  }

  /// The inverse of an information matrix, zero in the given coordinates; nil where singular.
  func freeInverse(_ information: Matrix<D, D>) -> Matrix<D, D>? {
    // A pivot of rounding size is a direction that the ranges do not determine.
    let axes = PrincipalAxes(of: information)
    guard axes.values[D - 1] > 1e-13 * axes.values[0],
      var inverse = Cholesky(information)?.inverse()
    else { return nil }
    for axis in free..<max(free, D) { inverse[axis, axis] = 0 }
    return inverse.isFinite ? inverse : nil
  }
}
