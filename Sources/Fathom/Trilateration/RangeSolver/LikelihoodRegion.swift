/// The region of positions around a fix that the ranges leave likely, where it is bent.
///
/// If the anchors are close to a plane or a line, or a tag is close to one of them, the likelihood is
/// not Gaussian: likely positions lie along a curve, which the inverse of the information does not
/// follow. The covariance is then widened until every position on that curve lies as many standard
/// deviations away as its likelihood says.
struct LikelihoodRegion<let D: Int> {
  /// The maximum number of steps to either side.
  private static var mostSteps: Int { 60 }

  /// The ranges with their weights at the position: a problem of least squares.
  private let problem: RangeProblem<D>
  private let position: Vector<D>
  private let lowest: Double

  /// Creates the region around a solution, whose information is multiplied by `consistency`.
  init(_ problem: RangeProblem<D>, around position: Vector<D>, consistency: Double) {
    self.problem = problem.weighted(at: position, times: consistency)
    self.position = position
    lowest = self.problem.cost(at: position)
  }

  /// The extent of a region.
  enum Extent {
    /// Nearly that of the covariance: linearised errors describe shifts of the position.
    case straight
    /// Along a curve of limited length.
    case bent
    /// Along a curve that does not end within the size of the problem; its direction.
    case open(Vector<D>)
  }

  /// Widens `covariance` to the region.
  func widen(_ covariance: inout Matrix<D, D>) -> Extent {
    let axis = longestAxis(of: covariance)
    let variance = (covariance * axis).dot(axis)
    guard variance > 0, variance.isFinite else { return .straight }
    let reach = (PositionLimits.depth * variance).squareRoot()
    let ends = (position + reach * axis, position - reach * axis)
    let excess = (problem.cost(at: ends.0) - lowest, problem.cost(at: ends.1) - lowest)
    if PositionLimits.isStraight(excess.0), PositionLimits.isStraight(excess.1) {
      return .straight
    }
    if isNearlyStraight(ends.0, across: axis, covariance),
      isNearlyStraight(ends.1, across: axis, covariance)
    {
      return .straight
    }
    var isOpen = false
    for side in [1.0, -1.0] {
      if !follow(side * axis, variance.squareRoot(), &covariance) { isOpen = true }
    }
    return isOpen ? .open(axis) : .bent
  }

  /// Returns the longest axis, in space and in the plane to the last digit as in the fast path.
  private func longestAxis(of covariance: Matrix<D, D>) -> Vector<D> {
    guard D == 2 || D == 3 else { return PrincipalAxes(of: covariance).axes.row(0) }
    return Vector(inSpace: SymmetricMatrix3(covariance).longestAxis())
  }

  /// Returns whether the lowest position beside an end of the axis, to first order, lies about as far
  /// away as the covariance says.
  private func isNearlyStraight(
    _ end: Vector<D>, across axis: Vector<D>, _ covariance: Matrix<D, D>
  ) -> Bool {
    guard let step = problem.linearised(at: end).step(across: axis, problem.free) else {
      return false
    }
    let offset = end + step - position
    let length = offset.length
    guard length > 0, let variance = covariance.varianceAlong((1 / length) * offset) else {
      return false
    }
    return PositionLimits.isStraight(problem.cost(at: position + offset) - lowest)
      && PositionLimits.isStraight(length * length / variance)
  }

  /// Follows the curve from the position in a direction; returns whether it ends.
  private func follow(
    _ direction: Vector<D>, _ sigma: Double, _ covariance: inout Matrix<D, D>
  ) -> Bool {
    let size = problem.scale
    let finest = 0.02 * min(size, sigma)
    var (here, tangent) = (position, direction)
    var step = 0.5 * min(size, sigma)
    var highest = 0.0
    for _ in 0..<Self.mostSteps {
      let (next, around) = settled(here + step * tangent, across: tangent)
      let excess = around.cost - lowest
      guard excess.isFinite else { return false }
      if excess >= 1.5 * PositionLimits.depth {
        step *= 0.5
        if step < finest { return true }
        continue
      }
      // Beyond a ridge lies the basin of another position, which is an alternative of its own.
      if excess < highest - 0.1 { return true }
      highest = max(highest, excess)
      let (last, offset) = (next - here, next - position)
      here = next
      let length = offset.length
      if excess > 0.3, length > 0 {
        covariance.widen(
          along: (1 / length) * offset, to: length * length / min(excess, PositionLimits.depth))
      }
      if excess >= PositionLimits.depth { return true }
      guard length <= 4 * size, let axis = problem.softestAxis(of: around.information) else {
        return false
      }
      tangent = axis.dot(last) < 0 ? -axis : axis
      if excess < 0.2 * PositionLimits.depth { step = min(1.3 * step, 0.15 * size) }
    }
    return false
  }

  /// Returns the lowest position in the plane through `start` perpendicular to `axis`, by damped
  /// Gauss-Newton steps, and the expansion there.
  private func settled(
    _ start: Vector<D>, across axis: Vector<D>
  ) -> (position: Vector<D>, around: RangeExpansion<D>) {
    var position = start
    var here = problem.linearised(at: start)
    let finest = 1e-7 * problem.scale
    var last = 0.0
    for _ in 0..<6 {
      guard var step = here.step(across: axis, problem.free) else { break }
      var next = problem.linearised(at: position + step)
      for _ in 0..<6 where next.cost > here.cost {
        step = 0.3 * step
        next = problem.linearised(at: position + step)
      }
      guard next.cost <= here.cost else { break }
      position += step
      here = next
      // The steps decrease by a constant factor.
      let length = step.length
      if length <= finest || length * length <= 0.1 * finest * last { break }
      last = length
    }
    return (position, here)
  }
}

extension RangeExpansion {
  /// Returns the Gauss-Newton step in the plane perpendicular to `axis`, in the first `free`
  /// coordinates.
  func step(across axis: Vector<D>, _ free: Int) -> Vector<D>? {
    let pulled = information * axis
    // The projection onto the plane, made regular along the axis, where its value has no effect.
    let along = pulled.dot(axis) + 10 * information.trace
    var matrix = information
    matrix.withMutableElements { matrix in
      for row in 0..<D {
        for column in 0...row {
          matrix[row * D + column] +=
            axis[row] * (axis[column] * along - pulled[column]) - pulled[row] * axis[column]
        }
      }
    }
    guard
      var step = matrix.solution(of: descent + -descent.dot(axis) * axis)
    else { return nil }
    step += -step.dot(axis) * axis
    for index in free..<max(free, D) { step[index] = 0 }
    return step.isFinite ? step : nil
  }
}

extension Matrix where Rows == Columns {
  /// Increases the variance along a unit vector, with the other directions at their most likely
  /// values, to `variance` if it is smaller.
  mutating func widen(along direction: Vector<Rows>, to variance: Double) {
    guard variance.isFinite, let present = varianceAlong(direction), variance > present else {
      return
    }
    addOuterProduct(of: direction, times: variance - present)
  }

  /// Returns 1 / (eᵀ V⁻¹ e) for a unit vector e in the space that the covariance V spans: the
  /// variance along e with the other directions at their most likely values.
  func varianceAlong(_ direction: Vector<Rows>) -> Double? {
    var regular = self
    let typical = trace
    // Known coordinates have neither variance nor a share of the direction.
    for axis in 0..<Rows where self[axis, axis] == 0 { regular[axis, axis] = typical }
    guard let square = regular.solution(of: direction)?.dot(direction) else { return nil }
    return square > 0 && square.isFinite ? 1 / square : nil
  }
}
