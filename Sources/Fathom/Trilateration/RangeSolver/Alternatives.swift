extension RangeProblem {
  /// The maximum number of alternatives: contradictory subsets of ranges yield any number.
  private static var mostAlternatives: Int { 4 }

  /// Returns the minima that the ranges cannot distinguish from the lowest, the lowest first.
  ///
  /// A minimum counts if its cost is hardly higher, or if it is hardly less likely when each range
  /// is wrong with the given odds.
  func indistinguishable(
    _ minima: [Refinement<D>], _ odds: OutlierOdds
  ) -> [Refinement<D>] {
    guard let best = minima.first, minima.count > 1 else { return minima }
    let isRobust = loss.shape != .squared && (odds.late > 0 || odds.early > 0)
    let limit = isRobust ? explanationCost(at: best.position, odds) + PositionLimits.mostExcess : 0
    var result = [best]
    for other in minima.dropFirst() where result.count <= Self.mostAlternatives {
      let isClose =
        other.cost <= best.cost + PositionLimits.mostExcess
        || isRobust && explanationCost(at: other.position, odds) <= limit
      if isClose { result.append(other) }
    }
    return result
  }

  /// Returns the positions on the known side and within the bounds, if any is.
  func selected(
    _ solutions: [Refinement<D>], within bounds: PositionBounds<D>?, _ side: AnchorSide?
  ) -> [Refinement<D>] {
    guard solutions.count > 1 else { return solutions }
    var result = solutions
    if let bounds {
      let inside = result.filter { bounds.contains(position(of: $0)) }
      if !inside.isEmpty { result = inside }
    }
    guard side != nil, result.count > 1 else { return result }
    return result.filter { one in
      !result.contains { isRuledOut(position(of: one), beside: position(of: $0), by: side) }
    }
  }

  /// Returns whether one position is the image of another, on the other side of the anchors' plane
  /// than is known.
  func isRuledOut(
    _ one: Vector<D>, beside other: Vector<D>, by side: AnchorSide?
  ) -> Bool {
    guard let side, D == 3, free == 3 else { return false }
    let normal = span.axes.row(free - 1)
    return (one - span.centre).dot(normal) * (other - span.centre).dot(normal) < 0
      && side.prefers(other, to: one) == true
  }

  /// Returns the index of the position that comes first.
  ///
  /// Of mirror images across anchors in a nearly horizontal plane that is the lower, because anchors
  /// are usually mounted above their tags; otherwise the likelier.
  func preferred(among positions: [Vector<D>]) -> Int {
    guard D == 3, free == 3, positions.count > 1 else { return 0 }
    let normal = span.axes.row(free - 1)
    guard normal[D - 1].magnitude > AnchorSide.leastRise else { return 0 }
    let first = positions[0] - span.centre
    return positions.indices.first {
      let other = positions[$0] - span.centre
      return other.dot(normal) * first.dot(normal) < 0 && other[D - 1] < first[D - 1]
    } ?? 0
  }
}

extension PositionFix {
  /// Returns the fix with the first of some indistinguishable solutions as position and the others
  /// as alternatives, before their covariances are widened, and the solutions that it contains.
  func described(
    _ solutions: [Refinement<D>], of problem: RangeProblem<D>, _ usable: [Int],
    _ options: PositionOptions
  ) -> (fix: Self, solutions: [Refinement<D>]) {
    var fix = self
    guard let best = solutions.first else { return (fix, []) }
    fix.describe(best, of: problem, usable: usable)
    if fix.verdict == .unique, options.solver == .automatic {
      fix.commonOffset = problem.commonOffset(at: best, options.outliers)
    }
    let others = fix.add(solutions.dropFirst(), of: problem, options)
    return (fix, [best] + others)
  }

