/// The difference of a tag's distances to two anchors, measured as a difference of arrival times.
public struct TimeDifference: Sendable, Hashable {
  /// The index of the first anchor.
  public var first: Int
  /// The index of the second anchor.
  public var second: Int
  /// The distance to the first anchor minus the distance to the second, metres: the difference of
  /// the arrival times multiplied by the speed of light.
  public var difference: Double

  /// Creates the difference of `difference` metres between the distances to the anchors at the
  /// indices `first` and `second`.
  public init(first: Int, second: Int, difference: Double) {
    self.first = first
    self.second = second
    self.difference = difference
  }
}

/// A position from time differences, with the contributions of the arrivals.
public struct TimeDifferenceFix<let D: Int>: Sendable, Equatable {
  /// The position fix; its contributions and residuals are those of the differences.
  ///
  /// A difference has the smallest of its own weight and the weights of its two arrivals. The
  /// influences add up to the number of coordinates.
  public var fix: PositionFix<D>
  /// The contribution of the arrival at each anchor.
  ///
  /// The residual is the delay, metres, relative to the position and the other arrivals. Nil for
  /// anchors without differences, and for all anchors without a position. The weight is 0 for
  /// arrivals that no position explains.
  package var arrivals: [RangeContribution?]
  /// Indices of the differences that exceed the distance between their anchors by more than 3.29
  /// standard deviations.
  ///
  /// No position can cause them; all of them are discounted.
  public var impossible: [Int] = []

  /// Indices of the anchors whose arrivals have a weight below one half.
  public var discountedArrivals: [Int] {
    arrivals.indices.filter { (arrivals[$0]?.weight ?? 1) < 0.5 }
  }
}

/// Computes positions from time differences of arrival (TDOA), hyperbolic positions.
///
/// Differences with a common arrival have its error in common. Their covariance is A S Aᵀ + σ²I:
/// the rows of A take differences, S holds the variances of the arrivals, and σ is the additional
/// independent error of every difference. The likelihood uses the full covariance. The result
/// therefore does not depend on the reference anchor, nor on whether all pairs or only independent
/// ones are given.
///
/// The loss applies to the arrivals and to the independent errors of the differences. One late
/// arrival is one error, whether in one difference or, at the reference, in all.
///
/// The search is global, as in ``PseudoRanges``: the arrivals that fit the differences best, with a
/// common offset, give every stationary point of the squared errors.
public enum TimeDifferences {
  /// Assumptions and known facts besides the differences, and settings of the solver;
  /// ``PositionOptions/rangeSigma`` is the standard deviation of arrivals given without their own.
  public typealias Options = PositionOptions

  /// Computes the maximum-likelihood position of the differences.
  ///
  /// - Parameters:
  ///   - differences: pairs of different anchors, in any order and number. Differences that are NaN
  ///     or infinite or refer to one anchor twice are ignored and listed in
  ///     ``PositionFix/discounted``.
  ///   - anchors: the positions of the anchors, metres, all finite. The indices of the differences
  ///     must be within this array.
  ///   - sigmas: standard deviations of the arrivals, metres, one per anchor, positive; nil for
  ///     ``PositionOptions/rangeSigma``.
  ///   - covariances: covariances of the anchors' positions, m², nil for exact positions. They
  ///     count along the line of sight at the solution.
  ///   - prior: the prior of the position; it can replace missing differences.
  ///   - bounds: a box that selects between two positions if exactly one lies inside.
  ///   - options: the noise, a known height, the loss.
  /// - Returns: The fix, with one residual per difference, and the arrivals.
  /// - Throws: ``TrilaterationError`` if the counts differ, an anchor or the height is not
  ///   finite, or a standard deviation is not positive; `optionNotPositive` for
  ///   ``PositionOptions/differenceSigma`` that is negative or not finite; `anchorNotFinite` also for a
  ///   covariance that is not finite.
  ///
  /// ## Edge cases
  /// - As many independent differences as coordinates often leave two positions; coplanar anchors
  ///   leave a mirror image: `two`.
  /// - If the likelihood increases towards infinity, as for a tag far outside, only a direction is
  ///   determined: `continuum`.
  /// - Differences of one epoch add up to zero around a loop. If ``PositionOptions/differenceSigma`` is
  ///   zero, differences that do not close their loops are discounted. A misclosure within the
  ///   errors of the arrivals has no effect.
  /// - Differences that no position can cause count against the arrival common to most of them. If
  ///   there is no single such arrival, the loss decides, and the verdict is `inconsistent` if it
  ///   keeps both.
  /// - Differences in several groups without a common anchor have no pseudo-ranges. Their search
  ///   starts from a few points around the anchors, without a global guarantee.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for eight anchors, some milliseconds if a search is needed.
  /// Allocates.
  public static func solve<let D: Int>(
    differences: [TimeDifference], anchors: [Vector<D>], sigmas: [Double]? = nil,
    covariances: [Matrix<D, D>?]? = nil, prior: PositionPrior<D>? = nil,
    within bounds: PositionBounds<D>? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> TimeDifferenceFix<D> {
    let own = options.differenceSigma
    guard own >= 0, own.isFinite else { throw .optionNotPositive("differenceSigma") }
    let assumptions = try PositionAssumptions(options, prior, bounds)
    let all = try ArrivalProblem(
      anchors: anchors, sigmas: sigmas, covariances: covariances,
      defaultSigma: options.rangeSigma, height: assumptions.hardHeight)
    var epoch = DifferenceSolver(differences, all, own: own, assumptions)
    epoch.solve()
    return epoch.result
  }
}
