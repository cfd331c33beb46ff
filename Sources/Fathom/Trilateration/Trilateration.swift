/// Positions from ranges to anchors whose positions are known.
///
/// `solve(ranges:anchors:sigmas:options:)` looks at the flat that the anchors span first: where it
/// is all of space the position is unique, where one dimension is missing there is a mirror image,
/// where two are missing a circle remains. Then it starts from the linear solution and from either
/// side of the flattest plane through the anchors, refines each start to a local maximum of the
/// likelihood, and keeps the best.
public enum Trilateration {
  /// What may be known besides the ranges, and how far the solvers go.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of ranges that come without their own, metres.
    public var rangeSigma = 0.10
    /// The known value of the last coordinate, metres: the position is then solved in the others,
    /// from the full slant ranges.
    public var height: Double?
    /// Whether a range of exactly zero is a distance; most devices write it for "no measurement".
    public var zeroIsDistance = false
    /// The largest number of refinement steps from one start.
    public var maximumIterations = 100

    /// The defaults.
    public init() {}
  }

  /// Solves for the position that makes the ranges most likely, for independent normal errors.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres. NaN, infinities, negative numbers and (unless
  ///     ``Options/zeroIsDistance``) zeros are left out and listed in ``PositionFix/discounted``.
  ///   - anchors: as many positions, metres, all finite.
  ///   - sigmas: standard deviations of the ranges, metres, positive; nil for
  ///     ``Options/rangeSigma``.
  ///   - options: known height, tolerances.
  /// - Returns: The fix. Its verdict says what was determined; a position is there for `unique`, `two`
  ///   and `inconsistent`.
  /// - Throws: ``TrilaterationError`` where the input contradicts itself.
  ///
  /// ## Edge cases
  /// Anchors that coincide count once for the geometry. A tag on the flat of the anchors is a double
  /// root: one position, whose variance across the flat is not determined to first order. The
  /// variance of the *square* of the distance from the flat is, and its root is given as a bound.
  /// Circles that miss each other give the least-squares point between them, and the verdict
  /// `inconsistent` where the gap is more than the assumed errors explain.
  ///
  /// ## Cost
  /// A few microseconds for eight anchors in two or three dimensions, hundreds in others; allocates.
  public static func solve<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<D> {
    try fix(ranges: ranges, anchors: anchors, sigmas: sigmas, options: options)
  }

  /// Solves in the plane; the same as the general form, compiled for two dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<2>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<2> {
    try fix(ranges: ranges, anchors: anchors, sigmas: sigmas, options: options)
  }

  /// Solves in space; the same as the general form, compiled for three dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<3>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<3> {
    try fix(ranges: ranges, anchors: anchors, sigmas: sigmas, options: options)
  }

  /// The general form.
  ///
  /// Callers in other modules reach it through an entry of fixed dimension where there is one: generic
  /// code that is not specialised costs a hundred times as much.
  private static func fix<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]?, options: Options
  ) throws(TrilaterationError) -> PositionFix<D> {
    let usable = try usableRanges(ranges, anchors, sigmas, options)
    var known = Vector<D>.zero
    var free = D
    if let height = options.height {
      free = D - 1
      known[free] = height
    }
    var fix = PositionFix<D>(
      without: .tooFew, count: ranges.count, discounted: usable.discounted)
    guard usable.indices.count >= max(1, free) else { return fix }

    let problem = usable.problem(free: free, known: known)
    guard problem.flat.rank >= free - 1 else {
      fix.verdict = .continuum
      return fix
    }
    let solutions = problem.solutions(limit: options.maximumIterations)
    guard let best = solutions.first else {
      fix.verdict = .continuum
      return fix
    }
    fix.describe(best, of: problem, usable: usable.indices)
    if let other = solutions.dropFirst().first {
      fix.alternative = problem.position(of: other)
      fix.alternativeCovariance = problem.covariance(of: other)
      if fix.verdict == .unique { fix.verdict = .two }
    }
    return fix
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
}
