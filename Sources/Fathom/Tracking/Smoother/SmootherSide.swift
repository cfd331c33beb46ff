/// The sides of the anchors' plane on which a track is.
///
/// A tracker that crossed the plane by mistake gives a start on both sides. From there the search finds
/// the image of a stretch, or slides back for many steps with hardly a gain.
extension SmootherRun {
  /// Returns the run to search from: this one, that with its ambiguous states replaced by their images, or
  /// that with all states on the side where most are, whichever is more probable after some steps.
  ///
  /// Where none is by the odds that decide, the states that differ are ambiguous.
  func onLikelierSide(in equations: inout JointEquations<N>) -> Self {
    let decided = comparedWithImage(in: &equations) ?? self
    let ranged = rangedAnchors.sorted()
    guard let plane = TagRegion(of: ranged.map { anchors[$0].position }, configuration)?.openPlane,
      let reflected = decided.onOneSide(of: plane),
      let found = reflected.solved(in: &equations, isRough: true)
    else { return decided }
    guard let present = decided.solved(in: &equations, isRough: true) else { return reflected }
    let (own, other) = (present.run.runs[0], found.run.runs[0])
    var likelier = present.cost < found.cost ? own : other
    if (present.cost - found.cost).magnitude < HypothesisEvidence.decisiveOdds {
      let differ = knots.times.indices.map {
        own.distance(of: $0, from: plane.mirror) * other.distance(of: $0, from: plane.mirror) < 0
      }
      likelier.mark(differ, in: plane.mirror)
    }
    return likelier
  }

  /// Returns the run on the side of its ambiguous states that the whole recording decides for; nil if it
  /// decides for none.
  private func comparedWithImage(in equations: inout JointEquations<N>) -> Self? {
    guard let mirror, mostEvidence(against: mirror) >= HypothesisEvidence.decisiveOdds else {
      return nil
    }
    let image = reflected(in: mirror) { isAmbiguous[$0] }
    guard let present = solved(in: &equations, isRough: true),
      let other = image.solved(in: &equations, isRough: true),
      (present.cost - other.cost).magnitude >= HypothesisEvidence.decisiveOdds
    else { return nil }
    var likelier = present.cost < other.cost ? present.run.runs[0] : other.run.runs[0]
    likelier.decideSides()
    return likelier
  }

  /// Returns the evidence of exact ranges for the ambiguous states against their images, in nats.
  private func mostEvidence(against mirror: Mirror) -> Double {
    var sum = 0.0
    for (index, state) in knots.states.enumerated() where state >= 0 && isAmbiguous[Int(state)] {
      let first = N * Int(state)
      var position = Vector<3>([0, 0, configuration.exactHeight ?? 0])
      for axis in 0..<Self.axes { position[axis] = states[first + axis] }
      let anchor = anchors[ranges[index].anchor].position
      let difference = (position - anchor).length - (mirror.image(of: position) - anchor).length
      sum += 0.5 * difference * difference / variances(ranges[index]).effective
    }
    return sum
  }

  /// Returns the run with the states on the rarer side of `plane` replaced by their images; nil if
  /// there are none beyond the anchors.
  private func onOneSide(of plane: AnchorPlane) -> Self? {
    let heights = knots.times.indices.map { distance(of: $0, from: plane.mirror) }
    let above = heights.count { $0 > plane.thickness }
    let below = heights.count { -$0 > plane.thickness }
    guard above > 0, below > 0 else { return nil }
    return reflected(in: plane.mirror) { (above < below) == (heights[$0] > 0) }
  }

  /// Returns the run with some states replaced by their images.
  private func reflected(in mirror: Mirror, where isReplaced: (Int) -> Bool) -> Self {
    var result = self
    for index in knots.times.indices where isReplaced(index) {
      let first = N * index
      let away = distance(of: index, from: mirror)
      var speed = 0.0
      for axis in 0..<Self.axes { speed += states[first + Self.axes + axis] * mirror.normal[axis] }
      for axis in 0..<Self.axes {
        result.states[first + axis] -= 2 * away * mirror.normal[axis]
        result.states[first + Self.axes + axis] -= 2 * speed * mirror.normal[axis]
      }
    }
    return result
  }

  /// The distance of state `index` from a mirror, metres, positive along its normal.
  private func distance(of index: Int, from mirror: Mirror) -> Double {
    var distance = 0.0
    for axis in 0..<Self.axes {
      distance += (states[N * index + axis] - mirror.centre[axis]) * mirror.normal[axis]
    }
    return distance
  }
}
