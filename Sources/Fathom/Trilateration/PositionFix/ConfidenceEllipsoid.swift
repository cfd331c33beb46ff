/// The region around an estimate that contains the true position with 95 % probability, for normal
/// errors.
public struct ConfidenceEllipsoid<let D: Int>: Sendable, Equatable {
  /// Half lengths of the axes, metres, longest first; zero along known coordinates.
  public let semiAxes: Vector<D>
  /// Unit vectors along the axes, one per row, in the order of ``semiAxes``.
  public let directions: Matrix<D, D>

  /// Creates the region for a covariance over `unknowns` coordinates, or nil if the covariance is
  /// not finite.
  ///
  /// The semi-axes are √(λ q), with the eigenvalues λ and the 95 % quantile q of chi-square with
  /// `unknowns` degrees of freedom.
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
