/// A range measured from a pose of a receiver that moves.
public struct PosedRange: Sendable, Equatable {
  /// Position of the receiver in the world frame, metres.
  public var position: Vector<3>
  /// Covariance of that position, m²; nil where it is exact.
  public var positionCovariance: Matrix<3, 3>?
  /// The measured distance, metres.
  public var range: Double
  /// Standard deviation of the distance, metres; nil for the default of the options.
  public var sigma: Double?

  /// The distance `range` from `position`, metres.
  public init(
    position: Vector<3>, range: Double, sigma: Double? = nil,
    positionCovariance: Matrix<3, 3>? = nil
  ) {
    self.position = position
    self.range = range
    self.sigma = sigma
    self.positionCovariance = positionCovariance
  }
}

/// One radio that stands still, located by ranges from many places along a known way: the phone
/// walks, the accessory stays.
///
/// Every pose acts as an anchor of ``Trilateration``, whose losses and searches deal with ranges
/// that do not fit. The uncertainty Σ of a pose counts twice. Along the line of sight, with unit
/// vector u, it adds uᵀΣu to the variance of the range. Across it, it makes the expected range
/// longer than the distance d from the presumed pose, whichever way the pose is wrong: by (tr Σ -
/// uᵀΣu) / 2d, the second-order term of the length of a vector. All ranges have that bias in
/// common, which a way that hardly leaves a plane turns into a bias of the height many times as
/// large.
public enum MovingReceiver {
  /// What is assumed or known besides the ranges.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of ranges that come without their own, metres.
    public var rangeSigma = 0.10
    /// The known height of the radio, metres.
    public var height: Double?
    /// Standard deviation of ``height``, metres: it is then estimated as well; nil for a height
    /// that is exact.
    public var heightSigma: Double?
    /// What a residual costs.
    public var loss = RobustLoss.cauchy
    /// Whether residuals too large for the assumed errors start a search for the ranges that are
    /// wrong.
    public var searchesForOutliers = true
    /// Whether covariances are scaled with the residuals instead of resting on the assumed errors
    /// alone.
    public var scalesCovariance = false

    /// The defaults.
    public init() {}
  }

  /// Locates the radio that stands still.
  ///
  /// - Parameters:
  ///   - observations: ranges along the way; NaN, infinities, zeros and negative ranges are left
  ///     out.
  ///   - prior: the prior of the position of the radio.
  ///   - bounds: a box that chooses between a position and its mirror image where one lies inside.
  ///   - options: noise, height, loss.
  /// - Returns: The fix. ``PositionFix/discounted`` lists the ranges that were left out and those
  ///   that got less than half of their weight.
  /// - Throws: ``TrilaterationError``, where a pose counts as an anchor; `anchorNotFinite` also for
  ///   a covariance that is not finite.
  ///
  /// ## Edge cases
  /// A way along a straight line leaves a circle: `continuum`. A way in a plane, such as that of a
  /// phone carried at one height, leaves two positions, above and below it, unless the height is
  /// known.
  ///
  /// ## Limits
  /// Errors of poses count as independent. The drift of a whole way is common to all and shows up
  /// in the position in full, not in its covariance. Where half of the ranges or more are wrong in
  /// the same manner, they win.
  ///
  /// ## Cost
  /// That of ``Trilateration`` from all ranges, three times where poses are uncertain; allocates.
  public static func solve(
    _ observations: [PosedRange], prior: PositionPrior<3>? = nil,
    within bounds: PositionBounds<3>? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<3> {
    for (index, one) in observations.enumerated() {
      guard one.position.isFinite, one.positionCovariance?.isFinite ?? true else {
        throw .anchorNotFinite(index: index)
      }
      let sigma = one.sigma ?? options.rangeSigma
      guard sigma > 0, sigma.isFinite else { throw .sigmaNotPositive(index: index) }
    }
    var settings = PositionOptions()
    settings.height = options.height
    settings.heightSigma = options.height == nil ? nil : options.heightSigma
    settings.loss = options.loss
    settings.searchesForOutliers = options.searchesForOutliers
    settings.scalesCovariance = options.scalesCovariance
    let places = observations.map(\.position)
    var fix = PositionFix<3>(without: .tooFew, count: 0, unknowns: 3, discounted: [])
    // What a pose adds depends on the line of sight, so that the first fix lacks it.
    let passes = observations.contains { $0.positionCovariance != nil } ? 3 : 1
    for pass in 0..<passes {
      let posed = observations.map { $0.seen(from: pass == 0 ? nil : fix.position, options) }
      fix = try RangeSolver.solve(
        posed.map(\.range), places, posed.map(\.sigma), prior, bounds, settings)
      guard fix.position != nil else { return fix }
      if pass == passes - 1 {
        try fix.lookBehind(
          observations, posed.map(\.range), posed.map(\.sigma), settings, prior, bounds)
      }
    }
    return fix
  }
}

