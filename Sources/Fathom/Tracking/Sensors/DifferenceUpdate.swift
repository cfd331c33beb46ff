/// Time differences of arrival in a track.
///
/// The differences of one transmission have the errors of its arrivals in common. The error of the
/// arrival at the reference anchor is therefore an element of the state, which starts anew with every
/// transmission: the differences to the same reference are then independent given the state.
extension TrackState {
  /// A difference of distances to two anchors, and the error slots of both links.
  struct Difference {
    /// The distance to the first anchor minus that to the second, in metres.
    var metres: Double
    /// The positions of the anchors; the first is the reference of the transmission.
    var first: Vector<3>
    var second: Vector<3>
    /// The slots of the errors of the links; nil without.
    var links: (first: Int, second: Int)?
  }

  /// Compares a difference with the state estimate.
  mutating func expectation(of difference: Difference) -> Expectation {
    let (axes, size, height) = (axes, size, height)
    let arrival = self.arrival
    let scale = linkScale
    let links = difference.links.map { (firstLink + $0.first, firstLink + $0.second) }
    let ends: InlineArray<2, Vector<3>> = [difference.first, difference.second]
    return withMutableElements { p in
      var slopes = InlineArray<3, Pair>(repeating: .zero)
      var expected = Pair.zero
      for mode in 0..<2 {
        for end in 0..<2 {
          let (anchor, sign) = (ends[end], end == 0 ? 1.0 : -1.0)
          let (metres, direction) = RangeModel.direction(
            of: Vector([
              p.mean[0][mode] - anchor[0], p.mean[1][mode] - anchor[1],
              (axes == 3 ? p.mean[2][mode] : height) - anchor[2],
            ]))
          expected[mode] += sign * metres
          for axis in 0..<axes { slopes[axis][mode] += sign * direction[axis] }
        }
      }
      for row in 0..<size {
        var sum = p[max(row, arrival), min(row, arrival)]
        for axis in 0..<axes { sum += slopes[axis] * p[max(row, axis), min(row, axis)] }
        if let links {
          sum +=
            scale
            * (p[max(row, links.0), min(row, links.0)] - p[max(row, links.1), min(row, links.1)])
        }
        p.gain[row] = sum
      }
      // The row after the last, which the panels contain.
      if size % 2 == 1 { p.gain[size] = .zero }
      expected += p.mean[arrival]
      var spread = p.gain[arrival]
      var terms = p[arrival, arrival]
      for axis in 0..<axes {
        spread += slopes[axis] * p.gain[axis]
        terms += slopes[axis] * slopes[axis] * p[axis, axis]
      }
      if let links {
        expected += scale * (p.mean[links.0] - p.mean[links.1])
        spread += scale * (p.gain[links.0] - p.gain[links.1])
        terms += scale * scale * (p[links.0, links.0] + p[links.1, links.1])
      }
      return Expectation(
        residual: difference.metres - expected,
        spread: spread.replacing(with: 0, where: spread .< 0), terms: terms)
    }
  }

  /// Starts a transmission whose arrival at the reference has an error of the given variance in m².
  mutating func introduceArrival(variance: Double) {
    introduce(arrival, value: 0, variance: variance)
  }
}
