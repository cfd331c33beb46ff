/// The sides of the anchors' plane on which a track is.
///
/// A tracker that crossed the plane by mistake gives a start on both sides. From there the search finds
/// the image of a stretch, or slides back for many steps with hardly a gain.
extension SmootherRun {
  /// Returns the run to search from: this one, or that with all states on the side where most are,
  /// whichever is more probable after some steps.
  ///
  /// Where neither is by the odds that decide a mirror ambiguity, the states in between are ambiguous.
  func onLikelierSide(in equations: inout JointEquations<N>) -> Self {
    let ranged = rangedAnchors.sorted()
    guard let plane = TagRegion(of: ranged.map { anchors[$0].position }, configuration)?.openPlane,
      let reflected = onOneSide(of: plane),
      let found = reflected.solved(in: &equations, isRough: true)
    else { return self }
    guard let present = solved(in: &equations, isRough: true) else { return reflected }
    let (own, other) = (present.run.runs[0], found.run.runs[0])
    var likelier = present.cost < found.cost ? own : other
    if (present.cost - found.cost).magnitude < HypothesisEvidence.decisiveOdds {
      let differ = knots.times.indices.map {
        own.height(of: $0, over: plane) * other.height(of: $0, over: plane) < 0
      }
      likelier.mark(differ, in: plane.mirror)
    }
    return likelier
  }

  /// Returns the run with the states on the rarer side of `plane` replaced by their images; nil if
  /// there are none beyond the anchors.
  private func onOneSide(of plane: AnchorPlane) -> Self? {
    let heights = knots.times.indices.map { height(of: $0, over: plane) }
    let above = heights.count { $0 > plane.thickness }
    let below = heights.count { -$0 > plane.thickness }
    guard above > 0, below > 0 else { return nil }
    var result = self
    for (index, height) in heights.enumerated() where (above < below) == (height > 0) {
      let first = N * index
      var speed = 0.0
      for axis in 0..<Self.axes { speed += states[first + Self.axes + axis] * plane.normal[axis] }
      for axis in 0..<Self.axes {
        result.states[first + axis] -= 2 * height * plane.normal[axis]
        result.states[first + Self.axes + axis] -= 2 * speed * plane.normal[axis]
      }
    }
    return result
  }

  /// The distance of state `index` from `plane`, metres, positive along its normal.
  private func height(of index: Int, over plane: AnchorPlane) -> Double {
    var height = 0.0
    for axis in 0..<Self.axes {
      height += (states[N * index + axis] - plane.centre[axis]) * plane.normal[axis]
    }
    return height
  }
}
