import CVectors

extension TrackState {
  /// Position and velocity over both modes.
  struct CombinedEstimate {
    /// The position in metres.
    var position: Vector<3>
    /// The velocity in metres per second.
    var velocity: Vector<3>
    /// The covariance of the position, in m².
    var covariance: Matrix<3, 3>
  }

  /// Returns position and velocity after a further step of `seconds`, not negative, over both
  /// modes.
  ///
  /// Computes the moments of the mixture: Σ w (P + (m - m̄)(m - m̄)ᵀ). `share` is the probability
  /// of the low-noise mode, `factor` is on the covariance.
  func combined(
    after seconds: Double, processNoise: ProcessNoise, share: Double, factor: Double
  ) -> CombinedEstimate {
    axes == 3
      ? combined(after: seconds, axes: 3, processNoise, share, factor)
      : combined(after: seconds, axes: 2, processNoise, share, factor)
  }

  @inline(__always)
  private func combined(
    after seconds: Double, axes: Int, _ processNoise: ProcessNoise, _ share: Double,
    _ factor: Double
  ) -> CombinedEstimate {
    withElements { p in
      func mixed(_ pair: Pair) -> Double { pair[1] + share * (pair[0] - pair[1]) }
      let (vx, vy) = (p.mean[axes], p.mean[axes + 1])
      let vz = axes == 3 ? p.mean[5] : .zero
      let (x, y) = (p.mean[0] + seconds * vx, p.mean[1] + seconds * vy)
      let z = axes == 3 ? p.mean[2] + seconds * vz : Pair(repeating: height)
      let between = share * (1 - share)
      let (dx, dy, dz) = (x[0] - x[1], y[0] - y[1], z[0] - z[1])
      let cube = seconds * seconds * seconds / 3
      func spread(_ row: Int, _ column: Int, _ square: Double) -> Double {
        var spread = p[row, column]
        if seconds > 0 {
          let cross = p[axes + row, column] + p[axes + column, row]
          spread += seconds * (cross + seconds * p[axes + row, axes + column])
          if row == column {
            spread += cube * (row < 2 ? processNoise.horizontalPower : processNoise.verticalPower)
          }
        }
        return factor * (mixed(spread) + between * square)
      }
      let (xx, xy, yy) = (spread(0, 0, dx * dx), spread(1, 0, dy * dx), spread(1, 1, dy * dy))
      let xz = axes == 3 ? spread(2, 0, dz * dx) : 0
      let yz = axes == 3 ? spread(2, 1, dz * dy) : 0
      let zz = axes == 3 ? spread(2, 2, dz * dz) : 0
      return CombinedEstimate(
        position: Vector([mixed(x), mixed(y), mixed(z)]),
        velocity: Vector([mixed(vx), mixed(vy), mixed(vz)]),
        covariance: Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    }
  }
}

extension TrackState {
  /// Mixes the state estimates of both modes: each becomes the moment-matched mixture of both.
  ///
  /// - Parameter shares: The weight of the low-noise estimate in the new low-noise estimate and in
  ///   the new high-noise estimate.
  mutating func mix(shares: Pair) {
    let spreads = shares * (1 - shares)
    let panelCount = panelCount
    withMutableElements { p in
      // The gain temporarily stores the differences of the means.
      cvectors_mix(p.panels, p.mean.numbers, p.gain.numbers, panelCount, shares, spreads)
    }
  }
}
