/// The Cramér-Rao bound of a position: the smallest possible uncertainty for given anchors and
/// measurement errors, for planning before installation.
///
/// It is the inverse of the Fisher information [Kay 1993, thm. 3.2; van Trees 1968, sec. 2.4.3].
/// The maximum-likelihood position reaches it for normal errors that are small compared with the
/// distances, so that the geometry is linear within them. It then equals the covariances of
/// ``Trilateration``, ``PseudoRanges``, ``TimeDifferences`` and ``RangesAndAngles``.
///
/// **Arrivals** have a common offset, which is estimated with the position and then eliminated.
/// Time differences contain the same information: the differences of n arrivals, with their
/// correlated covariance, are equivalent to n arrivals with an unknown offset.
///
/// **Anchors** with an ``Anchor/positionSigma`` are additional unknowns of the likelihood, which
/// the survey measured once; their Schur complement eliminates them. If every anchor measures one
/// distance once, this equals adding the variance of the anchor to that of its range, as
/// ``RangeModel`` does. With several distance measurements per anchor, from
/// ``ExpectedMeasurements/rounds`` or from a range and an arrival, the two differ. These
/// measurements have the anchor's error in common, which no averaging removes; adding it to each
/// separately would be too optimistic. Angles are affected by the part of the error across the line
/// of sight, ranges by the part along it, so these are independent.
///
/// **Directions** that the measurements do not determine are listed in ``undetermined`` and have no
/// bound. Examples are the height of a tag in the plane of all anchors, or the distance of a tag
/// whose angles a single anchor measures. The bound is local: it does not account for mirror
/// images, such as those of collinear anchors.
public struct CramerRaoBound: Sendable, Equatable {
  /// The Fisher information of the position with unknown offset, 1/m²; zero in a known height.
  public let information: Matrix<3, 3>
  /// The smallest covariance of the position, m²; zero in a known height, nil if a direction is
  /// undetermined.
  public let covariance: Matrix<3, 3>?
  /// The smallest covariance of x and y, m²; nil if they are not both determined.
  public let horizontalCovariance: Matrix<2, 2>?
  /// The smallest standard deviation of the height, metres; nil if the height is known or not
  /// determined.
  public let verticalSigma: Double?
  /// The smallest standard deviation of the common offset of arrivals, metres; nil without arrivals
  /// or if the position is not determined.
  public let offsetSigma: Double?
  /// Unit vectors of the directions that the measurements do not determine.
  public let undetermined: [Vector<3>]
  /// The dilution of precision for ranges and arrivals of equal error; nil if these alone do not
  /// determine the position.
  ///
  /// ``DilutionOfPrecision/geometric`` includes the offset of arrivals, as in ``PseudoRangeFix``.
  public let dilution: DilutionOfPrecision?
  /// Number of measurements that reach the tag.
  public let measurements: Int

  /// The smallest root mean square of the horizontal error, metres; nil if not determined.
  public var horizontalSigma: Double? { horizontalCovariance?.trace.squareRoot() }

  /// Returns the smallest radius of a circle around the true position that contains the fraction
  /// `share` of all positions, for normal errors.
  ///
  /// - Parameter share: between 0 and 1, exclusive: 0.5 for the circular error probable.
  /// - Returns: The radius, metres, or nil if x and y are not determined.
  public func radius(holding share: Double) -> Double? {
    horizontalCovariance.map {
      CircularError.radius(holding: share, xx: $0[0, 0], xy: $0[0, 1], yy: $0[1, 1])
    }
  }

  /// Computes the bound at `position` for anchors with equal measurements.
  ///
  /// - Parameters:
  ///   - position: the position of the tag, metres.
  ///   - anchors: the anchors, at finite positions. Their biases and scales are assumed known and
  ///     do not affect the bound.
  ///   - measured: the kinds and errors of the measurements of each anchor.
  ///   - isHeightKnown: whether the height is known and only x and y are estimated.
  /// - Throws: ``TrilaterationError`` as for anchors with different measurements.
  public init(
    at position: Vector<3>, anchors: [Anchor], measuring measured: ExpectedMeasurements,
    isHeightKnown: Bool = false
  ) throws(TrilaterationError) {
    try self.init(
      at: position, anchors: anchors,
      measuring: [ExpectedMeasurements](repeating: measured, count: anchors.count),
      isHeightKnown: isHeightKnown)
  }

