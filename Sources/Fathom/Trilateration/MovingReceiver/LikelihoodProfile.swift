import RealModule

/// The likelihood of a position along its least certain direction.
///
/// If the anchors are close to a plane or line, the likelihood across it is not Gaussian. The
/// mirror image is near, and the distances depend on the squared offset as much as on the offset.
/// The inverse of the information at the maximum is then too small or too large.
///
/// It is replaced by the second moment of the likelihood. At offsets t along the least certain
/// direction, the other coordinates take their most likely values. t² is averaged with the
/// likelihood over the basin of the maximum.
struct LikelihoodProfile {
  /// Maximum increase of minus twice the log-likelihood from the maximum; e⁻¹² is negligible.
  private static let depth = 24.0
  /// Points per side within the standard deviation that follows from the information.
  private static let pointsPerSigma = 8

  private let problem: RangeProblem<3>

  /// Creates the profile of `problem`, with its loss and without its prior.
  init(_ problem: RangeProblem<3>) { self.problem = problem }

  /// Returns `covariance`, relative to the centre of the anchors, with the variance along its
  /// longest axis replaced by that of the likelihood.
  ///
  /// Returns nil if the covariance is singular or the likelihood gives no valid variance.
  func widened(_ covariance: Matrix<3, 3>, at position: Vector<3>) -> Matrix<3, 3>? {
    let axis = PrincipalAxes(of: covariance).axes.row(0)
    let reach = covariance * axis
    let variance = reach.dot(axis)
    guard variance > 0, variance.isFinite else { return nil }
    // Along this line the other coordinates follow their most likely values, to first order.
    let line = (1 / variance) * reach
    guard let frozen = weighted(at: position, along: line, variance) else { return nil }
    let step = variance.squareRoot() / Double(Self.pointsPerSigma)
    let lowest = frozen.cost(at: position)
    var (mass, moment) = (1.0, 0.0)
    for side in [step, -step] {
      var (here, last) = (position, lowest)
      for count in 1...40 * Self.pointsPerSigma {
        here = frozen.settled(here + side * line, across: axis)
        let cost = frozen.cost(at: here)
        // Beyond a ridge lies the basin of another position.
        guard cost.isFinite, cost >= last || cost <= lowest + 1e-9, cost <= lowest + Self.depth
        else { break }
        last = cost
        let offset = Double(count) * step
        let weight = Double.exp(-0.5 * (cost - lowest))
        mass += weight
        moment += weight * offset * offset
      }
    }
    let found = moment / mass
    guard found.isFinite, found > 0 else { return nil }
    var result = covariance
    result.addOuterProduct(of: line, times: found - variance)
    return result.isFinite ? result : nil
  }

  /// Returns the ranges with their weights at `position`, as a least-squares problem whose
  /// information along `line` is 1 / `variance`.
  private func weighted(
    at position: Vector<3>, along line: Vector<3>, _ variance: Double
  ) -> RangeProblem<3>? {
    let squares = problem.weighted(at: position, times: 1)
    let information = line.dot(squares.linearised(at: position).information * line)
    let factor = 1 / (variance * information)
    return factor > 0 && factor.isFinite ? problem.weighted(at: position, times: factor) : nil
  }
}

extension RangeProblem where D == 3 {
  /// Returns the most likely position on the plane through `start` perpendicular to `axis`, by two
  /// Gauss-Newton steps.
  fileprivate func settled(_ start: Vector<3>, across axis: Vector<3>) -> Vector<3> {
    var position = start
    for _ in 0..<2 {
      guard let step = linearised(at: position).step(across: axis, free) else { break }
      position += step
    }
    return position
  }
}
