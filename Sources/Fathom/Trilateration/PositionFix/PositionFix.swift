/// A position computed from ranges of one epoch, with all that is known about its worth.
public struct PositionFix<let D: Int>: Sendable, Equatable {
  /// The position, metres; nil where the ranges leave a continuum or are too few.
  public var position: Vector<D>?
  /// A second position that explains the ranges as well, such as the mirror image behind the
  /// anchors; nil where there is none.
  public var alternative: Vector<D>?
  /// Covariance of the position, m², from the assumed range errors, or from the residuals where
  /// ``PositionOptions/scalesCovariance`` asks for that; nil where there is no position.
  ///
  /// Coordinates that were given, such as a known height, have zero variance. Where the position
  /// lies on the affine span of the anchors, the variance across the affine span is a bound, see
  /// ``Trilateration``, and ``undetermined`` names the direction.
  public var covariance: Matrix<D, D>?
  /// Covariance of ``alternative``, m², in the same way; nil where there is none.
  public var alternativeCovariance: Matrix<D, D>?
  /// What the ranges determine.
  public var verdict: Verdict
  /// Root mean square of the residuals, each with the weight its loss gave it, metres; nil where
  /// there is no position.
  public var misfit: Double?
  /// What became of each input range; nil for one that is no distance, and for all where there is
  /// no position.
  public var contributions: [RangeContribution?]
  /// Indices of the input ranges that are no distances or got less than half of their weight.
  public var discounted: [Int]
  /// How the geometry magnifies range errors; nil where there is no position or it is not finite.
  public var dilution: DilutionOfPrecision?
  /// Unit vectors of the directions that the ranges do not determine to first order.
  ///
  /// They point across the affine span of the anchors. Empty where all are determined, and where
  /// the ranges are too few to say.
  public var undetermined: [Vector<D>] = []
  /// Where the tag can be where the verdict is `continuum`; nil otherwise, and where that is not a
  /// circle or a sphere.
  package var continuum: Continuum<D>? {
    get { continua.first }
    set { continua = newValue.map { [$0] } ?? [] }
  }
  /// One or none: to throw away an optional of another generic type looks that up at run time,
  /// which costs more than any array.
  private var continua: [Continuum<D>] = []
  /// Number of coordinates that were estimated; the others were given.
  public var unknowns: Int
  /// Iterations of all refinements.
  public var iterations: Int

  /// What a set of ranges determines.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// One position.
    case unique
    /// Two positions that the ranges cannot tell apart.
    case two
    /// A circle, sphere or line of positions.
    case continuum
    /// No position fits: the residuals are larger than the assumed errors allow (chi-square, 0.1
    /// %), or fewer than half of the ranges agree, or none is left over to confirm those that do.
    /// ``PositionFix/misfit`` says by how much.
    case inconsistent
    /// Fewer ranges than unknowns.
    case tooFew = "too_few"
  }

  /// A fix without a position, of `count` ranges.
  init(without verdict: Verdict, count: Int, unknowns: Int, discounted: [Int]) {
    self.verdict = verdict
    self.unknowns = unknowns
    // One by one: what makes an array of copies looks its type up at run time.
    contributions = []
    contributions.reserveCapacity(count)
    for _ in 0..<count { contributions.append(nil) }
    self.discounted = discounted
    iterations = 0
  }
}

/// What one range had to do with a position.
public struct RangeContribution: Sendable, Hashable {
  /// Range minus distance from the position, metres.
  public var residual: Double
  /// The weight that the loss gave the range, from 0 to 1.
  public var weight: Double
  /// How far the fitted range follows the measured one.
  ///
  /// 0 where the range did nothing, 1 where nothing checks it. The influences of all ranges add up
  /// to the number of unknowns, less where a prior helps. Nil where the ranges do not determine the
  /// position to first order.
  public var influence: Double?
}

extension PositionFix {
  /// Range minus distance from the position, metres, one per input range; nil for a range that is
  /// no distance, and for all where there is no position.
  public var residuals: [Double?] { contributions.map { $0?.residual } }

  /// The ratio of the longest to the shortest semi-axis of the error ellipsoid: how lopsided the
  /// geometry is; nil where there is no covariance or an axis of length zero among the unknowns.
  public var condition: Double? {
    guard unknowns > 0, let axes = covariance.map({ PrincipalAxes(of: $0) }) else { return nil }
    let ratio = axes.values[0] / axes.values[unknowns - 1]
    return ratio.isFinite && ratio > 0 ? ratio.squareRoot() : nil
  }

  /// The ellipse or ellipsoid around the position that holds the truth in 95 % of all cases, for
  /// normal errors of the assumed size; nil where there is no covariance.
  public var confidenceEllipsoid: ConfidenceEllipsoid<D>? {
    covariance.flatMap { ConfidenceEllipsoid(covariance: $0, unknowns: unknowns) }
  }
}

/// The circle or sphere of positions that ranges leave where their anchors lack two dimensions or
/// more.
///
/// Anchors on a line leave a circle around it, one anchor a sphere around itself, in a known plane
/// a circle in it.
package struct Continuum<let D: Int>: Sendable, Equatable {
  /// The middle of the circle or sphere, metres.
  package let centre: Vector<D>
  /// Its radius, metres; zero where the ranges do not reach from the line to each other.
  package let radius: Double
  /// Orthonormal directions from the centre that it extends in: two for a circle, three for a
  /// sphere.
  package let directions: [Vector<D>]
}

extension Continuum where D == 3 {
  /// The unit vector along the axis of a circle; nil for a sphere.
  package var axis: Vector<3>? {
    guard directions.count == 2 else { return nil }
    let (first, second) = (directions[0], directions[1])
    return Vector([
      first[1] * second[2] - first[2] * second[1], first[2] * second[0] - first[0] * second[2],
      first[0] * second[1] - first[1] * second[0],
    ])
  }
}
