/// The least uncertainty that a position can have, given what anchors measure and how well: before
/// anything is installed.
///
/// The inverse of the Fisher information [Kay 1993, thm. 3.2; van Trees 1968, sec. 2.4.3]. For
/// normal errors and a geometry that is linear within them, which is where they are small against
/// the distances, the most likely position reaches it: see ``Trilateration``, ``PseudoRanges``,
/// ``TimeDifferences`` and ``RangesAndAngles``, whose covariances it equals then.
///
/// **Arrivals** share an offset, which is estimated with the position and then left out. Time
/// differences contain the same information: differences of n arrivals, with the covariance that
/// they have from sharing them, are all that n arrivals say once the offset is unknown.
///
/// **Anchors** with an ``Anchor/positionSigma`` are unknowns of the same likelihood, which the
/// survey measured once; they are eliminated by their Schur complement. Where every anchor measures
/// one distance, once, this equals adding the variance of the anchor to that of its range, as
/// ``RangeModel`` does. Where several measurements of distance come from one anchor, be it in
/// ``ExpectedMeasurements/rounds`` or as a range and an arrival, it does not: they share the
/// anchor's error, which no averaging removes, and adding it to each promises too much. Angles meet
/// the part of the error across the line of sight, ranges the part along, so that neither knows of
/// the other's.
///
/// **Directions** that the measurements do not determine are named in ``undetermined`` and have no
/// bound: the height of a tag in the plane of all anchors, or the distance of one that is seen from
/// a single anchor by angles. A bound is local: mirror images, such as those of anchors in a line,
/// are as good as the position, and are no part of it.
public struct CramerRaoBound: Sendable, Equatable {
  /// The Fisher information of the position, the offset being unknown, 1/m²; zero in a known
  /// height.
  public let information: Matrix<3, 3>
  /// The least covariance of the position, m²; zero in a known height, nil where a direction is
  /// undetermined.
  public let covariance: Matrix<3, 3>?
  /// The least covariance of x and y, m²; nil where they are not both determined.
  public let horizontalCovariance: Matrix<2, 2>?
  /// The least standard deviation of the height, metres; nil where the height is known or is not
  /// determined.
  public let verticalSigma: Double?
  /// The least standard deviation of the offset that arrivals share, metres; nil without arrivals
  /// or where the position is not determined.
  public let offsetSigma: Double?
  /// Unit vectors along which the measurements tell nothing.
  public let undetermined: [Vector<3>]
  /// How the geometry magnifies errors of ranges and arrivals that are all of one size; nil where
  /// these by themselves do not determine the position.
  ///
  /// ``DilutionOfPrecision/geometric`` includes the offset of arrivals, as that of
  /// ``PseudoRangeFix``.
  public let dilution: DilutionOfPrecision?
  /// How many measurements reach the tag.
  public let measurements: Int

  /// Root mean square of the horizontal error, metres, at least; nil where it is not determined.
  public var horizontalSigma: Double? { horizontalCovariance?.trace.squareRoot() }

  /// The circle around the truth that holds the share `share` of all positions, for normal errors.
  ///
  /// - Parameter share: between 0 and 1: 0.5 for the circular error probable.
  /// - Returns: Its radius, metres, at least; nil where x and y are not determined.
  public func radius(holding share: Double) -> Double? {
    horizontalCovariance.map {
      CircularError.radius(holding: share, xx: $0[0, 0], xy: $0[0, 1], yy: $0[1, 1])
    }
  }

  /// The bound at `position` where every anchor measures the same.
  ///
  /// - Parameters:
  ///   - position: where the tag is, metres.
  ///   - anchors: the anchors, at finite positions. Their biases and scales are known and cost
  ///     nothing.
  ///   - measured: what each of them measures, and how well.
  ///   - isHeightKnown: whether the height is given and only x and y are estimated.
  /// - Throws: ``TrilaterationError`` as where anchors measure different things.
  public init(
    at position: Vector<3>, anchors: [Anchor], measuring measured: ExpectedMeasurements,
    isHeightKnown: Bool = false
  ) throws(TrilaterationError) {
    try self.init(
      at: position, anchors: anchors,
      measuring: [ExpectedMeasurements](repeating: measured, count: anchors.count),
      isHeightKnown: isHeightKnown)
  }

  /// The bound at `position` where anchors measure different things.
  ///
  /// - Parameters:
  ///   - position: where the tag is, metres.
  ///   - anchors: the anchors, at finite positions. Their biases and scales are known and cost
  ///     nothing.
  ///   - measured: what they measure, and how well, one each.
  ///   - isHeightKnown: whether the height is given and only x and y are estimated.
  /// - Throws: ``TrilaterationError``: `countMismatch`; `anchorNotFinite` also for a
  ///   ``Anchor/positionSigma`` that is negative or not finite; `sigmaNotPositive` for measurements
  ///   whose errors, reach or rounds are not as ``ExpectedMeasurements`` says.
  ///
  /// ## Edge cases
  /// - An anchor at the position itself, or farther than a finite square, measures nothing; one
  ///   straight above or below no angles: there the derivatives do not exist. So close to an anchor
  ///   that its errors are as large as the distance, the bound is none.
  /// - A position that is not finite is out of reach of all anchors.
  /// - A direction of which less than 1e-12 of all information is left counts as undetermined.
  ///
  /// ## Cost
  /// Below a microsecond for eight anchors; allocates one array.
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
      // The geometry of ranges by itself knows neither noise nor uncertain anchors.
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
  /// What the kernel reads of `anchors`.
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

  /// The information about the position in the first lane; zero in a known height.
  fileprivate func matrix(isPlanar: Bool) -> Matrix<3, 3> {
    let own = withoutOffset()
    let height = isPlanar ? 0.0 : 1.0
    let (xz, yz, zz) = (height * own.xz[0], height * own.yz[0], height * own.zz[0])
    return Matrix([
      [own.xx[0], own.xy[0], xz], [own.xy[0], own.yy[0], yz], [xz, yz, zz],
    ])
  }

  /// The inverse of the information in the first lane, which is regular.
  fileprivate func covariance(isPlanar: Bool) -> Matrix<3, 3>? {
    var matrix = matrix(isPlanar: isPlanar)
    if isPlanar { matrix[2, 2] = matrix.trace }
    guard var inverse = Cholesky(matrix)?.inverse(), inverse.isFinite else { return nil }
    if isPlanar { inverse[2, 2] = 0 }
    return inverse
  }

  /// The directions in the first lane, of a matrix that is not regular, that have no information.
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

  /// The variance of the offset in the first lane; nil without arrivals.
  fileprivate func offsetVariance(_ covariance: Matrix<3, 3>) -> Double? {
    guard cc[0] > 0 else { return nil }
    let slope = (1 / cc[0]) * Vector<3>([cx[0], cy[0], cz[0]])
    return 1 / cc[0] + slope.dot(covariance * slope)
  }

  /// The dilution of a geometry whose errors are all of 1 m, in the first lane.
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
