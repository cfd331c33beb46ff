/// Positions from ranges to anchors whose positions are known.
///
/// ``solve(ranges:anchors:sigmas:options:)`` looks at the flat that the anchors span first: where it
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

  /// The general form. Callers in other modules reach it through an entry of fixed dimension where
  /// there is one: generic code that is not specialised costs a hundred times as much.
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
      fix.alternative = problem.flat.centre + other.position
      if fix.verdict == .unique { fix.verdict = .two }
    }
    return fix
  }

  /// The ranges that are distances, with their anchors.
  static func usableRanges<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ options: Options
  ) throws(TrilaterationError) -> UsableRanges<D> {
    guard ranges.count == anchors.count else {
      throw .countMismatch(ranges: ranges.count, anchors: anchors.count)
    }
    guard sigmas == nil || sigmas?.count == ranges.count else {
      throw .countMismatch(ranges: ranges.count, anchors: sigmas?.count ?? 0)
    }
    if let height = options.height, !height.isFinite { throw .heightNotFinite }
    var usable = UsableRanges<D>()
    for index in ranges.indices {
      guard anchors[index].isFinite else { throw .anchorNotFinite(index: index) }
      let sigma = sigmas?[index] ?? options.rangeSigma
      guard sigma > 0, sigma.isFinite else { throw .sigmaNotPositive(index: index) }
      let absence = MeasuredDistance.absence(
        of: ranges[index], zeroIsDistance: options.zeroIsDistance)
      guard absence == nil else {
        usable.discounted.append(index)
        continue
      }
      usable.indices.append(index)
      usable.distances.append(ranges[index])
      usable.anchors.append(anchors[index])
      usable.sigmas.append(sigma)
    }
    return usable
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

/// The ranges of an epoch that are distances.
struct UsableRanges<let D: Int> {
  /// Where they stand in the input.
  var indices: [Int] = []
  var distances: [Double] = []
  var anchors: [Vector<D>] = []
  var sigmas: [Double] = []
  /// Where the others stand in the input.
  var discounted: [Int] = []

  func problem(free: Int, known: Vector<D>) -> RangeProblem<D> {
    RangeProblem(
      distances: distances, anchors: anchors, sigmas: sigmas, free: free, known: known)
  }
}

extension RangeProblem {
  /// The local maxima of the likelihood that the ranges cannot tell apart, best first: one or two.
  func solutions(limit: Int) -> [Refinement<D>] {
    var found: [Refinement<D>] = []
    for start in starts() {
      let refined = refine(from: start, limit: limit)
      guard refined.position.isFinite, refined.cost.isFinite else { continue }
      if let same = found.firstIndex(where: { isSame($0.position, refined.position) }) {
        if refined.cost < found[same].cost { found[same] = refined }
      } else {
        found.append(refined)
      }
    }
    found.sort { $0.cost < $1.cost }
    guard let best = found.first else { return [] }
    // Twice the log-likelihood ratio, against the 99 % point of chi-square with one degree of freedom.
    return Array(found.prefix { $0.cost <= best.cost + 6.63 }.prefix(2))
  }

  /// Starts for the refinement: the linear solution where there is one, and either side of the
  /// flattest plane (line, point) through the anchors.
  private func starts() -> [Vector<D>] {
    var starts: [Vector<D>] = []
    if flat.rank == free, let coordinates = linearCoordinates(dimensions: free) {
      starts.append(given + flat.offset(of: coordinates))
    }
    guard var coordinates = linearCoordinates(dimensions: free - 1) else { return starts }
    let square = squareOffFlat(at: coordinates, dimensions: free - 1)
    var height = max(0, square).squareRoot()
    if height == 0, curvatureOffFlat(at: given + flat.offset(of: coordinates)) < 0 {
      // A saddle: the gradient vanishes there, yet the likelihood rises to either side.
      height = 0.01 * scale
    }
    for side in height > 0 ? [height, -height] : [0] {
      coordinates[free - 1] = side
      starts.append(given + flat.offset(of: coordinates))
    }
    return starts.filter(\.isFinite)
  }

  /// Second derivative of half the cost across the flat, at a position on it.
  private func curvatureOffFlat(at position: Vector<D>) -> Double {
    var sum = 0.0
    for index in 0..<count {
      let distance = (position - anchors[index]).length
      guard distance > 0 else { return -1 }
      sum += (1 - distances[index] / distance) / (sigmas[index] * sigmas[index])
    }
    return sum
  }

  /// Whether two positions are the same solution to the precision that a double root allows.
  private func isSame(_ first: Vector<D>, _ second: Vector<D>) -> Bool {
    (first - second).length <= 1e-6 * scale
  }
}

extension PositionFix {
  /// Fills in what is known about the solution `best`.
  fileprivate mutating func describe(
    _ best: Refinement<D>, of problem: RangeProblem<D>, usable: [Int]
  ) {
    position = problem.flat.centre + best.position
    iterations = best.iterations
    var sum = 0.0
    for (index, input) in usable.enumerated() {
      let residual =
        problem.distances[index] - (best.position - problem.anchors[index]).length
      residuals[input] = residual
      sum += residual * residual
    }
    misfit = (sum / Double(problem.count)).squareRoot()
    covariance = problem.covariance(of: best)
    if let cofactor = problem.cofactor(at: best.position) {
      dilution = DilutionOfPrecision(cofactor: cofactor, free: problem.free)
    }
    let surplus = max(1, problem.count - problem.free)
    verdict = best.cost > chiSquareLimit(degreesOfFreedom: surplus) ? .inconsistent : .unique
  }
}

extension RangeProblem {
  /// The covariance of a solution: the inverse information, unless the anchors lie in a flat and the
  /// position so close to it that the first-order variance across exceeds the bound described at
  /// ``Trilateration/solve(ranges:anchors:sigmas:options:)``.
  fileprivate func covariance(of solution: Refinement<D>) -> Matrix<D, D>? {
    let inverse = freeInverse(solution.information)
    guard flat.rank < free else { return inverse }
    let normal = flat.axes.row(free - 1)
    // The mean square off the flat has variance (2/n)² Σ (dᵢ σᵢ)².
    var sum = 0.0
    for index in 0..<count {
      let term = distances[index] * sigmas[index]
      sum += term * term
    }
    let bound = 2 * sum.squareRoot() / Double(count)
    if let inverse, (inverse * normal).dot(normal) <= bound { return inverse }

    let typical = solution.information.trace / Double(D)
    var information = solution.information
    information.addOuterProduct(of: normal, times: typical)
    guard var covariance = freeInverse(information) else { return nil }
    covariance.addOuterProduct(of: normal, times: bound - 1 / typical)
    return covariance.isFinite ? covariance : nil
  }
}

extension Matrix where Rows == Columns {
  /// Adds `factor` v vᵀ.
  fileprivate mutating func addOuterProduct(of vector: Vector<Rows>, times factor: Double) {
    for row in 0..<Rows {
      for column in 0..<Rows { self[row, column] += factor * vector[row] * vector[column] }
    }
  }
}

/// The value that chi-square exceeds once in a thousand times [Wilson & Hilferty 1931], to 1 %.
private func chiSquareLimit(degreesOfFreedom: Int) -> Double {
  let freedom = Double(degreesOfFreedom)
  let spread = 2 / (9 * freedom)
  let root = 1 - spread + 3.0902 * spread.squareRoot()
  return freedom * root * root * root
}
