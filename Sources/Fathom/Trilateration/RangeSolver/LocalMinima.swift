import RealModule

/// The local minima of the cost of an epoch, the lowest first.
struct LocalMinima<let D: Int>: Sendable {
  private(set) var all: [Refinement<D>] = []
  /// Number of steps of all refinements.
  private(set) var iterations = 0

  /// The lowest minimum.
  var best: Refinement<D>? { all.first }

  /// Adds a minimum; one within `tolerance` metres of another counts as the same.
  mutating func add(_ found: Refinement<D>, tolerance: Double) {
    iterations += found.iterations
    guard found.position.isFinite, found.cost.isFinite else { return }
    for index in all.indices
    where (all[index].position - found.position).length <= tolerance {
      guard found.cost < all[index].cost else { return }
      all.remove(at: index)
      break
    }
    all.insert(found, at: all.firstIndex { $0.cost > found.cost } ?? all.count)
  }
}

extension RangeProblem {
  /// The maximum number of minimal subsets that are solved; from more, as many are selected.
  private static var mostSubsets: Int { 600 }

  /// The excess cost over the best minimum up to which others are wanted: an alternative may cost
  /// more under the loss than by the odds of outliers.
  private static var mostPromise: Double { 40 }

  /// The excess cost of a start, under the loss or by the odds, from which its descent does not end
  /// in an alternative.
  private static var mostGain: Double { 20 }

  /// The number of ranges up to which minima are searched between spheres that do not meet.
  private static var fewRanges: Int { 6 }

  /// The maximum number of starts that the search refines.
  private static var mostStarts: Int { 64 }

  /// Returns the local minima of the cost, the lowest first.
  ///
  /// Refines the minima of the squared ranges, one of which is their global minimum, and the prior.
  /// Unless their cost is so low that no other minimum can matter, the positions that minimal
  /// subsets of the ranges determine are refined as well.
  func minima(_ options: PositionOptions, hardHeight: Self?) -> LocalMinima<D> {
    var found = LocalMinima<D>()
    // The accuracy that a double root allows.
    let tolerance = 1e-6 * scale
    var search: MinimumSearch<D>?
    func add(_ start: Vector<D>) {
      guard start.isFinite else { return }
      found.add(
        refine(
          from: start, limit: options.maximumIterations, by: options.steps, searching: &search),
        tolerance: tolerance)
      if let best = found.best { search?.update(found.all, ceiling: best.cost + Self.mostPromise) }
    }
    guard free > 0 else {
      add(given)
      return found
    }
    func addMinima(of problem: Self) {
      guard let minima = SquaredRanges(problem)?.minima() else { return }
      add(minima.global)
      if let other = minima.other {
        add(other)
      } else if problem.span.rank < problem.free, problem.isSaddle(minima.global) {
        // The gradient across the affine span vanishes here, but the likelihood increases to both
        // sides.
        let step = 0.01 * scale * problem.span.axes.row(problem.free - 1)
        add(minima.global + step)
        add(minima.global - step)
      }
    }
    addMinima(of: self)
    if let hardHeight { addMinima(of: hardHeight) }
    if let prior { add(prior.mean) }
    guard options.searchesForOutliers, let first = found.best, !isClear(first) else {
      return found
    }
    // Nearly all starts lead to minima that are then known.
    search = MinimumSearch(loss)
    search?.update(found.all, ceiling: first.cost + Self.mostPromise)
    if let squares = SquaredRanges(self) { add(squares.image(of: first.position)) }
    if count <= Self.fewRanges {
      if loss.shape != .squared { add(graduated(from: first.position)) }
      for left in 0..<count where count > free + 1 {
        addMinima(of: subset((0..<count).filter { $0 != left }))
      }
      // Between spheres that do not meet, a minimum may be far from every intersection.
      if let best = found.best, best.cost > PositionLimits.mostExcess {
        for one in 0..<count {
          for other in 0..<count where other != one {
            for side in [1.0, -1.0] {
              let start = onSphere(one, towards: other, side: side)
              if search?.isKnown(start) != true { add(start) }
            }
          }
        }
      }
    }
    // Squares increase without limit where a minimal subset contains a wrong range.
    let widest = loss.shape == .squared ? 4.0 : 1
    let most = widest * (found.best?.cost ?? .infinity) + 2 * Self.mostPromise
    var starts = subsetPositions(hardHeight: hardHeight, costing: most)
    // From the lowest on.
    starts.sort { $0.cost < $1.cost }
    search?.isStrict = false
    var (lowest, explained) = (Double.infinity, Double.infinity)
    var refined = 0
    for start in starts where refined < Self.mostStarts {
      if let best = found.best, best.cost < lowest {
        lowest = best.cost
        explained = explanationCost(at: best.position, options.outliers)
      }
      guard start.cost < widest * lowest + 2 * Self.mostPromise else { break }
      guard search?.isKnown(start.position) != true else { continue }
      guard
        loss.shape == .squared || start.cost <= lowest + Self.mostGain
          || explanationCost(at: start.position, options.outliers) <= explained + Self.mostGain
      else { continue }
      refined += 1
      add(start.position)
    }
    // Near a plane of anchors the cost is so flat that a descent may end on the ridge between two
    // minima.
    if let best = found.best, span.rank >= free - 1 {
      search = nil
      let axis = span.axes.row(free - 1)
      let curvature = (best.information * axis).dot(axis)
      let step = curvature > 0 ? min(0.1 * scale, 1 / curvature.squareRoot()) : 0.1 * scale
      add(best.position + step * axis)
      add(best.position - step * axis)
    }
    return found
  }