  /// Widens the covariances of the position and of the alternatives, which are those of `solutions`.
  mutating func widen(
    _ solutions: [Refinement<D>], of problem: RangeProblem<D>, within bounds: PositionBounds<D>?,
    _ options: PositionOptions
  ) {
    guard let best = solutions.first else { return }
    for (index, other) in solutions.dropFirst().enumerated() {
      if options.widensCovariance, var wide = alternatives[index].covariance {
        _ = LikelihoodRegion(
          problem, around: other.position, consistency: problem.consistency(of: other)
        ).widen(&wide)
        alternatives[index].covariance = wide.symmetrized()
      }
      if options.scalesCovariance {
        let factor = problem.spreadOfResiduals(at: other)
        alternatives[index].covariance = alternatives[index].covariance?.scaled(by: factor)
      }
    }
    widen(best, of: problem, within: bounds, options)
    // Last, so that the residuals decide nothing but the size of the covariance.
    if options.scalesCovariance {
      covariance = covariance?.scaled(by: problem.spreadOfResiduals(at: best))
    }
  }

  /// Widens the covariance of the solution `best` where the likelihood is bent, and where a range
  /// may be wrong that no other checks.
  private mutating func widen(
    _ best: Refinement<D>, of problem: RangeProblem<D>, within bounds: PositionBounds<D>?,
    _ options: PositionOptions
  ) {
    guard options.widensCovariance, let position, var wide = covariance, undetermined.isEmpty else {
      return
    }
    // A prior of the whole position is part of another estimate, which takes second moments.
    if let prior = problem.prior, Cholesky(prior.information) != nil { return }
    let consistency = problem.consistency(of: best)
    let region = LikelihoodRegion(problem, around: best.position, consistency: consistency)
    var isStraight = false
    switch region.widen(&wide) {
    case .straight: isStraight = true
    case .bent: break
    case .open(let direction): undetermined = [direction]
    }
    if options.solver == .automatic,
      let assumed = problem.freeInverse(problem.calibratedInformation(of: best))
    {
      let others = alternatives.map(\.position)
      UncheckedRanges(problem: problem, odds: options.outliers) { place in
        // What is reported, or ruled out by what is known besides the ranges.
        others.contains { 2 * (place - $0).length < (place - position).length }
          || bounds.map { $0.contains(position) && !$0.contains(place) } ?? false
          || problem.isRuledOut(place, beside: position, by: options.usableSide)
      }
      .widen(
        &wide, at: best.position, assumed: assumed, consistency: consistency,
        isStraight: isStraight)
    }
    covariance = wide.symmetrized()
  }

  /// Adds the other solutions, as far as they are distinct: images closer than their own
  /// uncertainty are one answer with the covariance of both.
  ///
  /// Returns those that were added; a common offset may add another alternative.
  private mutating func add(
    _ others: ArraySlice<Refinement<D>>, of problem: RangeProblem<D>, _ options: PositionOptions
  ) -> [Refinement<D>] {
    var added: [Refinement<D>] = []
    for other in others {
      let information = problem.calibratedInformation(of: other)
      let spread = problem.covariance(
        information: information, inverse: problem.freeInverse(information))?.matrix
      let alternative = PositionAlternative(
        position: problem.position(of: other), covariance: spread)
      if options.widensCovariance, merge(alternative) { continue }
      add([alternative])
      added.append(other)
    }
    if let commonOffset {
      let alternative = PositionAlternative(
        position: commonOffset.position, covariance: commonOffset.covariance)
      if !options.widensCovariance || !merge(alternative) { add([alternative]) }
    }
    return added
  }

  /// Widens the covariance by an alternative closer than the uncertainty of both; returns whether it
  /// is that close.
  private mutating func merge(_ alternative: PositionAlternative<D>) -> Bool {
    guard let position, let own = covariance else { return false }
    let offset = alternative.position - position
    let length = offset.length
    guard length > 0 else { return true }
    let direction = (1 / length) * offset
    let first = max(0, (own * direction).dot(direction))
    let second = alternative.covariance.map { max(0, ($0 * direction).dot(direction)) } ?? 0
    guard length <= first.squareRoot() + second.squareRoot() else { return false }
    // The second moment of both, equally likely, about the position.
    covariance?.widen(along: direction, to: 0.5 * (first + second + length * length))
    return true
  }
}

extension Matrix {
  /// Returns the matrix times a factor; nil if that is not finite.
  fileprivate func scaled(by factor: Double) -> Self? {
    let result = factor * self
    return result.isFinite ? result : nil
  }
}