extension PositionFix where D == 3 {
  /// Looks for a position behind the way that its ranges cannot tell from this one, and takes the
  /// variance of both across the way as the likelihood has it.
  ///
  /// A prior of the position leaves neither to be asked.
  fileprivate mutating func lookBehind(
    _ observations: [PosedRange], _ ranges: [Double], _ sigmas: [Double],
    _ settings: PositionOptions, _ prior: PositionPrior<3>?, _ bounds: PositionBounds<3>?
  ) throws(TrilaterationError) {
    guard prior == nil, settings.heightSigma == nil, undetermined.isEmpty, let position else {
      return
    }
    var known = Vector<3>.zero
    if let height = settings.height { known[2] = height }
    let usable = try UsableRanges(
      ranges, observations.map(\.position), sigmas, settings)
    var problem = usable.problem(free: unknowns, known: known)
    problem.loss = settings.loss
    let centre = problem.span.centre
    let profile = LikelihoodProfile(problem)
    if alternative == nil {
      let best = problem.refine(from: position - centre, limit: settings.maximumIterations)
      let axis = problem.span.axes.row(unknowns - 1)
      let image = best.position + -2 * best.position.dot(axis) * axis
      let other = problem.refine(from: image, limit: settings.maximumIterations)
      let found = problem.position(of: other)
      let margin = usable.indices.map { observations[$0] }.margin(
        between: position, and: found, usable.sigmas)
      if other.position.isFinite, other.cost <= best.cost + margin,
        (other.position - best.position).length > 1e-4 * problem.scale,
        bounds.map({ $0.contains(found) == $0.contains(position) }) ?? true,
        let inverse = problem.freeInverse(problem.calibratedInformation(of: other))
      {
        alternative = found
        alternativeCovariance =
          settings.scalesCovariance ? problem.spreadOfResiduals(at: other) * inverse : inverse
        if verdict == .unique { verdict = .two }
      }
    }
    if let assumed = covariance, let found = profile.widened(assumed, at: position - centre) {
      covariance = found
    }
    if let alternative, let assumed = alternativeCovariance,
      let found = profile.widened(assumed, at: alternative - centre)
    {
      alternativeCovariance = found
    }
  }
}

extension [PosedRange] {
  /// By how much the cost of a position may exceed that of another in 1 % of all cases although it
  /// is the true one.
  ///
  /// For exact poses 6.63, as for ``Trilateration``. Errors of poses blur what tells the two apart,
  /// which are the differences q of the distances from them: the difference of the costs has a
  /// variance of 4 Σ q² v / σ⁴, v being the variance of the mean residual of both, and no more of a
  /// mean than Σ (q² - var q) / σ².
  fileprivate func margin(
    between first: Vector<3>, and second: Vector<3>, _ sigmas: [Double]
  ) -> Double {
    var (variance, mean) = (0.0, 0.0)
    for (one, sigma) in zip(self, sigmas) {
      guard let spread = one.positionCovariance else { continue }
      let lines = (first - one.position, second - one.position)
      let lengths = (lines.0.length, lines.1.length)
      guard lengths.0 > 0, lengths.1 > 0 else { continue }
      let units = ((1 / lengths.0) * lines.0, (1 / lengths.1) * lines.1)
      let (sum, difference) = (0.5 * (units.0 + units.1), units.0 - units.1)
      let own = sigma * sigma - units.0.dot(spread * units.0)
      let gap = lengths.1 - lengths.0
      let square = sigma * sigma
      variance += 4 * gap * gap * (Swift.max(0, own) + sum.dot(spread * sum)) / (square * square)
      mean += (gap * gap - difference.dot(spread * difference)) / square
    }
    let margin = 2.33 * variance.squareRoot() - Swift.max(0, mean)
    return margin.isFinite ? Swift.max(6.63, margin) : 6.63
  }
}

extension PosedRange {
  /// The range less the bias, and its effective standard deviation, for a radio at `position`;
  /// without one the variance of the pose counts as if it were the same all round.
  fileprivate func seen(
    from position: Vector<3>?, _ options: MovingReceiver.Options
  ) -> (range: Double, sigma: Double) {
    let own = sigma ?? options.rangeSigma
    guard let spread = positionCovariance else { return (range, own) }
    let trace = max(0, spread.trace)
    let even = (range, (own * own + trace / 3).squareRoot())
    guard let position else { return even }
    let offset = position - self.position
    let length = offset.length
    guard length > 0, length.isFinite else { return even }
    let unit = (1 / length) * offset
    let along = max(0, unit.dot(spread * unit))
    // The expansion says nothing closer than the pose is known.
    let bias = max(0, trace - along) / (2 * max(length, trace.squareRoot()))
    let corrected = range > bias ? range - bias : range
    return (corrected, (own * own + along).squareRoot())
  }
}