  /// Computes the bound at `position` for anchors with different measurements.
  ///
  /// - Parameters:
  ///   - position: the position of the tag, metres.
  ///   - anchors: the anchors, at finite positions. Their biases and scales are assumed known and
  ///     do not affect the bound.
  ///   - measured: the kinds and errors of the measurements, one element per anchor.
  ///   - isHeightKnown: whether the height is known and only x and y are estimated.
  /// - Throws: ``TrilaterationError``: `countMismatch`; `anchorNotFinite` also for a
  ///   ``Anchor/positionSigma`` that is negative or not finite; `sigmaNotPositive` for errors,
  ///   maximum range or rounds outside the limits of ``ExpectedMeasurements``.
  ///
  /// ## Edge cases
  /// - An anchor at the position itself, or at a distance whose square overflows, contributes
  ///   nothing. An anchor directly above or below contributes no angles, because the derivatives do
  ///   not exist.
  /// - The bound is invalid at distances from an anchor as small as its errors.
  /// - A position that is not finite is out of reach of all anchors.
  /// - A direction with less than 1e-12 of the total information counts as undetermined.
  ///
  /// ## Cost
  /// Less than a microsecond for eight anchors. Allocates one array.
  public init(
    at position: Vector<3>, anchors: [Anchor], measuring measured: [ExpectedMeasurements],
    isHeightKnown: Bool = false
  ) throws(TrilaterationError) {
    let sources = try FisherInformation.sources(anchors, measured)
    var sum = FisherInformation()
    var unit = FisherInformation()
    let (x, y, z) = (
      SIMD4(repeating: position[0]), SIMD4(repeating: position[1]), SIMD4(repeating: position[2])
    )
    for (index, source) in sources.enumerated() {
      sum.add(source, x, y, z)
      // The dilution of ranges depends on neither noise nor anchor uncertainty.
      let exact = Anchor(position: anchors[index].position)
      unit.add(FisherInformation.Source(exact, measured[index].unitRanges), x, y, z)
    }
    let parts = sum.parts(isPlanar: isHeightKnown)
    measurements = Int(sum.count[0])
    information = sum.matrix(isPlanar: isHeightKnown)
    let isVertical = !isHeightKnown && parts.isVertical[0]
    horizontalCovariance =
      parts.isHorizontal[0]
      ? Matrix([[parts.xx[0], parts.xy[0]], [parts.xy[0], parts.yy[0]]]) : nil
    verticalSigma = isVertical ? parts.zz[0].squareRoot() : nil
    covariance =
      parts.isHorizontal[0] && (isHeightKnown || isVertical)
      ? sum.covariance(isPlanar: isHeightKnown) : nil
    undetermined =
      covariance == nil ? sum.undetermined(isPlanar: isHeightKnown) : []
    offsetSigma = covariance.flatMap { sum.offsetVariance($0)?.squareRoot() }
    dilution = unit.dilution(isPlanar: isHeightKnown)
  }
}

extension FisherInformation {
  /// Returns `anchors` and their measurements in the form of the kernel.
  static func sources(
    _ anchors: [Anchor], _ measured: [ExpectedMeasurements]
  ) throws(TrilaterationError) -> [Source] {
    guard anchors.count == measured.count else {
      throw .countMismatch(ranges: measured.count, anchors: anchors.count)
    }
    for (index, anchor) in anchors.enumerated() {
      let sigma = anchor.positionSigma ?? 0
      guard anchor.position.isFinite, sigma >= 0, (sigma * sigma).isFinite else {
        throw .anchorNotFinite(index: index)
      }
      guard measured[index].isValid else { throw .sigmaNotPositive(index: index) }
    }
    return zip(anchors, measured).map { Source($0, $1) }
  }

  /// Returns the information about the position in the first lane; zero in a known height.
  fileprivate func matrix(isPlanar: Bool) -> Matrix<3, 3> {
    let own = withoutOffset()
    let height = isPlanar ? 0.0 : 1.0
    let (xz, yz, zz) = (height * own.xz[0], height * own.yz[0], height * own.zz[0])
    return Matrix([
      [own.xx[0], own.xy[0], xz], [own.xy[0], own.yy[0], yz], [xz, yz, zz],
    ])
  }

  /// Returns the inverse of the information in the first lane, which must be regular.
  fileprivate func covariance(isPlanar: Bool) -> Matrix<3, 3>? {
    var matrix = matrix(isPlanar: isPlanar)
    if isPlanar { matrix[2, 2] = matrix.trace }
    guard var inverse = Cholesky(matrix)?.inverse(), inverse.isFinite else { return nil }
    if isPlanar { inverse[2, 2] = 0 }
    return inverse
  }

  /// Returns the directions without information in the first lane, for a singular matrix.
  fileprivate func undetermined(isPlanar: Bool) -> [Vector<3>] {
    var matrix = matrix(isPlanar: isPlanar)
    guard matrix.isFinite else { return [] }
    // Above every other eigenvalue, so that a known height comes first.
    if isPlanar { matrix[2, 2] = 2 * matrix.trace + 1 }
    let axes = PrincipalAxes(of: matrix)
    let floor = floor[0]
    let directions = (0..<3).filter { !(axes.values[$0] > floor) }.map { axes.axes.row($0) }
    return directions.isEmpty ? [axes.axes.row(2)] : directions
  }

  /// Returns the variance of the offset in the first lane, or nil without arrivals.
  fileprivate func offsetVariance(_ covariance: Matrix<3, 3>) -> Double? {
    guard cc[0] > 0 else { return nil }
    let slope = (1 / cc[0]) * Vector<3>([cx[0], cy[0], cz[0]])
    return 1 / cc[0] + slope.dot(covariance * slope)
  }

  /// Returns the dilution of a geometry with errors of 1 m, in the first lane.
  fileprivate func dilution(isPlanar: Bool) -> DilutionOfPrecision? {
    let parts = parts(isPlanar: isPlanar)
    guard parts.isHorizontal[0], isPlanar || parts.isVertical[0],
      let cofactor = covariance(isPlanar: isPlanar),
      var dilution = DilutionOfPrecision(cofactor: cofactor, free: isPlanar ? 2 : 3)
    else { return nil }
    if let offset = offsetVariance(cofactor) {
      dilution.geometric = (dilution.position * dilution.position + offset).squareRoot()
    }
    return dilution
  }
}
