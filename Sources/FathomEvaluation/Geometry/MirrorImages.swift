import Fathom

extension GeometrySurvey {
  /// Whether every position has a mirror image that the measurements cannot tell from it: the anchors
  /// lie in a line (in a plane, where the height is estimated), and no angle is measured.
  ///
  /// They lie in one where their root mean square distance from it is less than the error of a range.
  /// The bound is that of either image.
  public var hasMirrorImages: Bool {
    guard situation.measuring.kinds.isDisjoint(with: .angles), let first = anchors.first else {
      return false
    }
    let free = situation.isHeightKnown ? 2 : 3
    let count = Double(anchors.count)
    var mean = Vector<3>.zero
    // From the first anchor: large coordinates would cost digits.
    let offsets = anchors.map { $0.position - first.position }
    for offset in offsets { mean += (1 / count) * offset }
    var scatter = Matrix<3, 3>.zero
    for offset in offsets {
      let own = offset - mean
      for row in 0..<free {
        for column in 0..<free { scatter[row, column] += own[row] * own[column] / count }
      }
    }
    // Below every eigenvalue, so that a known height comes last.
    if free == 2 { scatter[2, 2] = -1 }
    let thickness = max(0, PrincipalAxes(of: scatter).values[free - 1]).squareRoot()
    return thickness < situation.measuring.rangeSigma
  }
}
