/// A range measured from one pose of a moving receiver.
public struct PosedRange: Sendable, Equatable {
  /// Position of the receiver in the world frame, metres.
  public var position: Vector<3>
  /// Covariance of that position, m²; nil for an exact position.
  public var positionCovariance: Matrix<3, 3>?
  /// The measured distance, metres.
  public var range: Double
  /// Standard deviation of the distance, metres; nil for the default of the options.
  public var sigma: Double?

  /// Creates the distance `range` from `position`, metres.
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

/// Locates one stationary radio by ranges from many points of a known trajectory, such as an
/// accessory by a walking phone.
///
/// Every pose acts as an anchor of ``Trilateration``, with its losses and outlier searches. The
/// covariance Σ of a pose has two effects:
///
/// - Along the line of sight, with unit vector u, it adds uᵀΣu to the variance of the range.
/// - Across it, it makes the expected range longer than the distance d from the nominal pose by (tr
///   Σ - uᵀΣu) / 2d. This is the second-order term of the length of a vector, which is positive for
///   every pose error.
///
/// The bias is common to all ranges. A nearly planar trajectory turns it into a height bias many
/// times as large.
public enum MovingReceiver {
  /// Assumptions and known facts besides the ranges, and settings of the solver; poses count as
  /// anchors.
  public typealias Options = PositionOptions

  /// Computes the position of the stationary radio.
  ///
  /// - Parameters:
  ///   - observations: ranges along the trajectory; NaN, infinite, zero and negative ranges are
  ///     ignored.
  ///   - prior: the prior of the position of the radio.
  ///   - bounds: a box that selects between a position and its mirror image if exactly one lies
  ///     inside.
  ///   - options: noise, height, loss.
  /// - Returns: The fix. ``PositionFix/discounted`` lists the ignored ranges and those with a
  ///   weight below one half.
  /// - Throws: ``TrilaterationError``, where a pose counts as an anchor; `anchorNotFinite` also for
  ///   a covariance that is not finite.
  ///
  /// ## Edge cases
  /// A straight trajectory leaves a circle: `continuum`. A planar trajectory, such as that of a
  /// phone carried at constant height, leaves two positions, above and below it, unless the height
  /// is known.
  ///
  /// ## Limits
  /// Pose errors are assumed independent. Drift of the whole trajectory is common to all poses; it
  /// appears fully in the position and not in its covariance. If half of the ranges or more are
  /// wrong by the same offset, the solution follows them.
  ///
  /// ## Cost
  /// The cost of ``Trilateration`` for all ranges, three times that if poses are uncertain.
  /// Allocates.
  public static func solve(
    _ observations: [PosedRange], prior: PositionPrior<3>? = nil,
    within bounds: PositionBounds<3>? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<3> {
    for (index, one) in observations.enumerated() {
      guard one.position.isFinite, one.positionCovariance?.isFinite ?? true else {
        throw .anchorNotFinite(index: index)
      }
      let sigma = one.sigma ?? options.rangeSigma
      guard sigma > 0, sigma.isFinite else {
        throw one.sigma == nil ? .optionNotPositive("rangeSigma") : .sigmaNotPositive(index: index)
      }
    }
    var settings = options
    if options.height == nil { settings.heightSigma = nil }
    // The profile of the likelihood does it, with the errors of the poses.
    settings.widensCovariance = false
    settings.prefersLowerImage = false
    let places = observations.map(\.position)
    var fix = PositionFix<3>(without: .tooFew, count: 0, unknowns: 3, discounted: [])
    // The contribution of a pose depends on the line of sight, which the first pass does not know.
    let passes = observations.contains { $0.positionCovariance != nil } ? 3 : 1
    for pass in 0..<passes {
      let posed = observations.map { $0.seen(from: pass == 0 ? nil : fix.position, options) }
      fix = try RangeSolver.solve(
        posed.map(\.range), places, posed.map(\.sigma), prior, bounds, settings)
      guard fix.position != nil else { return fix }
      if pass == passes - 1 {
        try fix.assessMirrorImage(
          observations, posed.map(\.range), posed.map(\.sigma), settings, prior, bounds)
      }
    }
    return fix
  }
}

extension PositionFix where D == 3 {
  /// Searches for an indistinguishable mirror image across the trajectory, and computes the
  /// variance of both positions across it from the likelihood.
  ///
  /// Does nothing if a prior of the position is given.
  fileprivate mutating func assessMirrorImage(
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
        settings.usableSide?.prefers(position, to: found) != true,
        let inverse = problem.freeInverse(problem.calibratedInformation(of: other))
      {
        let spread =
          settings.scalesCovariance ? problem.spreadOfResiduals(at: other) * inverse : inverse
        if settings.usableSide?.prefers(found, to: position) == true {
          describe(other, of: problem, usable: usable.indices)
          covariance = spread
        } else {
          add([PositionAlternative(position: found, covariance: spread)])
        }
      }
    }
    if let assumed = covariance, let place = self.position,
      let found = profile.widened(assumed, at: place - centre)
    {
      covariance = found
    }
    for index in alternatives.indices {
      guard let assumed = alternatives[index].covariance else { continue }
      let place = alternatives[index].position - centre
      alternatives[index].covariance = profile.widened(assumed, at: place) ?? assumed
    }
  }
}

extension [PosedRange] {
  /// Returns the excess of the cost of the true position over that of another that is reached in 0.1
  /// % of all cases.
  ///
  /// For exact poses that of ``Trilateration``. Pose errors blur the evidence, which is the
  /// differences q of the distances to the two positions. The difference of the costs has a
  /// variance of 4 Σ q² v / σ⁴, where v is the variance of the mean residual of both, and a mean of
  /// at most Σ (q² - var q) / σ².
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
    // A normal variable exceeds 3.09 standard deviations in 0.1 % of all cases.
    let margin = 3.09 * variance.squareRoot() - Swift.max(0, mean)
    let least = PositionLimits.mostExcess
    return margin.isFinite ? Swift.max(least, margin) : least
  }
}

extension PosedRange {
  /// Returns the range minus the bias and its effective standard deviation, for a radio at
  /// `position`.
  ///
  /// Without a position, the pose covariance is assumed isotropic.
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
    // The expansion is invalid at distances below the uncertainty of the pose.
    let bias = max(0, trace - along) / (2 * max(length, trace.squareRoot()))
    let corrected = range > bias ? range - bias : range
    return (corrected, (own * own + along).squareRoot())
  }
}
