/// Positions from ranges to anchors whose positions are known.
///
/// `solve(ranges:anchors:sigmas:prior:within:options:)` looks at the flat that the anchors span
/// first: where it is all of space the position is unique, where one dimension is missing there is
/// a mirror image, where two are missing a circle remains. Then it finds the global minimum of the
/// squared ranges, and the other minimum where there is one, in closed form, refines each to a
/// local minimum of a robust loss, and keeps the best.
public enum Trilateration {
  /// What may be known besides the ranges, and how far the solvers go.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of ranges that come without their own, metres.
    public var rangeSigma = 0.10
    /// The known value of the last coordinate, metres: the position is then solved in the others,
    /// from the full slant ranges.
    public var height: Double?
    /// Standard deviation of ``height``, metres: the last coordinate is then estimated as well,
    /// from the ranges and the height; nil for a height that is exact.
    public var heightSigma: Double?
    /// Whether a range of exactly zero is a distance; most devices write it for "no measurement".
    public var zeroIsDistance = false
    /// What a residual costs.
    public var loss = RobustLoss.cauchy
    /// Whether residuals too large for the assumed errors start a search for the ranges that are
    /// wrong.
    ///
    /// It costs some microseconds for such an epoch, tens where there are many ranges, and nothing
    /// for others; least squares never search.
    public var searchesForOutliers = true
    /// Whether covariances are scaled with the residuals instead of resting on the assumed errors
    /// alone.
    public var scalesCovariance = false
    /// Which estimate is given.
    public var solver = Solver.automatic
    /// The steps of the refinement.
    public var steps = Steps.newton
    /// The largest number of refinement steps from one start.
    public var maximumIterations = 100

    /// The defaults.
    public init() {}

    /// Which estimate of the position is given; the assessment is the same for all.
    public enum Solver: Sendable, Hashable {
      /// The maximum of the likelihood for ``Options/loss``: the best of those that the minima of
      /// the squared ranges lead to, by ``Options/steps``; outliers are searched for.
      case automatic
      /// The maximum of the likelihood next to the global minimum of the squared ranges, without
      /// search and without alternative, by the given steps.
      case descent(Steps)
      /// The minimum of the squared ranges, or both where they are mirror images: a closed form,
      /// without regard to the loss, but for the weights in the assessment.
      case squaredRanges(SquaredRangeSolver)
      /// The linearised equations, see `linearLeastSquares(ranges:anchors:sigmas:)`: for anchors
      /// that span the space and one range more than unknowns, otherwise a `continuum` remains.
      case linear
    }

