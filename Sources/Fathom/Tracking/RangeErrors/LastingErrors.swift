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
    // Not so small that the inverse drowns in rounding.
    least = max(1e-12, (link + common) / (Self.mostSigma * Self.mostSigma))
  }

  /// Adds the effect on a position to its covariance.
  ///
  /// - Parameters:
  ///   - covariance: the covariance of the position, m².
  ///   - position: the position.
  ///   - anchors: the anchors.
  ///   - ranged: whether the anchor of an index had a range in the last ``memory`` seconds.
  ///   - arrived: whether it had a time difference; nil if there are none. They count where there are no
  ///     ranges, with unit vectors relative to their mean: what all arrivals have in common is not in a
  ///     difference.
  func widen(
    _ covariance: inout Matrix<3, 3>, at position: Vector<3>, anchors: [Anchor],
    ranged: (Int) -> Bool, arrived: ((Int) -> Bool)? = nil
  ) {
    var bounded = SymmetricMatrix3(xx: least, yy: least, zz: least)
    var direction = SIMD3<Double>.zero
    let isRelative = arrived != nil && !anchors.indices.contains(where: ranged)
    var count = 0.0
    for index in anchors.indices
    where isRelative ? arrived?(index) ?? false : ranged(index) {
      let offset = position - anchors[index].position
      var unit = SIMD3(offset[0], offset[1], offset[2])
      let length = (unit * unit).sum().squareRoot()
      guard length > 0 else { continue }
      unit /= length
      if isLevel { unit.z = 0 }
      bounded.addOuterProduct(of: unit, times: 1)
      direction += unit
      count += 1
    }
    if isRelative, count > 0 {
      bounded.addOuterProduct(of: direction, times: -1 / count)
      direction = .zero
    }
    guard let inverse = bounded.inverse(isSpace: !isLevel) else { return }
    // With B = A + c I, B⁻¹ A B⁻¹ = B⁻¹ - c B⁻².
    var added = link * inverse
    for axis in 0..<3 {
      var unit = SIMD3<Double>.zero
      unit[axis] = 1
      added.addOuterProduct(of: inverse * unit, times: -link * least)
    }
    added.addOuterProduct(of: inverse * direction, times: common)
    guard added.trace.isFinite else { return }
    covariance[0, 0] += added.xx
    covariance[1, 1] += added.yy
    covariance[2, 2] += added.zz
    covariance[0, 1] += added.xy
    covariance[0, 2] += added.xz
    covariance[1, 2] += added.yz
    covariance[1, 0] = covariance[0, 1]
    covariance[2, 0] = covariance[0, 2]
    covariance[2, 1] = covariance[1, 2]
  }
}
