/// What errors that last longer than a track remembers do to its positions.
///
/// A filter averages errors out that change within seconds. An error of a link that stays for
/// minutes, and a common error that remains, move the position by what the ranges make of it, however
/// many ranges there are: with the unit vectors u from the anchors, A = Σ u uᵀ and errors e, by
/// A⁻¹ Σ u e. Their covariance is added to that of the track [Schmidt 1966].
struct LastingErrors: Sendable {
  /// Variance of the lasting error of a link, m².
  private let link: Double
  /// Variance of the error that all links have in common, m².
  private let common: Double
  private let isLevel: Bool
  /// What is added to A, so that the effect on an axis that no range determines has a bound.
  private let least: Double

  /// The time since its last range for which a link counts, in seconds.
  static let memory = 5.0
  /// The largest standard deviation that an axis is given, metres: that of a start.
  private static let mostSigma = 2.0

  /// Creates the errors that `errors` describes; nil without any.
  init?(_ errors: RangeErrors, isLevel: Bool) {
    link = errors.lastingSigma * errors.lastingSigma
    common = errors.remainingBiasSigma * errors.remainingBiasSigma
    guard link + common > 0 else { return nil }
    self.isLevel = isLevel
    least = (link + common) / (Self.mostSigma * Self.mostSigma)
  }

  /// Adds the effect on a position to its covariance.
  ///
  /// - Parameters:
  ///   - covariance: the covariance of the position, m².
  ///   - position: the position.
  ///   - anchors: the anchors.
  ///   - isHeard: whether the anchor of an index had a range in the last ``memory`` seconds.
  func widen(
    _ covariance: inout Matrix<3, 3>, at position: Vector<3>, anchors: [Anchor],
    isHeard: (Int) -> Bool
  ) {
    var (sum, direction) = (Matrix<3, 3>.zero, Vector<3>.zero)
    for index in anchors.indices where isHeard(index) {
      let offset = position - anchors[index].position
      let length = offset.length
      guard length > 0 else { continue }
      var unit = (1 / length) * offset
      if isLevel { unit[2] = 0 }
      sum.addOuterProduct(of: unit, times: 1)
      direction += unit
    }
    var bounded = sum
    for axis in 0..<3 { bounded[axis, axis] += least }
    if isLevel { bounded[2, 2] = 1 }
    guard let root = Cholesky(bounded) else { return }
    let shift = root.solve(direction)
    var ofLinks = Matrix<3, 3>.zero
    for axis in 0..<3 {
      var unit = Vector<3>.zero
      unit[axis] = 1
      let column = root.solve(sum * root.solve(unit))
      for row in 0..<3 { ofLinks[row, axis] = column[row] }
    }
    var added = link * ofLinks.symmetrized()
    added.addOuterProduct(of: shift, times: common)
    if added.isFinite { covariance = (covariance + added).symmetrized() }
  }
}