    /// How a refinement steps downhill.
    public enum Steps: String, Sendable, Hashable, CaseIterable {
      /// Newton's steps with second derivatives, damped Gauss-Newton steps where these do not help.
      case newton
      /// Gauss-Newton steps with Marquardt's damping.
      case gaussNewton = "gauss_newton"
    }
  }

  /// Solves for the position that makes the ranges most likely, for independent errors.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres. NaN, infinities, negative numbers and (unless
  ///     ``Options/zeroIsDistance``) zeros are left out and listed in ``PositionFix/discounted``.
  ///   - anchors: as many positions, metres, all finite.
  ///   - sigmas: standard deviations of the ranges, metres, positive; nil for
  ///     ``Options/rangeSigma``.
  ///   - prior: what is believed about the position: it counts like ranges of its accuracy, and
  ///     makes up for ranges that are missing.
  ///   - bounds: a box that chooses between a position and its mirror image where one lies inside.
  ///   - options: known height, loss, tolerances.
  /// - Returns: The fix. Its verdict says what was determined; a position is there for `unique`,
  /// `two`
  ///   and `inconsistent`.
  /// - Throws: ``TrilaterationError`` where the input contradicts itself.
  ///
  /// ## Edge cases
  /// Anchors that coincide count once for the geometry. A tag on the flat of the anchors is a
  /// double root: one position, whose variance across the flat is not determined to first order.
  /// The variance of the *square* of the distance from the flat is, and its root is given as a
  /// bound. Circles that miss each other give the least-squares point between them, and the verdict
  /// `inconsistent` where the gap is more than the assumed errors explain.
  ///
  /// ## Cost
  /// About a microsecond for eight anchors in up to three dimensions, hundreds in others;
  /// allocates.
  public static func solve<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil,
    prior: PositionPrior<D>? = nil, within bounds: PositionBounds<D>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<D> {
    try fix(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// Solves in the plane; the same as the general form, compiled for two dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<2>], sigmas: [Double]? = nil,
    prior: PositionPrior<2>? = nil, within bounds: PositionBounds<2>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<2> {
    try fix(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// Solves in space; the same as the general form, compiled for three dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<3>], sigmas: [Double]? = nil,
    prior: PositionPrior<3>? = nil, within bounds: PositionBounds<3>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<3> {
    try fix(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// The general form.
  ///
  /// Callers in other modules reach it through an entry of fixed dimension where there is one:
  /// generic code that is not specialised costs a hundred times as much.
  @inline(__always)
  private static func fix<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ prior: PositionPrior<D>?,
    _ bounds: PositionBounds<D>?, _ options: Options
  ) throws(TrilaterationError) -> PositionFix<D> {
    if prior == nil, options.solver == .automatic {
      var plain = PlainFix()
      if plain.solve(ranges, anchors, sigmas, bounds, options) {
        return PositionFix(&plain, height: options.height)
      }
    }
    return try fullFix(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// The fix of any epoch.
  @inline(never)
  private static func fullFix<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ prior: PositionPrior<D>?,
    _ bounds: PositionBounds<D>?, _ options: Options
  ) throws(TrilaterationError) -> PositionFix<D> {
    let usable = try usableRanges(ranges, anchors, sigmas, options)
    var known = Vector<D>.zero
    let soft = options.height == nil ? nil : options.heightSigma
    let free = options.height == nil || soft != nil ? D : D - 1
    if let height = options.height { known[D - 1] = height }
    var fix = PositionFix<D>(
      without: .tooFew, count: ranges.count, unknowns: free, discounted: usable.discounted)
    // With a prior any range helps; a height with its error stands for one range.
    let needed = prior != nil ? 1 : max(1, soft == nil ? free : free - 1)
    guard usable.indices.count >= needed else { return fix }

    var problem = usable.problem(free: free, known: known)
    problem.loss = options.loss
    problem.prior = centredPrior(prior, known, soft, problem.flat.centre)
    var hardHeight: RangeProblem<D>?
    if soft != nil { hardHeight = usable.problem(free: D - 1, known: known) }
    if prior == nil {
      let flat = hardHeight?.flat ?? problem.flat
      let rank = hardHeight?.free ?? problem.free
      guard flat.rank >= rank - 1 else {
        fix.verdict = .continuum
        for axis in flat.rank..<rank { fix.undetermined.append(flat.axes.row(axis)) }
        fix.continuum = (hardHeight ?? problem).continuum(directions: fix.undetermined)
        return fix
      }
    }
    var solutions =
      switch options.solver {
      case .automatic: problem.solutions(options, hardHeight: hardHeight)
      case .descent(let steps): problem.descent(by: steps, limit: options.maximumIterations)
      case .squaredRanges(let solver): problem.closedForm(by: solver)
      case .linear: problem.linearSolution()
      }
    guard let best = solutions.best else {
      fix.verdict = .continuum
      return fix
    }
    fix.iterations = solutions.iterations
    if let bounds, let other = solutions.other {
      let isInside = bounds.contains(problem.position(of: best))
      if isInside != bounds.contains(problem.position(of: other)) {
        if !isInside { solutions.best = other }
        solutions.other = nil
      }
    }
    fix.describe(
      solutions.best ?? best, of: problem, usable: usable.indices,
      scaled: options.scalesCovariance)
    if let other = solutions.other {
      fix.alternative = problem.position(of: other)
      let information = problem.calibratedInformation(of: other)
      var covariance = problem.covariance(
        information: information, inverse: problem.freeInverse(information))
      if options.scalesCovariance, let assumed = covariance {
        let matched = problem.spreadOfResiduals(at: other) * assumed
        covariance = matched.isFinite ? matched : nil
      }
      fix.alternativeCovariance = covariance
      if fix.verdict == .unique { fix.verdict = .two }
    }
    return fix
  }

  /// The prior and a height with its error as one belief; nil where there is neither.
  private static func centredPrior<let D: Int>(
    _ prior: PositionPrior<D>?, _ known: Vector<D>, _ heightSigma: Double?, _ centre: Vector<D>
  ) -> CentredPrior<D>? {
    guard prior != nil || heightSigma != nil else { return nil }
    var result = CentredPrior<D>(mean: .zero, information: prior?.information ?? .zero)
    if let prior { result.mean = prior.position - centre }
    guard let heightSigma else { return result }
    // Two beliefs in information form: the sum of the informations, and of what they pull with.
    let last = D - 1
    var pull = result.information * result.mean
    let own = 1 / (heightSigma * heightSigma)
    pull[last] += own * (known[last] - centre[last])
    result.information[last, last] += own
    if prior != nil, let root = Cholesky(result.information) {
      result.mean = root.solve(pull)
    } else {
      result.mean[last] = known[last] - centre[last]
    }
    return result
  }
}

/// Why ranges could not be solved at all.
public enum TrilaterationError: Error, Sendable, Equatable {
  /// There must be one anchor, and one sigma where they are given, per range.
  case countMismatch(ranges: Int, anchors: Int)
  /// A coordinate of the anchor at `index` is NaN or infinite.
  case anchorNotFinite(index: Int)
  /// The standard deviation of the range at `index` is not a positive number.
  case sigmaNotPositive(index: Int)
  /// The known height is NaN or infinite.
  case heightNotFinite
  /// The standard deviation of the height is not a positive number.
  case heightSigmaNotPositive
  /// The standard deviation of the heading is not within (0, 180°].
  case headingSigmaNotInRange
}
