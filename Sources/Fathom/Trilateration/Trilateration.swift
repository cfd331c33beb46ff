/// Computes positions from ranges to anchors at known positions.
///
/// The affine span of the anchors decides how many positions fit the ranges. Anchors that span the
/// whole space give one position. If one dimension is missing, the position has a mirror image; if
/// two are missing, a circle remains.
///
/// `solve(ranges:anchors:sigmas:prior:within:options:)` finds the global minimum of the squared
/// ranges in closed form, and the second minimum if there is one. It refines each to a local
/// minimum of a robust loss and returns the best.
public enum Trilateration {
  /// Known facts besides the ranges, and settings of the solvers.
  public typealias Options = PositionOptions

  /// Computes the maximum-likelihood position for independent range errors.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres. NaN, infinite and negative values are ignored and listed in
  ///     ``PositionFix/discounted``, as are zeros unless ``PositionOptions/zeroIsDistance`` is set.
  ///   - anchors: one position per range, metres, all finite.
  ///   - sigmas: standard deviations of the ranges, metres, positive; nil for
  ///     ``PositionOptions/rangeSigma``.
  ///   - prior: the prior of the position. It weighs like ranges of the same accuracy and can
  ///     replace missing ranges.
  ///   - bounds: a box that selects between a position and its mirror image if exactly one lies
  ///     inside.
  ///   - options: known height, loss, tolerances.
  /// - Returns: The fix. Its verdict says what the ranges determine; the verdicts `unique`, `two`,
  ///   `several` and `inconsistent` come with a position.
  /// - Throws: ``TrilaterationError`` if the counts differ, an anchor or the height is not
  ///   finite, or a standard deviation is not positive.
  ///
  /// ## Edge cases
  /// - Coincident anchors count once for the geometry.
  /// - A tag on the affine span of the anchors is a double root: one position, whose variance
  ///   across the span is not determined to first order. The variance of the *squared* distance
  ///   from the span is determined; its square root is returned as a bound.
  /// - Circles that do not intersect give the least-squares point between them. The verdict is
  ///   `inconsistent` if the gap is larger than the assumed errors explain.
  ///
  /// ## Cost
  /// About a microsecond for eight ranges that agree and check each other, tens of microseconds where
  /// a range may be wrong, hundreds in more than three dimensions. Allocates.
  public static func solve<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil,
    prior: PositionPrior<D>? = nil, within bounds: PositionBounds<D>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<D> {
    try RangeSolver.solve(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// Computes the position in the plane: the general form, specialised for two dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<2>], sigmas: [Double]? = nil,
    prior: PositionPrior<2>? = nil, within bounds: PositionBounds<2>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<2> {
    try RangeSolver.solve(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// Computes the position in space: the general form, specialised for three dimensions.
  public static func solve(
    ranges: [Double], anchors: [Vector<3>], sigmas: [Double]? = nil,
    prior: PositionPrior<3>? = nil, within bounds: PositionBounds<3>? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<3> {
    try RangeSolver.solve(ranges, anchors, sigmas, prior, bounds, options)
  }
}

extension Trilateration {
  /// Solves the linearised range equations in closed form.
  ///
  /// The result is not the maximum-likelihood position; use `solve(ranges:anchors:sigmas:options:)`
  /// for that.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres; all must be valid in the sense of ``MeasuredDistance``.
  ///   - anchors: one position per range, metres. They are centred first, so large offsets cost no
  ///     precision.
  ///   - sigmas: standard deviations of the ranges, metres, or nil for equal ones.
  /// - Returns: The position, or nil if the anchors do not span the space or are fewer than D + 1.
  /// - Throws: ``TrilaterationError`` if the counts differ, an anchor is not finite, or a standard
  ///   deviation is not positive.
  public static func linearLeastSquares<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil
  ) throws(TrilaterationError) -> Vector<D>? {
    try linearSolution(ranges, anchors, sigmas)
  }

  /// Solves in the plane: the general form, specialised for two dimensions.
  public static func linearLeastSquares(
    ranges: [Double], anchors: [Vector<2>], sigmas: [Double]? = nil
  ) throws(TrilaterationError) -> Vector<2>? {
    try linearSolution(ranges, anchors, sigmas)
  }

  /// Solves in space: the general form, specialised for three dimensions.
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
  /// Returns the global minimum of Σ wᵢ (|p - aᵢ|² - dᵢ²)², with wᵢ = 1/(2 dᵢ σᵢ)².
  ///
  /// The result is not the maximum-likelihood position, but close to it if the errors are small
  /// compared with the ranges. It is a global minimum, not one of several local ones.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres; invalid values are ignored.
  ///   - anchors: one position per range, metres, all finite.
  ///   - sigmas: standard deviations of the ranges, metres, or nil for equal ones.
  ///   - options: the known height and the meaning of zeros; the other options are ignored.
  /// - Returns: One position, or two if mirror images reach the same minimum. Empty if the ranges
  ///   leave a continuum or are too few.
  /// - Throws: ``TrilaterationError`` if the counts differ, an anchor or the height is not finite,
  ///   or a standard deviation is not positive.
  public static func squaredRangeMinimum<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> [Vector<D>] {
    let usable = try UsableRanges(ranges, anchors, sigmas, options)
    var known = Vector<D>.zero
    if let height = options.height { known[D - 1] = height }
    let free = options.height == nil ? D : D - 1
    guard free > 0, usable.indices.count >= free else { return [] }
    let problem = usable.problem(free: free, known: known)
    return problem.squaredRangeMinima().filter { $0.isFinite }.map { problem.position(at: $0) }
  }
}
