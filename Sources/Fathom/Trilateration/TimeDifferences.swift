/// By how much farther a tag is from one anchor than from another, as the difference of two arrival
/// times has it.
public struct TimeDifference: Sendable, Hashable {
  /// The index of the one anchor.
  public var first: Int
  /// The index of the other anchor.
  public var second: Int
  /// The distance from the first less the distance from the second, metres: the difference of the
  /// arrival times by the speed of light.
  public var difference: Double

  /// The distance from the anchor at index `first` exceeds that from `second` by `difference` metres.
  public init(first: Int, second: Int, difference: Double) {
    self.first = first
    self.second = second
    self.difference = difference
  }
}

/// Positions from time differences of arrival (TDOA), hyperbolic positions.
///
/// Differences that share an arrival share its error. Their covariance is A S Aᵀ + σ²I, where the rows
/// of A take differences, S holds the variances of the arrivals and σ is what every difference adds of
/// its own; the likelihood has all of it, so that it does not matter which anchor is the reference,
/// nor whether all pairs are given or only independent ones.
///
/// The start is global, as for ``PseudoRanges``: arrivals with a common offset that fit the
/// differences best give every stationary point of the squared errors.
public enum TimeDifferences {
  /// What is assumed or known besides the differences.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of arrivals that come without their own, metres.
    public var arrivalSigma = 0.10
    /// Standard deviation that every difference adds of its own, metres: zero where all differences
    /// come of the same arrivals.
    ///
    /// Where they were taken at different times and share none, this is all of the noise, and the
    /// arrivals may have as little as 1e-6 m.
    public var differenceSigma = 0.0
    /// The known value of the last coordinate, metres.
    public var height: Double?

    /// The defaults.
    public init() {}
  }

  /// Solves for the position that makes the differences most likely.
  ///
  /// - Parameters:
  ///   - differences: pairs of different anchors, in any order and number. Those that are NaN or
  ///     infinite or name one anchor twice are left out and listed in ``PositionFix/discounted``.
  ///   - anchors: the positions that they name, metres, all finite.
  ///   - sigmas: standard deviations of the arrivals, metres, one per anchor, positive; nil for
  ///     ``Options/arrivalSigma``.
  ///   - options: the noise and a known height.
  /// - Returns: The fix, with one residual per difference.
  /// - Throws: ``TrilaterationError`` where the input contradicts itself; `sigmaNotPositive` with
  ///   index -1 for ``Options/differenceSigma`` that is negative or not finite.
  ///
  /// ## Edge cases
  /// - As many independent differences as coordinates often leave two positions; anchors in a plane
  ///   leave a mirror image: `two`.
  /// - A tag far outside gives a direction only: `continuum`, where the likelihood keeps rising
  ///   towards infinity.
  /// - Differences of one epoch add up to zero around a loop. Where they do not, and
  ///   ``Options/differenceSigma`` is zero, the misclosure shows in the residuals and has no weight.
  /// - Differences that fall into groups without a common anchor have no pseudo-ranges. They start from
  ///   a few points around the anchors instead, without a global guarantee.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for eight anchors; allocates.
  public static func solve<let D: Int>(
    differences: [TimeDifference], anchors: [Vector<D>], sigmas: [Double]? = nil,
    options: Options = Options()
  ) throws(TrilaterationError) -> PositionFix<D> {
    let own = options.differenceSigma
    guard own >= 0, own.isFinite else { throw .sigmaNotPositive(index: -1) }
    let all = try ArrivalProblem(
      anchors: anchors, sigmas: sigmas, defaultSigma: options.arrivalSigma,
      height: options.height)
    let usable = differences.indices.filter {
      let one = differences[$0]
      precondition(
        anchors.indices.contains(one.first) && anchors.indices.contains(one.second),
        "a time difference names an anchor that is not there")
      return one.difference.isFinite && one.first != one.second
    }
    var fix = PositionFix<D>(
      without: .tooFew, count: differences.count, unknowns: all.free,
      discounted: differences.indices.filter { !usable.contains($0) })
    // Anchors that no difference names are not part of the geometry.
    let heard = anchors.indices.filter { index in
      usable.contains { differences[$0].first == index || differences[$0].second == index }
    }
    guard !heard.isEmpty else { return fix }
    let problem = all.selecting(heard)
    let graph = DifferenceGraph(
      usable.map { differences[$0] }, anchors: heard, sigmas: problem.sigmas, own: own)
    guard let graph, graph.count >= problem.free else { return fix }
    guard problem.rank >= problem.free - 1 else {
      fix.verdict = .continuum
      return fix
    }
    let arrivals = graph.arrivals
    let equations = PositionEquations(
      free: problem.free, nuisances: 0, count: graph.count,
      scale: problem.scale(of: arrivals ?? []), isFlat: problem.rank < problem.free,
      residuals: { unknowns in
        graph.whitened(heard.indices.map { problem.distance($0, unknowns) })
      },
      jacobian: { unknowns in
        graph.whitened(slopes: heard.indices.map { problem.direction($0, unknowns) })
      })
    let starts =
      arrivals.map { problem.starts(pseudoRanges: $0).map { Array($0.dropLast()) } }
      ?? problem.startsAround()
    let solutions = equations.solutions(from: starts, refining: arrivals == nil ? .max : 4)
    fix.describe(
      solutions, of: equations, position: problem.position,
      residuals: { unknowns in
        let distances = heard.indices.map { problem.distance($0, unknowns) }
        var residuals = [Double?](repeating: nil, count: differences.count)
        for (input, residual) in zip(usable, graph.residuals(distances)) {
          residuals[input] = residual
        }
        return residuals
      })
    if let best = solutions.first, arrivals != nil,
      var dilution = problem.dilution(at: best.unknowns, of: heard.count)
    {
      // The offset is no unknown here.
      dilution.geometric = dilution.position
      fix.dilution = dilution
    }
    return fix
  }
}

extension ArrivalProblem {
  /// Starts for differences that have no pseudo-ranges: the centre and two rings around it.
  fileprivate func startsAround() -> [[Double]] {
    let unit = scale(of: [])
    var starts = [[Double](repeating: 0, count: free)]
    for radius in [0.5 * unit, 2 * unit] {
      for corner in 0..<(1 << min(free, 8)) {
        starts.append((0..<free).map { corner >> $0 & 1 == 0 ? radius : -0.9 * radius })
      }
    }
    return starts
  }
}
