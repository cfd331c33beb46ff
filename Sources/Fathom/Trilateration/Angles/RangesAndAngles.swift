/// Computes positions from angles and ranges, measured by anchors or by the tag.
///
/// One anchor that measures a range and both angles suffices; angles alone need two anchors. All
/// measurements enter one likelihood with a robust loss; angle residuals are wrapped to ±180°. The
/// search starts from three sets of positions:
///
/// - the positions that single anchors measure
/// - the points closest to the planes of sight of all anchors and of pairs
/// - the solutions of ``Trilateration`` for the ranges
public enum RangesAndAngles {
  /// Known facts besides the measurements, and settings of the solver.
  ///
  /// Every sighting has its own standard deviations. Angles of either sign are treated as possible
  /// outliers, even if only late ranges are.
  public typealias Options = PositionOptions

  /// Computes the maximum-likelihood position of all measurements.
  ///
  /// The displacement of an anchor with an uncertain position is an additional unknown, with the
  /// anchor's covariance as its prior. It is common to all measurements of that anchor.
  ///
  /// - Parameters:
  ///   - sightings: the measurements of each anchor, in any number. Sightings without a usable
  ///     measurement are listed in ``PositionFix/discounted``.
  ///   - prior: the prior of the position; it can replace missing measurements.
  ///   - bounds: a box that selects between two positions if exactly one lies inside.
  ///   - options: a known height, the loss.
  /// - Returns: The fix, with the contributions of the ranges and angles.
  /// - Throws: ``TrilaterationError``: `anchorNotFinite` also for an orientation or a covariance
  ///   that is not finite, `sigmaNotPositive` for the standard deviation of a usable measurement,
  ///   `headingSigmaNotInRange`.
  ///
  /// ## Edge cases
  /// - A range that is NaN, infinite, zero or negative and an angle that is not finite are ignored.
  /// - Fewer measurements than unknowns give `too_few`. Sufficiently many that leave a direction
  ///   undetermined, such as a range and an azimuth alone in space, give `continuum`.
  /// - Directly above or below an anchor its azimuth carries no information and has zero
  ///   derivatives.
  /// - Without angles use ``Trilateration``, which is faster and handles rank-deficient anchor
  ///   spans.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for a few anchors, some milliseconds if a search is needed.
  /// Allocates.
  public static func solve(
    _ sightings: [Sighting], prior: PositionPrior<3>? = nil,
    within bounds: PositionBounds<3>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> SightingFix {
    let assumptions = try PositionAssumptions(options, prior, bounds)
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
    // An essentially unknown heading uses up one measurement.
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
