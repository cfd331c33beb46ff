/// The solver behind ``Trilateration``: the fast path if it applies, otherwise the full search.
///
/// Batches, sightings and moving receivers also call it for single epochs.
enum RangeSolver {
  /// Computes the fix in any number of dimensions.
  ///
  /// Other modules call it through an entry of fixed dimension where one exists: generic code that
  /// is not specialised is a hundred times slower.
  @inline(__always)
  static func solve<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ prior: PositionPrior<D>?,
    _ bounds: PositionBounds<D>?, _ options: PositionOptions
  ) throws(TrilaterationError) -> PositionFix<D> {
    if prior == nil, options.solver == .automatic, options.usableSide == nil {
      var fast = FastPathFix()
      if fast.solve(ranges, anchors, sigmas, isBounded: bounds != nil, options) {
        return PositionFix(&fast, height: options.height)
      }
    }
    return try solveFully(ranges, anchors, sigmas, prior, bounds, options)
  }

  /// Computes the fix of an epoch that the fast path does not handle.
  @inline(never)
  private static func solveFully<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ prior: PositionPrior<D>?,
    _ bounds: PositionBounds<D>?, _ options: PositionOptions
  ) throws(TrilaterationError) -> PositionFix<D> {
    var usable = try UsableRanges(ranges, anchors, sigmas, options)
    // Least squares are those of all ranges.
    if options.loss.shape != .squared { usable.discountImpossible() }
    var known = Vector<D>.zero
    let soft = options.height == nil ? nil : options.heightSigma
    let free = options.height == nil || soft != nil ? D : D - 1
    if let height = options.height { known[D - 1] = height }
    var fix = PositionFix<D>(
      without: .tooFew, count: ranges.count, unknowns: free, discounted: usable.discounted)
    // With a prior, one range suffices. A height with a standard deviation replaces one range.
    let needed = prior != nil ? 1 : max(1, soft == nil ? free : free - 1)
    guard usable.indices.count >= needed else { return fix }

    var problem = usable.problem(free: free, known: known)
    problem.loss = options.loss
    problem.prior = centredPrior(prior, known, soft, problem.span.centre)
    var hardHeight: RangeProblem<D>?
    if soft != nil { hardHeight = usable.problem(free: D - 1, known: known) }
    if prior == nil {
      let span = hardHeight?.span ?? problem.span
      let rank = hardHeight?.free ?? problem.free
      guard span.rank >= rank - 1 else {
        fix.verdict = .continuum
        for axis in span.rank..<rank { fix.undetermined.append(span.axes.row(axis)) }
        fix.continuum = (hardHeight ?? problem).continuum(directions: fix.undetermined)
        return fix
      }
    }
    let minima =
      options.solver == .automatic
      ? problem.minima(options, hardHeight: hardHeight)
      : problem.minima(by: options.solver, limit: options.maximumIterations)
    fix.iterations = minima.iterations
    let likely = problem.indistinguishable(minima.all, options.outliers)
    let candidates = problem.selected(likely, within: bounds, options.usableSide)
    guard !candidates.isEmpty else {
      fix.verdict = .continuum
      return fix
    }
    var found = fix.described(candidates, of: problem, usable.indices, options)
    if options.usableSide == nil, bounds == nil, options.prefersLowerImage {
      let positions =
        [found.fix.position].compactMap { $0 } + found.fix.alternatives.map(\.position)
      let first = problem.preferred(among: positions)
      if first > 0,
        let index = candidates.firstIndex(where: { problem.position(of: $0) == positions[first] })
      {
        var reordered = candidates
        reordered.insert(reordered.remove(at: index), at: 0)
        let swapped = fix.described(reordered, of: problem, usable.indices, options)
        // If the likelier image is within the uncertainty of the other, it is the answer.
        let isKept = swapped.fix.alternatives.contains { $0.position == found.fix.position }
        if isKept { found = swapped }
      }
    }
    found.fix.widen(found.solutions, of: problem, within: bounds, options)
    return found.fix
  }

  /// Returns the prior and an uncertain height as one prior, or nil without either.
  private static func centredPrior<let D: Int>(
    _ prior: PositionPrior<D>?, _ known: Vector<D>, _ heightSigma: Double?, _ centre: Vector<D>
  ) -> CentredPrior<D>? {
    guard prior != nil || heightSigma != nil else { return nil }
    var result = CentredPrior<D>(mean: .zero, information: prior?.information ?? .zero)
    if let prior { result.mean = prior.position - centre }
    guard let heightSigma else { return result }
    // Combines two priors in information form: adds the information matrices and the information
    // vectors.
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
