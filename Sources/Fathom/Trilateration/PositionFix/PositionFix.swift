/// A position computed from the ranges of one epoch, with its covariance and quality measures.
public struct PositionFix<let D: Int>: Sendable, Equatable {
  /// The position, metres; nil if the ranges leave a continuum or are too few.
  public var position: Vector<D>?
  /// The other positions that the measurements cannot distinguish from ``position`` within the
  /// stated odds, the likeliest first; empty if the position is unambiguous.
  ///
  /// Such as the mirror image behind the anchors, or the position that results if another range is
  /// the wrong one.
  public var alternatives: [PositionAlternative<D>] = []
  /// Covariance of the position, m²; nil without a position.
  ///
  /// It follows from the assumed range errors, or from the residuals if
  /// ``PositionOptions/scalesCovariance`` is set. Known coordinates, such as a known height, have
  /// zero variance. If the position lies on the affine span of the anchors, the variance across the
  /// span is a bound (see ``Trilateration``), and ``undetermined`` contains the direction. It is
  /// wider than the linearised covariance where the likelihood is bent, and where a range may be
  /// wrong that no other range checks (see ``PositionOptions/outliers``).
  public var covariance: Matrix<D, D>?
  /// What the ranges determine.
  public var verdict: Verdict
  /// Root mean square of the residuals, weighted by the loss, metres; nil without a position.
  public var misfit: Double?
  /// The contribution of each input range; nil for invalid ranges, and for all ranges without a
  /// position.
  public var contributions: [RangeContribution?]
  /// Indices of the input ranges that are invalid or received a weight below one half.
  public var discounted: [Int]
  /// The dilution of precision; nil without a position or if it is not finite.
  public var dilution: DilutionOfPrecision?
  /// Unit vectors of the directions that the ranges do not determine.
  ///
  /// The directions across the affine span of the anchors in which the first-order variance is
  /// infinite, and the direction of a curve of positions that fit the ranges equally well, such as
  /// the circle around nearly collinear anchors. Empty if all directions are determined, or if the
  /// ranges are too few to decide.
  public var undetermined: [Vector<D>] = []
  /// An error common to all ranges that explains them better than any position without it; nil
  /// otherwise.
  ///
  /// Its position is one of the ``alternatives``, unless it lies within the uncertainty of
  /// ``position``. `PseudoRanges` solves for it in full.
  public var commonOffset: CommonRangeOffset<D>?
  /// The possible positions if the verdict is `continuum`; nil otherwise, or if they are neither a
  /// circle nor a sphere.
  package var continuum: Continuum<D>? {
    get { continua.first }
    set { continua = newValue.map { [$0] } ?? [] }
  }
  /// At most one element.
  ///
  /// Discarding an optional of another generic type looks up its metadata at run time, which costs
  /// more than an array.
  private var continua: [Continuum<D>] = []
  /// Number of coordinates that were estimated; the others were known.
  public var unknowns: Int
  /// Number of iterations of all refinements.
  public var iterations: Int

  /// What a set of ranges determines.
  public typealias Verdict = PositionVerdict

  /// Creates a fix without a position, for `count` ranges.
  init(without verdict: Verdict, count: Int, unknowns: Int, discounted: [Int]) {
    self.verdict = verdict
    self.unknowns = unknowns
    // Appends one by one: `Array(repeating:count:)` looks its type up at run time.
    contributions = []
    contributions.reserveCapacity(count)
    for _ in 0..<count { contributions.append(nil) }
    self.discounted = discounted
    iterations = 0
  }
}

extension PositionFix {
  /// The first of the ``alternatives``, metres; nil if the position is unambiguous.
  public var alternative: Vector<D>? { alternatives.first?.position }

  /// The covariance of ``alternative``, m².
  public var alternativeCovariance: Matrix<D, D>? { alternatives.first?.covariance }

  /// The mean square of the error of the position, m², if each of the positions that explain the
  /// measurements may be the right one; nil without a position or covariance.
  public var covarianceReachingAlternatives: Matrix<D, D>? {
    guard let position, let covariance else { return nil }
    var sum = covariance
    for other in alternatives {
      sum = sum + (other.covariance ?? covariance)
      sum.addOuterProduct(of: other.position - position, times: 1)
    }
    return (1 / Double(alternatives.count + 1)) * sum
  }

