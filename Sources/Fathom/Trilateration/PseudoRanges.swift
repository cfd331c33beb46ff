/// A position from ranges that share an unknown offset, and that offset.
///
/// One-way ranges to a receiver whose clock is not synchronised have one, as have ranges of a tag whose
/// antenna delay was never calibrated.
public struct PseudoRangeFix<let D: Int>: Sendable, Equatable {
  /// The position; its residuals are pseudo-range minus distance minus offset.
  ///
  /// The ``DilutionOfPrecision/geometric`` dilution includes the offset.
  public var fix: PositionFix<D>
  /// What all ranges have in common, metres; nil where there is no position.
  public var offset: Double?
  /// Standard deviation of ``offset``, metres.
  public var offsetSigma: Double?
  /// The offset that belongs to the alternative position, metres; nil where there is none.
  public var alternativeOffset: Double?
}

/// Positions from pseudo-ranges: ranges that share an unknown offset.
///
/// The start is global: every stationary point of the squared errors comes from one eigenvalue problem
/// [Larsson et al. 2025; Bancroft 1985], and the likeliest of them are refined to maxima of the
/// likelihood by ``LevenbergMarquardt``.
public enum PseudoRanges {
  /// What is assumed or known besides the pseudo-ranges.
  public struct Options: Sendable, Equatable {
    /// Standard deviation of pseudo-ranges that come without their own, metres.
    public var rangeSigma = 0.10
    /// The known value of the last coordinate, metres.
    public var height: Double?

    /// The defaults.
    public init() {}
  }

  /// Solves for the position and the offset that make the pseudo-ranges most likely, for independent
  /// normal errors.
  ///
  /// - Parameters:
  ///   - ranges: distance plus offset, metres; any sign. NaN and infinities are left out and listed in
  ///     ``PositionFix/discounted``.
  ///   - anchors: as many positions, metres, all finite.
  ///   - sigmas: standard deviations, metres, positive; nil for ``Options/rangeSigma``.
  ///   - options: the noise and a known height.
  /// - Returns: The position with its verdict, and the offset. With as many pseudo-ranges as unknowns
  ///   there are often two solutions, and nothing is left over to judge them.
  /// - Throws: ``TrilaterationError`` where the input contradicts itself.
  ///
  /// ## Edge cases
  /// Where the likelihood keeps rising towards infinity, only a direction is determined: `continuum`.
  /// Anchors in a plane leave a mirror image.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for eight anchors; allocates.
  public static func solve<let D: Int>(
    ranges: [Double], anchors: [Vector<D>], sigmas: [Double]? = nil, options: Options = Options()
  ) throws(TrilaterationError) -> PseudoRangeFix<D> {
    var common = Trilateration.Options()
    common.height = options.height
    let checked = try ArrivalProblem(
      anchors: anchors, sigmas: sigmas, defaultSigma: options.rangeSigma, height: options.height,
      count: ranges.count)
    let usable = ranges.indices.filter { ranges[$0].isFinite }
    var result = PseudoRangeFix<D>(
      fix: PositionFix(
        without: .tooFew, count: ranges.count, unknowns: checked.free,
        discounted: ranges.indices.filter { !ranges[$0].isFinite }))
    let free = checked.free
    guard usable.count >= free + 1 else { return result }
    let problem = checked.selecting(usable)
    guard problem.rank >= free - 1 else {
      result.fix.verdict = .continuum
      return result
    }
    let measured = usable.map { ranges[$0] }
    let sigmas = problem.sigmas
    let equations = PositionEquations(
      free: free, nuisances: 1, count: usable.count,
      scale: problem.scale(of: measured), isFlat: problem.rank < free,
      residuals: { unknowns in
        measured.indices.map {
          (problem.distance($0, unknowns) + unknowns[free] - measured[$0]) / sigmas[$0]
        }
      },
      jacobian: { unknowns in
        DenseMatrix(
          measured.indices.map { index in
            (problem.direction(index, unknowns) + [1]).map { $0 / sigmas[index] }
          })
      })
    let solutions = equations.solutions(
      from: problem.starts(pseudoRanges: measured), refining: 4)
    result.fix.describe(
      solutions, of: equations, position: problem.position,
      residuals: { unknowns in
        var residuals = [Double?](repeating: nil, count: ranges.count)
        for (index, input) in usable.enumerated() {
          residuals[input] = measured[index] - problem.distance(index, unknowns) - unknowns[free]
        }
        return residuals
      })
    guard let best = solutions.first else { return result }
    result.offset = best.unknowns[free]
    result.offsetSigma = best.covariance[free, free].squareRoot()
    result.alternativeOffset = solutions.count > 1 ? solutions[1].unknowns[free] : nil
    result.fix.dilution = problem.dilution(at: best.unknowns, of: usable.count)
    return result
  }
}
