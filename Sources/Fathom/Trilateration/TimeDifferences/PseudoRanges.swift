/// A position and the common offset of its ranges.
///
/// One-way ranges to a receiver with an unsynchronised clock have a common offset, and so have
/// ranges of a tag with an uncalibrated antenna delay.
public struct PseudoRangeFix<let D: Int>: Sendable, Equatable {
  /// The position fix; its residuals are pseudo-range minus distance minus offset.
  ///
  /// The ``DilutionOfPrecision/geometric`` dilution includes the offset, and the influences add up
  /// to the number of coordinates plus one.
  public var fix: PositionFix<D>
  /// The common offset of all ranges, metres; nil without a position.
  public var offset: Double?
  /// Standard deviation of ``offset``, metres.
  public var offsetSigma: Double?
  /// The offset of the alternative position, metres; nil without an alternative.
  public var alternativeOffset: Double?
}

/// Computes positions from pseudo-ranges: ranges with an unknown common offset.
///
/// The search is global: one eigenvalue problem yields all stationary points of the squared errors
/// [Larsson et al. 2025; Bancroft 1985]. The most likely of them are refined under a robust loss.
/// If the pseudo-ranges are contradictory, graduated non-convexity [Yang et al. 2020] and the
/// positions of minimal subsets [Fischler & Bolles 1981] provide further candidates.
public enum PseudoRanges {
  /// Assumptions and known facts besides the pseudo-ranges, and settings of the solver.
  public typealias Options = PositionOptions

  /// Computes the maximum-likelihood position and offset for independent errors.
  ///
  /// - Parameters:
  ///   - ranges: distance plus offset, metres; any sign. NaN and infinite values are ignored and
  ///     listed in ``PositionFix/discounted``, with those whose weight is below one half.
  ///   - anchors: one position per range, metres, all finite.
  ///   - sigmas: standard deviations, metres, positive; nil for ``PositionOptions/rangeSigma``.
  ///   - covariances: covariances of the anchors' positions, m², nil for exact positions. They
  ///     count along the line of sight at the solution.
  ///   - prior: the prior of the position; it can replace missing pseudo-ranges.
  ///   - bounds: a box that selects between two positions if exactly one lies inside.
  ///   - options: noise, a known height, the loss.
  /// - Returns: The position with its verdict, and the offset. With as many pseudo-ranges as
  ///   unknowns there are often two solutions, and no redundancy to decide between them.
  /// - Throws: ``TrilaterationError`` if the counts differ, an anchor or the height is not
  ///   finite, or a standard deviation is not positive; `anchorNotFinite` also for a covariance that
  ///   is not finite.
  ///
  /// ## Edge cases
  /// If the likelihood increases towards infinity, only a direction is determined: `continuum`.
  /// Coplanar anchors leave a mirror image.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for eight anchors, some milliseconds if a search is needed.
  /// Allocates.
  public static func solve<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil,
    covariances: [Matrix<D, D>?]? = nil, prior: PositionPrior<D>? = nil,
    within bounds: PositionBounds<D>? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PseudoRangeFix<D> {
    let assumptions = try PositionAssumptions(options, prior, bounds)
    let all = try ArrivalProblem(
      anchors: anchors, sigmas: sigmas, covariances: covariances, defaultSigma: options.rangeSigma,
      height: assumptions.hardHeight, count: ranges.count)
    let usable = ranges.indices.filter { ranges[$0].isFinite }
    var result = PseudoRangeFix<D>(
      fix: PositionFix(
        without: .tooFew, count: ranges.count, unknowns: all.free,
        discounted: ranges.indices.filter { !ranges[$0].isFinite }))
    let arrivals = ArrivalEquations(
      problem: all.selecting(usable), arrivals: usable.map { ranges[$0] },
      groups: usable.map { _ in 0 }, assumptions: assumptions)
    guard usable.count >= max(2, arrivals.needed) else { return result }
    guard arrivals.determinesPosition else {
      result.fix.verdict = .continuum
      return result
    }
    let (fits, equations) = arrivals.solve()
    let solutions = result.fix.describe(
      fits, of: equations, under: assumptions, position: arrivals.problem.position)
    guard let best = solutions.first else { return result }
    let free = all.free
    var contributions = [RangeContribution?](repeating: nil, count: ranges.count)
    for (index, input) in usable.enumerated() {
      let expected = arrivals.problem.distance(index, best.unknowns) + best.unknowns[free]
      contributions[input] = RangeContribution(
        residual: ranges[input] - expected, weight: best.rows[index].weight,
        influence: best.rows[index].influence)
    }
    result.fix.record(contributions)
    result.offset = best.unknowns[free]
    result.offsetSigma = best.covariance[free, free].squareRoot()
    result.alternativeOffset = solutions.count > 1 ? solutions[1].unknowns[free] : nil
    result.fix.dilution = arrivals.problem.dilution(at: best.unknowns, of: usable.count)
    return result
  }
}
