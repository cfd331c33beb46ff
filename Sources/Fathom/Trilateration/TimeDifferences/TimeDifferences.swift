/// By how much farther a tag is from one anchor than from another, as the difference of two arrival
/// times has it.
public struct TimeDifference: Sendable, Hashable {
  /// The index of the one anchor.
  public var first: Int
  /// The index of the other anchor.
  public var second: Int
  /// The distance from the first less the distance from the second, metres: the difference of the
  /// arrival times by the speed of light.
  public var difference: Double

  /// The distance from the anchor at index `first` exceeds that from `second` by `difference`
  /// metres.
  public init(first: Int, second: Int, difference: Double) {
    self.first = first
    self.second = second
    self.difference = difference
  }
}

/// A position from time differences, and what became of the arrivals behind them.
public struct TimeDifferenceFix<let D: Int>: Sendable, Equatable {
  /// The position; its contributions and residuals are those of the differences.
  ///
  /// A difference has the weight of the worse of its two arrivals, or its own where that is less.
  /// The influences add up to the number of coordinates.
  public var fix: PositionFix<D>
  /// What became of the arrival at each anchor.
  ///
  /// Its residual is by how many metres it came later than the position and the other arrivals have
  /// it. Nil for anchors that no difference names, and for all
  /// where there is no position; weight 0 for arrivals that no position explains.
  package var arrivals: [RangeContribution?]
  /// Indices of the differences that exceed the distance between their anchors by more than 3.29
  /// standard deviations, which no position causes; all of them are discounted.
  public var impossible: [Int] = []

  /// Indices of the anchors whose arrivals got less than half of their weight.
  public var discountedArrivals: [Int] {
    arrivals.indices.filter { (arrivals[$0]?.weight ?? 1) < 0.5 }
  }
}

/// Positions from time differences of arrival (TDOA), hyperbolic positions.
///
/// Differences that share an arrival share its error. Their covariance is A S Aᵀ + σ²I, where the
/// rows of A take differences, S holds the variances of the arrivals and σ is what every difference
/// adds of its own; the likelihood has all of it, so that it does not matter which anchor is the
/// reference, nor whether all pairs are given or only independent ones.
///
/// The loss acts on the arrivals, and on what differences have of their own: one late arrival is
/// one error, be it in one difference or, at the reference, in all.
///
/// The start is global, as for ``PseudoRanges``: arrivals with a common offset that fit the
/// differences best give every stationary point of the squared errors.
public enum TimeDifferences {
  /// What is assumed or known besides the differences.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of arrivals that come without their own, metres.
    public var arrivalSigma = 0.10
    /// Standard deviation that every difference adds of its own, metres: zero where all differences
    /// come of the same arrivals.
    ///
    /// Where they were taken at different times and share none, this is all of the noise, and the
    /// arrivals may have as little as 1e-6 m.
    public var differenceSigma = 0.0
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
  }

  /// Solves for the position that makes the differences most likely.
  ///
  /// - Parameters:
  ///   - differences: pairs of different anchors, in any order and number. Those that are NaN or
  ///     infinite or name one anchor twice are left out and listed in ``PositionFix/discounted``.
  ///   - anchors: the positions that they name, metres, all finite.
  ///   - sigmas: standard deviations of the arrivals, metres, one per anchor, positive; nil for
  ///     ``Options/arrivalSigma``.
  ///   - covariances: covariances of the anchors' positions, m², nil where they are exact. They
  ///     count
  ///     along the line of sight, at the solution.
  ///   - prior: the prior of the position; it makes up for differences that are missing.
  ///   - bounds: a box that chooses between two positions where one lies inside.
  ///   - options: the noise, a known height, the loss.
  /// - Returns: The fix, with one residual per difference, and the arrivals.
  /// - Throws: ``TrilaterationError`` where the input contradicts itself; `sigmaNotPositive` with
  ///   index -1 for ``Options/differenceSigma`` that is negative or not finite; `anchorNotFinite`
  ///   also for a covariance that is not finite.
  ///
  /// ## Edge cases
  /// - As many independent differences as coordinates often leave two positions; anchors in a plane
  ///   leave a mirror image: `two`.
  /// - A tag far outside gives a direction only: `continuum`, where the likelihood keeps rising
  ///   towards infinity.
  /// - Differences of one epoch add up to zero around a loop. Where they do not, and
  ///   ``Options/differenceSigma`` is zero, those that do not close their loops are discounted, and
  ///   a misclosure within the errors of the arrivals has no weight.
  /// - Differences that no position can cause count against the arrival that most of them share.
  ///   Where none stands out, the loss decides, and the verdict is `inconsistent` if it keeps both.
  /// - Differences that fall into groups without a common anchor have no pseudo-ranges. They start
  ///   from a few points around the anchors instead, without a global guarantee.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for eight anchors, some milliseconds where a search is needed;
  /// allocates.
  public static func solve<let D: Int>(
    differences: [TimeDifference], anchors: [Vector<D>], sigmas: [Double]? = nil,
    covariances: [Matrix<D, D>?]? = nil, prior: PositionPrior<D>? = nil,
    within bounds: PositionBounds<D>? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> TimeDifferenceFix<D> {
    let own = options.differenceSigma
    guard own >= 0, own.isFinite else { throw .sigmaNotPositive(index: -1) }
    let assumptions = PositionAssumptions(
      height: options.height, heightSigma: options.height == nil ? nil : options.heightSigma,
      loss: options.loss, searchesForOutliers: options.searchesForOutliers,
      scalesCovariance: options.scalesCovariance, prior: prior, bounds: bounds)
    try assumptions.check()
    let all = try ArrivalProblem(
      anchors: anchors, sigmas: sigmas, covariances: covariances,
      defaultSigma: options.arrivalSigma, height: assumptions.hardHeight)
    var epoch = DifferenceSolver(differences, all, own: own, assumptions)
    epoch.solve()
    return epoch.result
  }
}
