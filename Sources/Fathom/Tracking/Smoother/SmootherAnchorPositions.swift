/// What surveying left of the positions of anchors: unknowns of a smoothed track, three to each.
///
/// The error of an anchor's position is the same from the first range to the last; what it does to a
/// range changes with the side from which the tag looks at it. Only a position says that.
extension [Anchor] {
  /// More anchors than this do not have their positions estimated: what their survey left counts as
  /// an error of each range then.
  private static var mostSurveyed: Int { 16 }

  /// Where the unknowns of each anchor begin, counted from `first` on; nil for an anchor without a
  /// stated error, and for all where there are too many.
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
  /// The same anchor where what surveying left is an unknown, and not an error of its ranges.
  init(asSurveyed anchor: Anchor) {
    self = anchor
    positionSigma = nil
  }
}

extension SmootherRun {
  /// The standard deviation of common unknown `index` where it is an anchor's coordinate; nil where
  /// it is not.
  func surveySigma(ofCommon index: Int) -> Double? {
    for (anchor, first) in surveys.enumerated() {
      if let first, (first..<first + 3).contains(index) { return anchors[anchor].positionSigma }
    }
    return nil
  }

  /// Where an anchor is taken to be, with the covariance that its rows and columns of `corner`, that
  /// of the common unknowns, say; nil for one whose survey left no unknown.
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

  /// The offset of a tag from an anchor where it is taken to be, from that where it was surveyed.
  func corrected(_ offset: Vector<3>, anchor: Int) -> Vector<3> {
    guard let first = surveys[anchor] else { return offset }
    return offset - Vector([common[first], common[first + 1], common[first + 2]])
  }
}
