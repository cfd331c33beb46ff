extension Trilateration {
  /// How the global minimum of the squared ranges is found.
  public enum SquaredRangeSolver: String, Sendable, Hashable, CaseIterable {
    /// Newton's iteration on a scalar equation; the fastest, and what `solve` starts from.
    case secular
    /// The largest real eigenvalue of a small matrix [Larsson et al. 2025].
    case eigenvalue
    /// A generalised trust region subproblem [Beck, Stoica & Li 2008].
    case trustRegion = "trust_region"
  }

  /// The position with the least Σ wᵢ (|p - aᵢ|² - dᵢ²)², the global minimum, with wᵢ = 1/(2 dᵢ
  /// σᵢ)².
  ///
  /// Not the most likely position, but close to it where the errors are small beside the ranges,
  /// and without local minima to end in. Three solvers that share little give the same answer.
  ///
  /// - Parameters:
  ///   - ranges: distances, metres; what is no distance is left out.
  ///   - anchors: as many positions, metres, all finite.
  ///   - sigmas: standard deviations of the ranges, metres, or nil for equal ones.
  ///   - options: the known height and what zeros mean; the rest is not used.
  ///   - solver: how.
  /// - Returns: one position; two where mirror images have the same least sum; none where the
  /// ranges
  ///   leave a continuum or are too few.
  /// - Throws: ``TrilaterationError`` for input that no geometry can mend.
  public static func squaredRangeMinimum<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil, options: Options = Options(),
    by solver: SquaredRangeSolver = .secular
  ) throws(TrilaterationError) -> [Vector<D>] {
    let usable = try usableRanges(ranges, anchors, sigmas, options)
    var known = Vector<D>.zero
    if let height = options.height { known[D - 1] = height }
    let free = options.height == nil ? D : D - 1
    guard free > 0, usable.indices.count >= free else { return [] }
    let problem = usable.problem(free: free, known: known)
    let found = problem.squaredRangeMinima(by: solver)
    return found.filter { $0.isFinite }.map { offset in
      var position = problem.flat.centre + offset
      for axis in free..<max(free, D) { position[axis] = known[axis] }
      return position
    }
  }
}
