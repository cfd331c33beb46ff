/// Positions from ranges to anchors whose positions are known.
///
/// `solve(ranges:anchors:sigmas:prior:within:options:)` looks at the affine span that the anchors
/// span first: where it is all of space the position is unique, where one dimension is missing
/// there is a mirror image, where two are missing a circle remains. Then it finds the global
/// minimum of the squared ranges, and the other minimum where there is one, in closed form, refines
/// each to a local minimum of a robust loss, and keeps the best.
public enum Trilateration {
  /// What may be known besides the ranges, and how far the solvers go.
  public typealias Options = PositionOptions

  /// Solves for the position that makes the ranges most likely, for independent errors.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres. NaN, infinities, negative numbers and (unless
  ///     ``PositionOptions/zeroIsDistance``) zeros are left out and listed in ``PositionFix/discounted``.
  ///   - anchors: as many positions, metres, all finite.
  ///   - sigmas: standard deviations of the ranges, metres, positive; nil for
  ///     ``PositionOptions/rangeSigma``.
  ///   - prior: the prior of the position: it counts like ranges of its accuracy, and
  ///     makes up for ranges that are missing.
  ///   - bounds: a box that chooses between a position and its mirror image where one lies inside.
  ///   - options: known height, loss, tolerances.
  /// - Returns: The fix. Its verdict says what was determined; a position is there for `unique`,
  /// `two`
  ///   and `inconsistent`.
  /// - Throws: ``TrilaterationError`` where the input contradicts itself.
  ///
  /// ## Edge cases
  /// Anchors that coincide count once for the geometry. A tag on the affine span of the anchors is
  /// a double root: one position, whose variance across the affine span is not determined to first
  /// order. The variance of the *square* of the distance from the affine span is, and its root is
  /// given as a bound. Circles that miss each other give the least-squares point between them, and
  /// the verdict `inconsistent` where the gap is more than the assumed errors explain.
  ///
  /// ## Cost
  /// About a microsecond for eight anchors in up to three dimensions, hundreds in others;
  /// allocates.
  public static func solve<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil,
    prior: PositionPrior<D>? = nil, within bounds: PositionBounds<D>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<D> {
    try RangeSolver.solve(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// Solves in the plane; the same as the general form, compiled for two dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<2>], sigmas: [Double]? = nil,
    prior: PositionPrior<2>? = nil, within bounds: PositionBounds<2>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<2> {
    try RangeSolver.solve(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// Solves in space; the same as the general form, compiled for three dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<3>], sigmas: [Double]? = nil,
    prior: PositionPrior<3>? = nil, within bounds: PositionBounds<3>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<3> {
    try RangeSolver.solve(ranges, anchors, sigmas, prior, bounds, options)
  }
}

extension Trilateration {
  /// The position that solves the linearised range equations, in closed form.
  ///
  /// Not the most likely one: `solve(ranges:anchors:sigmas:options:)` starts from it.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres; all must be distances in the sense of ``MeasuredDistance``.
  ///   - anchors: as many positions, metres; they are centred first, so large offsets do no harm.
  ///   - sigmas: standard deviations of the ranges, metres, or nil for equal ones.
  /// - Returns: The position; nil where the anchors do not span the space or are fewer than D + 1.
  /// - Throws: ``TrilaterationError`` for input that no geometry can mend.
  public static func linearLeastSquares<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil
  ) throws(TrilaterationError) -> Vector<D>? {
    try linearSolution(ranges, anchors, sigmas)
  }

  /// In the plane; the same as the general form, compiled for two dimensions.
  public static func linearLeastSquares(
    ranges: [Double], anchors: [Vector<2>], sigmas: [Double]? = nil
  ) throws(TrilaterationError) -> Vector<2>? {
    try linearSolution(ranges, anchors, sigmas)
  }

  /// In space; the same as the general form, compiled for three dimensions.
  public static func linearLeastSquares(
    ranges: [Double], anchors: [Vector<3>], sigmas: [Double]? = nil
  ) throws(TrilaterationError) -> Vector<3>? {
    try linearSolution(ranges, anchors, sigmas)
  }

  private static func linearSolution<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?
  ) throws(TrilaterationError) -> Vector<D>? {
    var options = PositionOptions()
    options.zeroIsDistance = true
    let usable = try UsableRanges(ranges, anchors, sigmas, options)
    guard usable.indices.count == ranges.count else { return nil }
    let problem = usable.problem(free: D, known: .zero)
    guard problem.span.rank == D, let coordinates = problem.linearCoordinates(dimensions: D) else {
      return nil
    }
    let position = problem.span.centre + problem.span.offset(of: coordinates)
    return position.isFinite ? position : nil
  }
}

extension Trilateration {
  /// The position with the least Σ wᵢ (|p - aᵢ|² - dᵢ²)², the global minimum, with wᵢ = 1/(2 dᵢ
  /// σᵢ)².
  ///
  /// Not the most likely position, but close to it where the errors are small beside the ranges,
  /// and without local minima to end in.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres; what is no distance is left out.
  ///   - anchors: as many positions, metres, all finite.
  ///   - sigmas: standard deviations of the ranges, metres, or nil for equal ones.
  ///   - options: the known height and what zeros mean; the rest is not used.
  /// - Returns: one position; two where mirror images have the same least sum; none where the
  /// ranges
  ///   leave a continuum or are too few.
  /// - Throws: ``TrilaterationError`` for input that no geometry can mend.
  public static func squaredRangeMinimum<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> [Vector<D>] {
    let usable = try UsableRanges(ranges, anchors, sigmas, options)
    var known = Vector<D>.zero
    if let height = options.height { known[D - 1] = height }
    let free = options.height == nil ? D : D - 1
    guard free > 0, usable.indices.count >= free else { return [] }
    let problem = usable.problem(free: free, known: known)
    let found = problem.squaredRangeMinima()
    return found.filter { $0.isFinite }.map { offset in
      var position = problem.span.centre + offset
      for axis in free..<max(free, D) { position[axis] = known[axis] }
      return position
    }
  }
}
