extension TrackBelief {
  /// Writes position and velocity after a further step of `seconds`, over both modes, into an estimate.
  ///
  /// The moments of the mixture: Σ w (P + (m - m̄)(m - m̄)ᵀ).
  ///
  /// - Parameters:
  ///   - seconds: the step, not negative.
  ///   - drift: what happens in it.
  ///   - share: probability of the gentle mode.
  ///   - factor: what the covariance is multiplied by.
  ///   - estimate: whose position, velocity and covariance are replaced.
  func read(
    after seconds: Double, drift: Drift, share: Double, factor: Double,
    into estimate: inout TrackEstimate
  ) {
    if axes == 3 {
      read(after: seconds, axes: 3, drift, share, factor, into: &estimate)
      return
    }
    read(after: seconds, axes: 2, drift, share, factor, into: &estimate)
    estimate.position[2] = height
    estimate.velocity[2] = 0
    for axis in 0..<3 {
      estimate.covariance[axis, 2] = 0
      estimate.covariance[2, axis] = 0
    }
  }

  @inline(__always)
  private func read(
    after seconds: Double, axes: Int, _ drift: Drift, _ share: Double, _ factor: Double,
    into estimate: inout TrackEstimate
  ) {
    withElements { p in
      var differences = Vector<3>.zero
      for axis in 0..<axes {
        let speed = p.mean[axes + axis]
        let place = p.mean[axis] + seconds * speed
        differences[axis] = place[0] - place[1]
        estimate.position[axis] = place[1] + share * differences[axis]
        estimate.velocity[axis] = speed[1] + share * (speed[0] - speed[1])
      }
      let between = share * (1 - share)
      let cube = seconds * seconds * seconds / 3
      for row in 0..<axes {
        for column in 0...row {
          var spread = p[row, column]
          if seconds > 0 {
            let cross = p[axes + row, column] + p[axes + column, row]
            spread += seconds * (cross + seconds * p[axes + row, axes + column])
            if row == column {
              spread += cube * (row < 2 ? drift.horizontalPower : drift.verticalPower)
            }
          }
          let within = spread[1] + share * (spread[0] - spread[1])
          let whole = factor * (within + between * (differences[row] * differences[column]))
          estimate.covariance[row, column] = whole
          estimate.covariance[column, row] = whole
        }
      }
    }
  }
}
