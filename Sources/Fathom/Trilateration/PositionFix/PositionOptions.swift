/// What may be known besides the ranges, and how far the solvers go.
public struct PositionOptions: Sendable, Equatable {
  /// Standard deviation of ranges that come without their own, metres.
  public var rangeSigma = 0.10
  /// The known value of the last coordinate, metres: the position is then solved in the others,
  /// from the full slant ranges.
  public var height: Double?
  /// Standard deviation of ``height``, metres: the last coordinate is then estimated as well,
  /// from the ranges and the height; nil for a height that is exact.
  public var heightSigma: Double?
  /// Whether a range of exactly zero is a distance; most devices write it for "no measurement".
  public var zeroIsDistance = false
  /// What a residual costs.
  public var loss = RobustLoss.cauchy
  /// Whether residuals too large for the assumed errors start a search for the ranges that are
  /// wrong.
  ///
  /// It costs some microseconds for such an epoch, tens where there are many ranges, and nothing
  /// for others; least squares never search.
  public var searchesForOutliers = true
  /// Whether covariances are scaled with the residuals instead of resting on the assumed errors
  /// alone.
  public var scalesCovariance = false
  /// Which estimate is given.
  public var solver = Solver.automatic
  /// The steps of the refinement.
  public var steps = Steps.newton
  /// The largest number of refinement steps from one start.
  public var maximumIterations = 100

  /// The defaults.
  public init() {}

  /// Which estimate of the position is given; the assessment is the same for all.
  public enum Solver: Sendable, Hashable {
    /// The maximum of the likelihood for ``PositionOptions/loss``: the best of those that the
    /// minima of the squared ranges lead to, by ``PositionOptions/steps``; outliers are searched
    /// for.
    case automatic
    /// The maximum of the likelihood next to the global minimum of the squared ranges, without
    /// search and without alternative, by the given steps.
    case descent(Steps)
    /// The minimum of the squared ranges, or both where they are mirror images: a closed form,
    /// without regard to the loss, but for the weights in the assessment.
    case squaredRanges
    /// The linearised equations, see `linearLeastSquares(ranges:anchors:sigmas:)`: for anchors
    /// that span the space and one range more than unknowns, otherwise a `continuum` remains.
    case linear
  }

  /// How a refinement steps downhill.
  public enum Steps: String, Sendable, Hashable, CaseIterable {
    /// Newton's steps with second derivatives, damped Gauss-Newton steps where these do not help.
    case newton
    /// Gauss-Newton steps with Marquardt's damping.
    case gaussNewton = "gauss_newton"
  }
}
