/// Known facts besides the measurements, and settings of all solvers of positions.
public struct PositionOptions: Sendable, Equatable {
  /// Standard deviation of ranges given without their own, metres.
  public var rangeSigma = 0.10
  /// Additional standard deviation of every time difference, metres.
  ///
  /// Zero if all differences are formed from the same arrivals. Only `TimeDifferences` reads it. For differences measured at different times, without common arrivals, set this to the whole
  /// noise and ``rangeSigma`` to as little as 1e-6 m.
  public var differenceSigma = 0.0
  /// Standard deviation of the common heading error of all sightings, within (0, 180°]; nil for
  /// exact orientations.
  ///
  /// Only `RangesAndAngles` reads it. If set, a common rotation about the vertical is estimated as well. Use it for sightings by one
  /// device: its compass error is common to all sightings of an epoch and does not average out. Use
  /// 180° for an unknown heading.
  public var headingSigma: Angle?
  /// The known value of the last coordinate, metres.
  ///
  /// The position is then solved in the other coordinates, from the full slant ranges.
  public var height: Double?
  /// Standard deviation of ``height``, metres; nil for an exact height.
  ///
  /// If set, the last coordinate is estimated as well, from the ranges and the height.
  public var heightSigma: Double?
  /// The side of the anchors on which the position lies; nil if unknown.
  ///
  /// It selects between two positions that the ranges cannot distinguish, as under a ceiling of
  /// anchors. It has no effect with an exact ``height``, in the plane, or on positions that differ
  /// more in the horizontal than anchors in a nearly horizontal plane allow, as in front of a wall.
  public var side: AnchorSide?
  /// The side if it can select between two positions; nil with an exact height.
  var usableSide: AnchorSide? { height == nil || heightSigma != nil ? side : nil }
  /// Whether a range of exactly zero is valid; most devices report zero for "no measurement".
  public var zeroIsDistance = false
  /// The loss function of the residuals.
  public var loss = RobustLoss.cauchy
  /// The prior odds of wrong ranges, by which explanations of the ranges are compared.
  ///
  /// They have no effect on the position of lowest cost, only on what is reported beside it and on
  /// its covariance. They have no effect with the squared loss, which stands for normal errors.
  public var outliers = OutlierOdds()
  /// Whether residuals too large for the assumed errors start a search for other minima.
  ///
  /// The search takes tens of microseconds for such an epoch, and nothing for others. Least squares
  /// search only where their residuals are inconsistent.
  public var searchesForOutliers = true
  /// Whether covariances are scaled with the residuals, instead of following from the assumed
  /// errors alone.
  public var scalesCovariance = false
  /// The estimate to compute.
  public var solver = Solver.automatic
  /// The step of the refinement.
  public var steps = Steps.newton
  /// The maximum number of refinement steps from one start.
  public var maximumIterations = 100

  /// Whether the covariance is wider than the linearised one where that is too small.
  var widensCovariance = true
  /// Whether the lower of two mirror images across a nearly horizontal plane is the position.
  ///
  /// Anchors usually hang above their tags; the poses of a trajectory do not.
  var prefersLowerImage = true

  /// Creates the default options.
  public init() {}

  /// The estimate of the position; the quality measures are the same for all.
  public enum Solver: Sendable, Hashable {
    /// The maximum of the likelihood for ``PositionOptions/loss``.
    ///
    /// The best of the local maxima reached from the minima of the squared ranges by
    /// ``PositionOptions/steps``, with outlier search.
    case automatic
    /// The local maximum of the likelihood reached from the global minimum of the squared ranges by
    /// the given steps, without outlier search and without alternative.
    case descent(Steps)
    /// The minimum of the squared ranges in closed form, or both minima if they are mirror images.
    ///
    /// The loss affects only the weights in the quality measures.
    case squaredRanges
    /// The solution of the linearised equations, see `linearLeastSquares(ranges:anchors:sigmas:)`.
    ///
    /// Needs anchors that span the space and one range more than unknowns; otherwise the verdict is
    /// `continuum`.
    case linear
  }

  /// The step of a refinement.
  public enum Steps: String, Sendable, Hashable, CaseIterable {
    /// Newton steps with second derivatives, and damped Gauss-Newton steps where a Newton step does
    /// not descend.
    case newton
    /// Gauss-Newton steps with Marquardt's damping.
    case gaussNewton = "gauss_newton"
  }
}

/// The prior odds that a range is wrong: late, because the first path is obstructed, or early.
///
/// A wrong range errs by anything from its standard deviation to the size of the problem, each order
/// of magnitude alike. Late arrivals are common: a body or a wall in the path delays every tenth
/// range in an ordinary building. Early ones need a fault of the receiver; they are ten times rarer.
public struct OutlierOdds: Sendable, Hashable, Codable {
  /// The odds that a range is too long; 0 to 1.
  public var late: Double
  /// The odds that a range is too short; 0 to 1.
  public var early: Double

  /// Creates prior odds; numbers outside 0 to 1 are clamped.
  public init(late: Double = 0.1, early: Double = 0.01) {
    self.late = min(1, max(0, late))
    self.early = min(1, max(0, early))
  }

  /// Normal errors only.
  public static let none = OutlierOdds(late: 0, early: 0)
}

/// The side of the anchors on which a position lies, along the last coordinate.
public enum AnchorSide: String, Sendable, Hashable, Codable, CaseIterable {
  /// Higher than the anchors.
  case above
  /// Lower than the anchors, such as a tag under a ceiling.
  case below

  /// The least vertical component of the normal of a nearly horizontal plane: a slope of 30°.
  ///
  /// The offset between two mirror images is along the normal. Its vertical part is then at least
  /// 1.7 times the horizontal one.
  static let leastRise = 0.866

  /// Returns whether `one` lies farther to this side than `other`; nil if they are no images in a
  /// nearly horizontal plane.
  func prefers<let D: Int>(_ one: Vector<D>, to other: Vector<D>) -> Bool? {
    let rise = one[D - 1] - other[D - 1]
    guard D > 2, rise != 0, rise.magnitude >= Self.leastRise * (one - other).length else {
      return nil
    }
    return (rise > 0) == (self == .above)
  }
}
