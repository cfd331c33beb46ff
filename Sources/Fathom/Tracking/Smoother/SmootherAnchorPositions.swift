/// Anchor survey errors as unknowns of a smoothed track, three per anchor.
///
/// The position error of an anchor is constant over a recording. Its effect on a range depends on
/// the direction of the tag, so it needs three coordinates instead of a range offset.
extension [Anchor] {
  /// Maximum number of anchors with estimated positions; with more, the survey variance is added to
  /// each range.
  private static var mostSurveyed: Int { 16 }

  /// Returns the index of each anchor's first unknown, counted from `first`; nil for an anchor
  /// without a survey error, and for all with too many.
  func surveys(from first: Int) -> [Int?] {
    let isUncertain = map { ($0.positionSigma ?? 0) > 0 }
    guard isUncertain.count(where: { $0 }) <= Self.mostSurveyed else { return map { _ in nil } }
    var next = first
    return isUncertain.map { isUncertain in
      defer { if isUncertain { next += 3 } }
      return isUncertain ? next : nil
    }
  }
}

extension Anchor {
  /// Creates the same anchor without a survey error, for use with estimated positions.
  init(asSurveyed anchor: Anchor) {
    self = anchor
    positionSigma = nil
  }
}

extension SmootherRun {
  /// Returns the prior standard deviation of common unknown `index` if it is a coordinate of an
  /// anchor; otherwise nil.
  func surveySigma(ofCommon index: Int) -> Double? {
    for (anchor, first) in surveys.enumerated() {
      guard let first, (first..<first + 3).contains(index) else { continue }
      let sigma = anchors[anchor].positionSigma
      return index == first + 2 ? anchors[anchor].heightSigma ?? sigma : sigma
    }
    return nil
  }

  /// Returns the estimated position of an anchor; nil for one without survey unknowns.
  ///
  /// `corner` is the covariance of the common unknowns.
  func position(ofAnchor anchor: Int, corner: [Double]) -> Gaussian<3>? {
    guard let first = surveys[anchor] else { return nil }
    var result = Gaussian(mean: anchors[anchor].position, covariance: Matrix<3, 3>.zero)
    for axis in 0..<3 {
      result.mean[axis] += common[first + axis]
      for other in 0..<3 {
        result.covariance[axis, other] = corner[common.count * (first + axis) + first + other]
      }
    }
    return result
  }

  /// Returns the offset of a tag from the estimated position of an anchor, given that from its
  /// surveyed position.
  func corrected(_ offset: Vector<3>, anchor: Int) -> Vector<3> {
    guard let first = surveys[anchor] else { return offset }
    return offset - Vector([common[first], common[first + 1], common[first + 2]])
  }
}