  /// Returns whether no other minimum can matter beside one: its cost is low, or many ranges agree
  /// and each is checked by the others.
  private func isClear(_ minimum: Refinement<D>) -> Bool {
    if minimum.cost <= PositionLimits.clearCost { return true }
    if loss.shape == .squared {
      return minimum.cost <= chiSquareLimit(degreesOfFreedom: max(1, count - free))
    }
    guard prior == nil, count >= free + PositionLimits.leastSpare,
      let inverse = freeInverse(minimum.information)
    else { return false }
    return (0..<count).allSatisfy {
      let offset = minimum.position - anchors[$0]
      let precision = 1 / sigmas[$0]
      let weight = weight($0, at: minimum.position)
      let (square, form) = (offset.dot(offset), offset.dot(inverse * offset))
      return weight >= 0.5
        && weight * precision * precision * form <= PositionLimits.clearInfluence * square
    }
  }

  /// Returns whether half the second derivative of the cost across the affine span is negative at a
  /// position on it.
  private func isSaddle(_ position: Vector<D>) -> Bool {
    let normal = span.axes.row(free - 1)
    var sum = 0.0
    for index in 0..<count {
      let offset = position - anchors[index]
      let distance = offset.length
      guard distance > 0 else { return true }
      guard offset.dot(normal).magnitude <= 1e-6 * scale else { return false }
      sum += (1 - distances[index] / distance) / (sigmas[index] * sigmas[index])
    }
    return sum < 0
  }
}

extension RangeProblem {
  /// A position and its cost.
  typealias Start = (position: Vector<D>, cost: Double)

  /// Returns the positions that minimal subsets of the ranges determine, up to a cost.
  ///
  /// Consensus of samples [Fischler & Bolles 1981], scored by the cost to be minimised [Torr &
  /// Zisserman 2000]: whichever ranges are wrong, some subset consists of right ones. From more than
  /// ``mostSubsets`` subsets, as many are selected deterministically by the golden ratio.
  private func subsetPositions(hardHeight: Self?, costing most: Double) -> [Start] {
    var starts: [Start] = []
    starts.reserveCapacity(128)
    func add(_ position: Vector<D>) {
      let cost = cost(at: position)
      if cost < most { starts.append((position, cost)) }
    }
    forEachMinimalSubset(of: free, among: count, limit: Self.mostSubsets) { solve($0, add) }
    if let hardHeight {
      forEachMinimalSubset(of: hardHeight.free, among: count, limit: Self.mostSubsets) {
        hardHeight.solve($0, add)
      }
    }
    return starts
  }