  /// Adds alternatives and adapts the verdict of a fix that was unique.
  mutating func add(_ others: [PositionAlternative<D>]) {
    alternatives += others
    if verdict != .inconsistent, !alternatives.isEmpty {
      verdict = alternatives.count == 1 ? .two : .several
    }
  }
}

/// What a set of ranges determines.
public enum PositionVerdict: String, Sendable, Hashable, CaseIterable {
  /// One position.
  case unique
  /// Two positions that the ranges cannot distinguish.
  case two
  /// Three positions or more that the ranges cannot distinguish; see
  /// ``PositionFix/alternatives``.
  case several
  /// A circle, sphere or line of positions.
  case continuum
  /// No position fits the ranges.
  ///
  /// The residuals are larger than the assumed errors allow (chi-square, 0.1 %), or fewer than
  /// half of the ranges agree, or their agreement has no redundancy. ``PositionFix/misfit`` gives
  /// the size of the disagreement.
  case inconsistent
  /// Fewer ranges than unknowns.
  case tooFew = "too_few"
}

/// A position that the measurements cannot distinguish from another.
public struct PositionAlternative<let D: Int>: Sendable, Equatable {
  /// The position, metres.
  public var position: Vector<D>
  /// Its covariance, m², computed like that of the fix; nil if the measurements do not determine
  /// it to first order.
  public var covariance: Matrix<D, D>?
}

/// An error common to all ranges of an epoch, such as an antenna delay or a clock offset.
public struct CommonRangeOffset<let D: Int>: Sendable, Equatable {
  /// By how much all ranges are too long, metres; negative if they are too short.
  public var offset: Double
  /// Standard deviation of the offset, metres.
  public var sigma: Double
  /// The position if all ranges have this error, metres.
  public var position: Vector<D>
  /// Covariance of that position, m².
  public var covariance: Matrix<D, D>
}

/// The contribution of one range to a position: residual, weight and influence.
public struct RangeContribution: Sendable, Hashable {
  /// Measured range minus distance from the position, metres.
  public var residual: Double
  /// The weight that the loss assigned to the range, from 0 to 1.
  public var weight: Double
  /// How closely the fitted range follows the measured one, from 0 to 1.
  ///
  /// 0 if the range had no effect, 1 if no other range checks it. The influences of all ranges add
  /// up to the number of unknowns, or less with a prior. Nil if the ranges do not determine the
  /// position to first order.
  public var influence: Double?
}

extension PositionFix {
  /// Measured range minus distance from the position, metres, one per input range.
  ///
  /// Nil for invalid ranges, and for all ranges without a position.
  public var residuals: [Double?] { contributions.map { $0?.residual } }

  /// The ratio of the longest to the shortest semi-axis of the error ellipsoid.
  ///
  /// A large value means that the geometry determines one direction much worse than another. Nil
  /// without a covariance, or if an axis among the unknowns has length zero.
  public var condition: Double? {
    guard unknowns > 0, let axes = covariance.map({ PrincipalAxes(of: $0) }) else { return nil }
    let ratio = axes.values[0] / axes.values[unknowns - 1]
    return ratio.isFinite && ratio > 0 ? ratio.squareRoot() : nil
  }

  /// The ellipse or ellipsoid around the position that contains the true position with 95 %
  /// probability, for normal errors of the assumed size; nil without a covariance.
  public var confidenceEllipsoid: ConfidenceEllipsoid<D>? {
    covariance.flatMap { ConfidenceEllipsoid(covariance: $0, unknowns: unknowns) }
  }
}

/// The circle or sphere of positions that remains if the anchors lack two dimensions or more.
///
/// Anchors on a line leave a circle around it. One anchor leaves a sphere around itself, or a
/// circle in a known plane.
package struct Continuum<let D: Int>: Sendable, Equatable {
  /// The centre of the circle or sphere, metres.
  package let centre: Vector<D>
  /// Its radius, metres; zero if the ranges are too short to intersect.
  package let radius: Double
  /// Orthonormal directions that the continuum extends in: two for a circle, three for a sphere.
  package let directions: [Vector<D>]
}
