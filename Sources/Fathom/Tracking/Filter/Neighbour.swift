/// Another tag with a known track, at the time of a range to it: an anchor that moves.
struct Neighbour: Sendable {
  /// The index of the tag.
  var tag: Int
  var time: Timestamp
  var position: Vector<3>
  var velocity: Vector<3>
  /// The covariance of the position, in m².
  var covariance: Matrix<3, 3>
  /// The number of tags that its track depends on, one behind the other.
  var hops: Int

  /// The age of a range up to which its sender is a source of the present, in seconds: ten rounds at 10 Hz.
  static let recently = 1.0

  init(_ tag: Int, _ estimate: TrackEstimate, hops: Int) {
    (self.tag, self.hops) = (tag, hops)
    time = estimate.time
    (position, velocity) = (estimate.position, estimate.velocity)
    covariance = estimate.covariance
  }

  /// Returns where the tag is `seconds` after `now`, if it keeps its velocity.
  func place(_ seconds: Double, after now: Timestamp) -> Vector<3> {
    position + (now.seconds(since: time) + seconds) * velocity
  }
}

/// A range between a track and another tag, whose positions both are uncertain.
///
/// With the relative position Δ and its covariance Σ, the distance |Δ| has the derivative u = Δ/|Δ|. The part
/// of Σ across u makes the expected distance longer by tr Σ⊥ / 2|Δ|, and adds at most (tr Σ⊥)² / 2|Δ|² to its
/// variance: the second-order terms of the length of a vector [Bar-Shalom et al. 2001, Sec. 10.3.2].
struct NeighbourRange {
  /// The mean of the distance beyond that between the means, in metres.
  var excess: Double
  /// Variance of the expected distance beside that of the track along it, in m².
  var variance: Double

  init(_ state: Gaussian<6>, _ neighbour: Neighbour) {
    var offset = Vector<3>.zero
    var own = Matrix<3, 3>.zero
    for row in 0..<3 {
      offset[row] = state.mean[row] - neighbour.position[row]
      for column in 0..<3 { own[row, column] = state.covariance[row, column] }
    }
    let metres = offset.length
    // At distance zero every direction is as good as another.
    let unit = metres > 0 ? (1 / metres) * offset : Vector([1, 0, 0])
    let along = max(0, unit.dot(neighbour.covariance * unit))
    let total = max(0, own.trace) + max(0, neighbour.covariance.trace)
    let across = max(0, total - along - max(0, unit.dot(own * unit)))
    let scale = max(metres, total.squareRoot(), 1e-3)
    excess = across / (2 * scale)
    variance = along + across * across / (2 * scale * scale)
  }
}
