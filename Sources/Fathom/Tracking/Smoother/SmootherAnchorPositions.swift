extension Anchor {
  /// Returns the prior standard deviation of the survey error along an axis, in metres; 0 without one.
  func surveySigma(_ axis: Int) -> Double {
    (axis == 2 ? heightSigma ?? positionSigma : positionSigma) ?? 0
  }

  /// Creates the same anchor without a survey error, for use with estimated positions.
  init(asSurveyed anchor: Anchor) {
    self = anchor
    positionSigma = nil
  }
}

extension SmootherRun {
  /// Returns the estimated position of an anchor; nil for one without survey unknowns.
  ///
  /// `corner` is the covariance of the common unknowns.
  func position(ofAnchor anchor: Int, corner: [Double]) -> Gaussian<3>? {
    guard let first = layout.surveys[anchor] else { return nil }
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
    guard let first = layout.surveys[anchor] else { return offset }
    return offset - Vector([common[first], common[first + 1], common[first + 2]])
  }
}
