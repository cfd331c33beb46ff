/// A position computed from ranges of one epoch, with all that is known about its worth.
public struct PositionFix<let D: Int>: Sendable, Equatable {
  /// The position, metres; nil where the ranges leave a continuum or are too few.
  public var position: Vector<D>?
  /// A second position that explains the ranges as well, such as the mirror image behind the anchors;
  /// nil where there is none.
  public var alternative: Vector<D>?
  /// Covariance of the position, m², from the assumed range errors (not scaled by the residuals);
  /// nil where there is no position.
  ///
  /// Coordinates that were given, such as a known height, have zero variance. Where the position lies
  /// on the flat of the anchors, the variance across the flat is a bound, see ``Trilateration``.
  public var covariance: Matrix<D, D>?
  /// Covariance of ``alternative``, m², in the same way; nil where there is none.
  public var alternativeCovariance: Matrix<D, D>?
  /// What the ranges determine.
  public var verdict: Verdict
  /// Root mean square of the residuals, metres; nil where there is no position.
  public var misfit: Double?
  /// Range minus distance from the position, metres, one per input range; nil for a range that was
  /// not used, and for all where there is no position.
  public var residuals: [Double?]
  /// Indices of the input ranges that were not used because they are no distances.
  public var discounted: [Int]
  /// How the geometry magnifies range errors; nil where there is no position or it is not finite.
  public var dilution: DilutionOfPrecision?
  /// Iterations of the refinement.
  public var iterations: Int

  /// What a set of ranges determines.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// One position.
    case unique
    /// Two positions that the ranges cannot tell apart.
    case two
    /// A circle, sphere or line of positions.
    case continuum
    /// No position fits: the residuals are larger than the assumed errors allow (chi-square, 0.1 %).
    case inconsistent
    /// Fewer ranges than unknowns.
    case tooFew = "too_few"
  }

  /// A fix without a position, of `count` ranges.
  init(without verdict: Verdict, count: Int, discounted: [Int]) {
    self.verdict = verdict
    residuals = [Double?](repeating: nil, count: count)
    self.discounted = discounted
    iterations = 0
  }
}
