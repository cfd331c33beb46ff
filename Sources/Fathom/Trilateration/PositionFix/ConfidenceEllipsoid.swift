/// The region around an estimate that holds the truth in 95 % of all cases, for normal errors.
public struct ConfidenceEllipsoid<let D: Int>: Sendable, Equatable {
  /// Half lengths of the axes, metres, longest first; zero along coordinates that were given.
  public let semiAxes: Vector<D>
  /// Unit vectors along the axes, one per row, in the order of ``semiAxes``.
  public let directions: Matrix<D, D>

  /// The region of a covariance over `unknowns` coordinates: the semi-axes are √(λ q), with the
  /// eigenvalues λ and the 95 % point q of chi-square with as many degrees of freedom as there are
  /// unknowns; nil where the covariance is not finite.
  package init?(covariance: Matrix<D, D>, unknowns: Int) {
    guard covariance.isFinite else { return nil }
    let limit = chiSquare95(degreesOfFreedom: max(1, unknowns))
    let axes = PrincipalAxes(of: covariance)
    var semiAxes = Vector<D>.zero
    for axis in 0..<D { semiAxes[axis] = (limit * max(0, axes.values[axis])).squareRoot() }
    self.semiAxes = semiAxes
    directions = axes.axes
  }
}
