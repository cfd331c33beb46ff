/// A position from ranges that share an unknown offset, and that offset.
///
/// One-way ranges to a receiver whose clock is not synchronised have one, as have ranges of a tag
/// whose antenna delay was never calibrated.
public struct PseudoRangeFix<let D: Int>: Sendable, Equatable {
  /// The position; its residuals are pseudo-range minus distance minus offset.
  ///
  /// The ``DilutionOfPrecision/geometric`` dilution includes the offset, and influences add up to
  /// one more than the number of coordinates.
  public var fix: PositionFix<D>
  /// What all ranges have in common, metres; nil where there is no position.
  public var offset: Double?
  /// Standard deviation of ``offset``, metres.
  public var offsetSigma: Double?
  /// The offset that belongs to the alternative position, metres; nil where there is none.
  public var alternativeOffset: Double?
}

/// Positions from pseudo-ranges: ranges that share an unknown offset.
///
/// The start is global: every stationary point of the squared errors comes from one eigenvalue
/// problem [Larsson et al. 2025; Bancroft 1985], and the likeliest of them are refined under a
/// robust loss. Where the pseudo-ranges contradict each other, graduated non-convexity [Yang et al.
/// 2020] and the positions of smallest sets [Fischler & Bolles 1981] compete.
public enum PseudoRanges {
  /// What is assumed or known besides the pseudo-ranges.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of pseudo-ranges that come without their own, metres.
    public var rangeSigma = 0.10
    /// The known value of the last coordinate, metres.
    public var height: Double?
    /// Standard deviation of ``height``, metres: the last coordinate is then estimated as well; nil
    /// for a height that is exact.
    public var heightSigma: Double?
    /// What a residual costs.
    public var loss = RobustLoss.cauchy
    /// Whether residuals too large for the assumed errors start a search for what is wrong.
    public var searchesForOutliers = true
    /// Whether covariances are scaled with the residuals instead of resting on the assumed errors
    /// alone.
    public var scalesCovariance = false

    /// The defaults.
    public init() {}

    func assumptions<let D: Int>(
      _ prior: PositionPrior<D>?, _ bounds: PositionBounds<D>?
    ) throws(TrilaterationError) -> PositionAssumptions<D> {
      let assumptions = PositionAssumptions(
        height: height, heightSigma: height == nil ? nil : heightSigma, loss: loss,
        searchesForOutliers: searchesForOutliers, scalesCovariance: scalesCovariance, prior: prior,
        bounds: bounds)
      try assumptions.check()
      return assumptions
    }
  }

  /// Solves for the position and the offset that make the pseudo-ranges most likely, for
  /// independent errors.
  ///
  /// - Parameters:
  ///   - ranges: distance plus offset, metres; any sign. NaN and infinities are left out and listed
  ///     in
  ///     ``PositionFix/discounted``, with those that got less than half of their weight.
  ///   - anchors: as many positions, metres, all finite.
  ///   - sigmas: standard deviations, metres, positive; nil for ``Options/rangeSigma``.
  ///   - covariances: covariances of the anchors' positions, m², nil where they are exact. They
  ///     count
  ///     along the line of sight, at the solution.
  ///   - prior: the prior of the position; it makes up for pseudo-ranges that are
  ///     missing.
  ///   - bounds: a box that chooses between two positions where one lies inside.
  ///   - options: noise, a known height, the loss.
  /// - Returns: The position with its verdict, and the offset. With as many pseudo-ranges as
  ///   unknowns there are often two solutions, and nothing is left over to judge them.
  /// - Throws: ``TrilaterationError`` where the input contradicts itself; `anchorNotFinite` also
  ///   for a covariance that is not finite.
  ///
  /// ## Edge cases
  /// Where the likelihood keeps rising towards infinity, only a direction is determined:
  /// `continuum`. Anchors in a plane leave a mirror image.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for eight anchors, some milliseconds where a search is needed;
  /// allocates.
  public static func solve<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil,
    covariances: [Matrix<D, D>?]? = nil, prior: PositionPrior<D>? = nil,
    within bounds: PositionBounds<D>? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PseudoRangeFix<D> {
    let assumptions = try options.assumptions(prior, bounds)
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
    result.fix.take(contributions)
    result.offset = best.unknowns[free]
    result.offsetSigma = best.covariance[free, free].squareRoot()
    result.alternativeOffset = solutions.count > 1 ? solutions[1].unknowns[free] : nil
    result.fix.dilution = arrivals.problem.dilution(at: best.unknowns, of: usable.count)
    return result
  }
}
