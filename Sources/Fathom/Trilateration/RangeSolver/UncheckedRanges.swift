import RealModule

/// Ranges that may be wrong although they fit, because no other range checks them.
///
/// With few ranges, or one that alone determines a direction, a wrong range shifts the position
/// instead of leaving a residual. The covariance is widened until five standard deviations reach
/// what the other ranges allow, at the stated odds; see ``OutlierOdds``. With as many ranges as
/// unknowns nothing is checked at all, and the covariance keeps to the assumed errors.
struct UncheckedRanges<let D: Int> {
  let problem: RangeProblem<D>
  let odds: OutlierOdds
  /// Returns whether a position counts as another answer, not as an error of this one.
  let isOther: (Vector<D>) -> Bool

  /// The odds under the loss: without early outliers if it knows none.
  private var allowed: OutlierOdds {
    OutlierOdds(late: odds.late, early: problem.loss.onlyLate ? 0 : odds.early)
  }

  /// Widens the covariance of a fix at `position`, which is relative to the centre.
  ///
  /// `assumed` is the inverse of the information there, `consistency` the factor by which the
  /// information of the ranges was corrected. With `isStraight`, linearised errors describe shifts
  /// of the position.
  func widen(
    _ covariance: inout Matrix<D, D>, at position: Vector<D>, assumed: Matrix<D, D>,
    consistency: Double, isStraight: Bool
  ) {
    guard problem.loss.shape != .squared, odds.late > 0 || odds.early > 0 else { return }
    let weights = (0..<problem.count).map { problem.weight($0, at: position) }
    guard weights.count(where: { $0 >= 0.5 }) > problem.free else { return }
    for index in 0..<problem.count where weights[index] >= 0.5 {
      let offset = position - problem.anchors[index]
      let (distance, sigma) = (offset.length, problem.sigmas[index])
      guard distance > 0 else { continue }
      let direction = (1 / distance) * offset
      let influence =
        consistency * weights[index] / (sigma * sigma) * direction.dot(assumed * direction)
      let residual = problem.residual(index, at: position) / sigma
      guard HiddenErrors.mayMatter(residual: residual, influence: influence) else { continue }
      let hidden = HiddenErrors(
        residual: residual, influence: influence, allowed, span: problem.orders(sigma))
      guard hidden.matter else { continue }
      if isStraight, influence <= HiddenErrors.mostInfluence,
        problem.span.share(of: problem.anchors[index], problem.anchors, problem.free)
          <= HiddenErrors.mostShare
      {
        let line = assumed * direction
        let length = line.length
        let along = (1 / length) * line
        let needed = hidden.deviation(
          lean: length * consistency * weights[index] / sigma,
          noise: max(0, (assumed * along).dot(along)).squareRoot())
        covariance.widen(along: along, to: needed * needed)
        continue
      }
      widen(&covariance, without: index, at: position, assumed, hidden)
    }
  }

  /// Widens the covariance by the solutions without a range.
  private func widen(
    _ covariance: inout Matrix<D, D>, without index: Int, at position: Vector<D>,
    _ assumed: Matrix<D, D>, _ hidden: HiddenErrors
  ) {
    let others = problem.subset((0..<problem.count).filter { $0 != index })
    guard others.count >= others.free || others.prior != nil else { return }
    let nearest = others.refine(from: position, limit: 50)
    var solutions = [nearest]
    var search: MinimumSearch<D>? = MinimumSearch(problem.loss)
    search?.update(solutions, ceiling: .infinity)
    if others.prior == nil, let minima = SquaredRanges(others)?.minima() {
      for start in [minima.global, minima.other].compactMap({ $0 }) where start.isFinite {
        let found = others.refine(from: start, limit: 50, by: .newton, searching: &search)
        guard found.cost.isFinite,
          (found.position - nearest.position).length > 1e-6 * problem.scale,
          !isOther(problem.position(of: found))
        else { continue }
        // The other side of the remaining ranges counts if it is likely enough.
        let scaled = problem.residual(index, at: found.position) / problem.sigmas[index]
        let density = allowed.density(
          of: scaled, span: problem.orders(problem.sigmas[index]))
        if hidden.isLikely(density, costing: found.cost - nearest.cost) { solutions.append(found) }
      }
    }
    for solution in solutions {
      var information = solution.information
      for axis in 0..<others.free { information[axis, axis] += 1e-12 * information.trace }
      guard let spread = others.freeInverse(information) else { continue }
      let offset = solution.position - position
      let sight = position - problem.anchors[index]
      var line = spread * sight
      for axis in others.free..<max(others.free, D) { line[axis] = 0 }
      let apart = offset.length
      let reach = line.length
      let direction: Vector<D>
      if apart > 1e-3 * (sight.length > 0 ? (reach / sight.length).squareRoot() : 0) {
        direction = (1 / apart) * offset
      } else if reach > 0 {
        direction = (1 / reach) * line
      } else {
        continue
      }
      let own = min(max(0, (spread * direction).dot(direction)).squareRoot(), problem.scale)
      let isLater = problem.residual(index, at: solution.position) >= 0
      let needed = hidden.deviation(
        apart: isLater ? apart : -apart, own: own,
        noise: max(0, (assumed * direction).dot(direction)).squareRoot())
      covariance.widen(along: direction, to: needed * needed)
    }
  }
}
