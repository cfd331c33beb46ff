import RealModule

extension RangeProblem {
  /// Returns the error common to all ranges that explains them better than the solution does, or nil
  /// if no such error does.
  ///
  /// The position and the offset are refined together by re-weighted Gauss-Newton steps. An offset
  /// costs its prior odds, those of a late or early range, spread over its orders of magnitude;
  /// see ``OutlierOdds``.
  func commonOffset(at solution: Refinement<D>, _ odds: OutlierOdds) -> CommonRangeOffset<D>? {
    guard loss.shape != .squared, prior == nil, span.rank == free, count > free + 1,
      odds.late > 0
    else { return nil }
    let least = explanationCost(at: solution.position, odds)
    let typical = sigmas.reduce(0, +) / Double(count)
    func price(_ offset: Double) -> Double {
      odds.price(ofOffset: offset, sigma: typical, span: orders(typical))
    }
    guard least > price(typical) else { return nil }
    var (position, offset) = (solution.position, 0.0)
    var last: OffsetStep?
    for _ in 0..<30 {
      guard let step = step(at: position, offset) else { return nil }
      position += step.position
      offset += step.offset
      last = step
      guard position.isFinite, offset.magnitude < scale else { return nil }
      if step.position.length + step.offset.magnitude <= 1e-9 * scale { break }
    }
    let corrected = replacing(distances: distances.map { $0 - offset })
    guard corrected.explanationCost(at: position, odds) + price(offset) < least else { return nil }
    guard let last, var covariance = Cholesky(last.information)?.inverse() else { return nil }
    covariance.addOuterProduct(of: last.across, times: 1 / last.remaining)
    for axis in free..<max(free, D) {
      for other in 0..<D { (covariance[axis, other], covariance[other, axis]) = (0, 0) }
    }
    return CommonRangeOffset(
      offset: offset, sigma: (1 / last.remaining).squareRoot(),
      position: self.position(at: position),
      covariance: covariance)
  }

  /// A Gauss-Newton step of position and offset together.
  private typealias OffsetStep = (
    position: Vector<D>, offset: Double, information: Matrix<D, D>, across: Vector<D>,
    remaining: Double
  )

  /// Returns the step, with the information of the position at a fixed offset, the shift of the
  /// position per offset, and the information of the offset; nil if the ranges do not determine it.
  ///
  /// Legend: u the unit vectors from the anchors, v = w/σ². The normal equations are those of the
  /// position, bordered by Σ v u and Σ v.
  private func step(at position: Vector<D>, _ offset: Double) -> OffsetStep? {
    var information = Matrix<D, D>.zero
    var (border, pull) = (Vector<D>.zero, Vector<D>.zero)
    var (corner, push) = (0.0, 0.0)
    for index in 0..<count {
      let sight = position - anchors[index]
      let distance = sight.length
      guard distance > 0 else { continue }
      let residual = distances[index] - offset - distance
      let weight =
        loss.weight(of: residual / sigmas[index]) / (sigmas[index] * sigmas[index])
      var unit = (1 / distance) * sight
      for axis in free..<max(free, D) { unit[axis] = 0 }
      information.addOuterProduct(of: unit, times: weight)
      border += weight * unit
      pull += weight * residual * unit
      corner += weight
      push += weight * residual
    }
    for axis in free..<max(free, D) { information[axis, axis] = information.trace }
    guard let across = information.solution(of: border),
      let own = information.solution(of: pull)
    else { return nil }
    let remaining = corner - border.dot(across)
    guard remaining > 1e-9 * corner else { return nil }
    let change = (push - across.dot(pull)) / remaining
    return (own + -change * across, change, information, across, remaining)
  }
}

extension OutlierOdds {
  /// Returns what an error common to all ranges costs, as twice a negative logarithm.
  ///
  /// Its odds are those of one late or early range, spread over `span` orders of magnitude of its
  /// size in units of `sigma`.
  func price(ofOffset offset: Double, sigma: Double, span: Double) -> Double {
    let odds = OutlierOdds(late: late, early: max(early, Self.leastEarly))
    return -2 * .log(odds.density(of: offset / sigma, span: span))
  }

  /// The least odds of a negative offset, which calibration can leave even if no range is early.
  private static var leastEarly: Double { 1e-6 }
}
