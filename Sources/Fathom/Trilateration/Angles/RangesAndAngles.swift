/// Positions from anchors that measure angles, ranges, or both, or from what a tag measures of
/// anchors.
///
/// One anchor that measures a range and both angles is enough; angles alone need two. All that
/// every anchor measured goes into one likelihood with a robust loss, with angles compared by the
/// shorter way round. Starts are the positions that single anchors see, the points closest to
/// planes of sight of all anchors and of pairs, and what ``Trilateration`` makes of the ranges.
public enum RangesAndAngles {
  /// What is known besides the measurements.
  public struct Options: Sendable, Equatable {
    /// The known height, metres.
    public var height: Double?
    /// Standard deviation of ``height``, metres: it is then estimated as well; nil for a height
    /// that is exact.
    public var heightSigma: Double?
    /// Standard deviation of the heading of all orientations together, within (0, 180°]: a turn
    /// about the vertical that they share is then estimated as well; nil for orientations that are
    /// exact.
    ///
    /// It is for sightings by one device, whose compass is wrong for all that it sees at a time,
    /// which more sightings do not average out. Of a heading that is not known at all, give 180°.
    public var headingSigma: Angle?
    /// What a residual costs.
    ///
    /// Angles are suspect either way, also where only late ranges are.
    public var loss = RobustLoss.cauchy
    /// Whether residuals too large for the assumed errors start a search for what is wrong.
    public var searchesForOutliers = true
    /// Whether covariances are scaled with the residuals instead of resting on the assumed errors
    /// alone.
    public var scalesCovariance = false

    /// The defaults.
    public init() {}
  }

  /// Solves for the position that makes all measurements most likely.
  ///
  /// An anchor whose position is uncertain has a displacement as unknowns of their own, about which
  /// its covariance is what is known: all that it measured is wrong by the same displacement.
  ///
  /// - Parameters:
  ///   - sightings: what every anchor measured, in any number; those without a usable measurement
  ///     are
  ///     listed in ``PositionFix/discounted``.
  ///   - prior: the prior of the position; it makes up for measurements that are missing.
  ///   - bounds: a box that chooses between two positions where one lies inside.
  ///   - options: a known height, the loss.
  /// - Returns: The fix, with what became of the ranges and of the angles.
  /// - Throws: ``TrilaterationError``: `anchorNotFinite` also for an orientation or a covariance
  ///   that is not finite, `sigmaNotPositive` for a standard deviation of a measurement that is
  ///   there, `headingSigmaNotInRange`.
  ///
  /// ## Edge cases
  /// - A range that is NaN, infinite, zero or negative and an angle that is not finite count as not
  ///   measured.
  /// - Fewer measurements than unknowns: `too_few`. As many or more that leave a direction open,
  ///   such as a range and an azimuth alone in space: `continuum`.
  /// - Straight above or below an anchor its azimuth says nothing, and pulls nowhere.
  /// - Without any angle use ``Trilateration``, which is faster and knows the affine spans of
  ///   anchors.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for a few anchors, some milliseconds where a search is needed;
  /// allocates.
  public static func solve(
    _ sightings: [Sighting], prior: PositionPrior<3>? = nil,
    within bounds: PositionBounds<3>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> SightingFix {
    let assumptions = PositionAssumptions<3>(
      height: options.height, heightSigma: options.height == nil ? nil : options.heightSigma,
      loss: options.loss, searchesForOutliers: options.searchesForOutliers,
      scalesCovariance: options.scalesCovariance, prior: prior, bounds: bounds)
    try assumptions.check()
    if let sigma = options.headingSigma, !(sigma > .zero && sigma <= .halfTurn) {
      throw .headingSigmaNotInRange
    }
    var rays: [SightingResiduals] = []
    var usable: [Int] = []
    for (index, sighting) in sightings.enumerated() {
      guard sighting.anchor.isFinite, sighting.orientation.isFinite,
        sighting.anchorCovariance?.isFinite ?? true
      else { throw .anchorNotFinite(index: index) }
      let rows = SightingResiduals(sighting)
      guard rows.sigmas.allSatisfy({ $0 > 0 && $0.isFinite }) else {
        throw .sigmaNotPositive(index: index)
      }
      guard !rows.kinds.isEmpty else { continue }
      rays.append(rows)
      usable.append(index)
    }
    var result = SightingFix(count: sightings.count, unknowns: assumptions.free)
    let isUsable = Set(usable)
    result.fix.discounted = sightings.indices.filter { !isUsable.contains($0) }
    let count = rays.reduce(0) { $0 + $1.kinds.count }
    // A heading that is as good as unknown takes a measurement for itself.
    let isTurned = (options.headingSigma?.radians ?? 0) > SightingStarts.wideTurn
    let needed = assumptions.free - (assumptions.heightSigma == nil ? 0 : 1) + (isTurned ? 1 : 0)
    guard count >= (prior == nil ? needed : 1), !rays.isEmpty else { return result }

    let problem = SightingEquations(rays, assumptions, turnSigma: options.headingSigma)
    let equations = problem.equations()
    let fits = equations.solutions(
      from: problem.starts(), searching: options.searchesForOutliers)
    let solutions = result.fix.describe(
      fits, of: equations, under: assumptions, position: problem.position)
    if let best = solutions.first, let position = result.fix.position {
      result.turn = problem.turn(best.unknowns)?.wrapped()
      result.turnSigma = problem.turnSigma(best.covariance)
      result.describe(rays, usable, best.rows, at: position)
    }
    return result
  }
}