  /// Passes the positions that a minimal subset determines to `body`.
  @inline(__always)
  private func solve(_ members: [Int], _ body: (Vector<D>) -> Void) {
    guard D <= 3, free == 2 || free == 3 else {
      guard let minima = SquaredRanges(subset(members))?.minima() else { return }
      body(minima.global)
      if let other = minima.other { body(other) }
      return
    }
    func point(_ index: Int) -> SIMD3<Double> { anchors[members[index]].inSpace }
    func square(_ index: Int) -> Double {
      let distance = distances[members[index]]
      return distance * distance
    }
    let crossing =
      free == 3
      ? SphereIntersections.ofSpheres(
        point(0), point(1), point(2), squares: SIMD3(square(0), square(1), square(2)))
      : SphereIntersections.ofCircles(
        point(0), point(1), squares: SIMD2(square(0), square(1)), height: given.inSpace.z)
    guard let crossing else { return }
    for side in [1.0, -1.0] {
      let place = crossing.foot + side * crossing.lift
      var position = given
      for axis in 0..<free { position[axis] = place[axis] }
      body(position)
    }
  }

  /// Returns the position at the range from one anchor in the direction to another, or opposite.
  private func onSphere(_ one: Int, towards other: Int, side: Double) -> Vector<D> {
    let offset = anchors[other] - anchors[one]
    let length = offset.length
    guard length > 0 else { return given }
    var position = anchors[one] + (side * distances[one] / length) * offset
    for axis in free..<max(free, D) { position[axis] = given[axis] }
    return position
  }

  /// Returns the position that least squares reach while their loss changes gradually into that of
  /// Geman and McClure.
  ///
  /// Graduated non-convexity [Yang et al. 2020]: with ρ(z) = k²μ z²/(k²μ + z²), μ starts large
  /// enough to make the loss convex over all residuals. It falls to 1 by a factor of 1.4 per
  /// re-weighted step. Outliers lose their weight before they can hold the solution in a wrong
  /// minimum. The result is a starting point for the actual loss. No heap allocation.
  func graduated(from start: Vector<D>) -> Vector<D> {
    var largest = 0.0
    for index in 0..<count {
      largest = max(largest, (residual(index, at: start) / sigmas[index]).magnitude)
    }
    let final = RobustLoss.gemanMcClure.tuning
    var control = max(1, 2 * largest * largest / (final * final))
    guard control.isFinite else { return start }
    var position = start
    var problem = self
    while true {
      problem.loss = RobustLoss(
        searchingWith: final * control.squareRoot(), onlyLate: loss.onlyLate)
      position = problem.refine(from: position, limit: 2, by: .gaussNewton).position
      guard control > 1 else { return position }
      control = max(1, control / 1.4)
    }
  }
}

extension RangeProblem {
  /// Returns the minima for an estimate other than the maximum of the likelihood.
  func minima(by solver: PositionOptions.Solver, limit: Int) -> LocalMinima<D> {
    var found = LocalMinima<D>()
    switch solver {
    case .automatic: break
    case .descent(let steps):
      let start = free > 0 ? SquaredRanges(self)?.minima().global : given
      guard let start, start.isFinite else { break }
      found.add(refine(from: start, limit: limit, by: steps), tolerance: 0)
    case .squaredRanges:
      for position in squaredRangeMinima() where position.isFinite {
        found.add(solution(at: position), tolerance: 1e-9 * scale)
      }
    case .linear:
      guard span.rank == free, let coordinates = linearCoordinates(dimensions: free) else { break }
      found.add(solution(at: given + span.offset(of: coordinates)), tolerance: 0)
    }
    return found
  }

  /// Returns the minima of the squared ranges: one, two if they are mirror images, or an empty
  /// array.
  func squaredRangeMinima() -> [Vector<D>] {
    guard free > 0, span.rank >= free - 1, let squares = SquaredRanges(self) else { return [] }
    let minima = squares.minima()
    return [minima.global] + (minima.isPair ? [minima.other].compactMap { $0 } : [])
  }

  /// Returns a solution at a given position, for the quality measures.
  private func solution(at position: Vector<D>) -> Refinement<D> {
    let here = expansion(at: position)
    return Refinement(
      position: position, cost: here.cost, information: here.information, iterations: 0)
  }
}
