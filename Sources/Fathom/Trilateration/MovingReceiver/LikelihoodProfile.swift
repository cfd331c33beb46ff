import RealModule

/// The likelihood of a position along the direction in which it is known worst.
///
/// Where anchors hardly leave a plane or line, the likelihood across it is no normal bell: the
/// mirror image is near, and the distances depend on the square of the offset as much as on the
/// offset. The inverse of the information at the maximum is then too small or too large. The second
/// moment of the likelihood itself takes its place: at offsets t along the worst direction the
/// other coordinates are as likely as they can be, and t² is averaged with the likelihood over the
/// basin of the maximum.
struct LikelihoodProfile {
  /// How far from the maximum minus twice the log-likelihood is followed: e⁻¹² has no weight.
  private static let depth = 24.0
  /// Points on either side within the standard deviation that the information gives.
  private static let pointsPerSigma = 8

  private let problem: RangeProblem<3>

  /// The profile of `problem` without its prior, at the loss that it has.
  init(_ problem: RangeProblem<3>) { self.problem = problem }

  /// `covariance` of the position relative to the centre of the anchors, with the variance along
  /// its longest axis as the likelihood has it; nil where the covariance is singular or nothing is
  /// better.
  func widened(_ covariance: Matrix<3, 3>, at position: Vector<3>) -> Matrix<3, 3>? {
    let axis = PrincipalAxes(of: covariance).axes.row(0)
    let reach = covariance * axis
    let variance = reach.dot(axis)
    guard variance > 0, variance.isFinite else { return nil }
    // Along this line the other coordinates follow, to first order.
    let line = (1 / variance) * reach
    guard let frozen = weighted(at: position, along: line, variance) else { return nil }
    let step = variance.squareRoot() / Double(Self.pointsPerSigma)
    let lowest = frozen.expansion(at: position).cost
    var (mass, moment) = (1.0, 0.0)
    for side in [step, -step] {
      var (here, last) = (position, lowest)
      for count in 1...40 * Self.pointsPerSigma {
        here = frozen.settled(here + side * line, across: axis)
        let cost = frozen.expansion(at: here).cost
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

  /// The ranges with the weights that they have at `position`, as least squares whose information
  /// along `line` is that of `variance`.
  private func weighted(
    at position: Vector<3>, along line: Vector<3>, _ variance: Double
  ) -> RangeProblem<3>? {
    var weights: [Double] = []
    for index in 0..<problem.count {
      let residual = problem.distances[index] - (position - problem.anchors[index]).length
      weights.append(max(1e-12, problem.loss.weight(of: residual / problem.sigmas[index])))
    }
    func squares(_ factor: Double) -> RangeProblem<3> {
      RangeProblem(
        span: problem.span, anchors: problem.anchors, distances: problem.distances,
        sigmas: problem.sigmas.indices.map {
          problem.sigmas[$0] / (factor * weights[$0]).squareRoot()
        }, free: problem.free, given: problem.given, known: problem.known)
    }
    let information = line.dot(squares(1).expansion(at: position).information * line)
    let factor = 1 / (variance * information)
    return factor > 0 && factor.isFinite ? squares(factor) : nil
  }
}

extension RangeProblem where D == 3 {
  /// The likeliest position on the plane through `start` across `axis`, by two Gauss-Newton steps.
  fileprivate func settled(_ start: Vector<3>, across axis: Vector<3>) -> Vector<3> {
    var position = start
    for _ in 0..<2 {
      let here = expansion(at: position)
      let pulled = here.information * axis
      let along = pulled.dot(axis)
      var matrix = here.information
      // The projection on the plane, regular along the axis.
      for row in 0..<3 {
        for column in 0..<3 {
          matrix[row, column] +=
            axis[row] * axis[column] * (along + here.information.trace)
            - pulled[row] * axis[column] - axis[row] * pulled[column]
        }
      }
      guard let root = Cholesky(matrix) else { return position }
      var step = root.solve(here.descent + -here.descent.dot(axis) * axis)
      step += -step.dot(axis) * axis
      for index in free..<max(free, 3) { step[index] = 0 }
      guard step.isFinite else { return position }
      position += step
    }
    return position
  }
}
