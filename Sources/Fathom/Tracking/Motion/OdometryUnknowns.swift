import RealModule

/// The progress of a track that follows odometry.
struct OdometryProgress: Sendable {
  /// Whether the state has the position at the last increment.
  var isMarked = false
  /// Whether the scale's prior was used.
  var hasScalePrior = false
  /// How long the wheels have seemed to slip, in seconds.
  var slipping = 0.0
}

/// The unknowns of odometry in the state.
///
/// Increments have displacements d in a frame whose heading is that of the odometry at its start.
/// With the matrix C = [c -s; s c], which turns them into the world frame and scales them, the
/// position p and the position m at the last increment,
///
///     p = m + C d.
///
/// It is linear in all unknowns, so a heading that is entirely unknown needs no hypotheses: c and s
/// begin at zero with the variance of a random direction. The position m makes the increment a
/// measurement of a displacement, whatever ranges were processed meanwhile [Roumeliotis & Burdick
/// 2002].
extension TrackState {
  private var cosine: Int { odometry + 2 }
  private var sine: Int { odometry + 3 }
  private var drift: Int { odometry + 4 }

  /// Variance of c and s for an unknown heading; two such variances have the size of a unit vector.
  private static let unknownHeading = 1.0

  /// Initialises the unknowns of odometry.
  mutating func introduceOdometry(_ errors: OdometryErrors) {
    for place in 0..<2 { introduce(odometry + place, value: 0, variance: 0) }
    introduce(cosine, value: 0, variance: Self.unknownHeading)
    introduce(sine, value: 0, variance: Self.unknownHeading)
    introduce(drift, value: 0, variance: errors.driftSigma * errors.driftSigma)
  }

  /// Sets the position at the last increment to the present position.
  mutating func markPosition() {
    let (first, size) = (odometry, size)
    withMutableElements { p in
      for axis in 0..<2 {
        p.mean[first + axis] = p.mean[axis]
        for other in 0..<size where other < first || other > first + 1 {
          let mark = first + axis
          p[max(mark, other), min(mark, other)] = p[max(axis, other), min(axis, other)]
        }
        for column in 0...axis { p[first + axis, first + column] = p[axis, column] }
      }
    }
  }

  /// Turns the frame of the increments by the drift over `seconds`.
  ///
  /// With the angle a = t ω of the drift ω: c' = c cos a - s sin a, s' = s cos a + c sin a, and their
  /// derivatives with respect to ω are -t s' and t c'.
  mutating func turnOdometry(over seconds: Double) {
    let (first, second, drift, size) = (cosine, sine, drift, size)
    withMutableElements { p in
      let angle = seconds * p.mean[drift]
      let across = Pair(.sin(angle[0]), .sin(angle[1]))
      let along = Pair(.cos(angle[0]), .cos(angle[1]))
      let (c, s) = (p.mean[first], p.mean[second])
      p.mean[first] = along * c - across * s
      p.mean[second] = along * s + across * c
      let slopes = (-seconds * p.mean[second], seconds * p.mean[first])
      let (cc, sc, ss) = (p[first, first], p[second, first], p[second, second])
      let (cd, sd, dd) = (p[drift, first], p[drift, second], p[drift, drift])
      for other in 0..<size where other != first && other != second {
        let x = p[max(first, other), min(first, other)]
        let y = p[max(second, other), min(second, other)]
        let z = p[max(drift, other), min(drift, other)]
        p[max(first, other), min(first, other)] = along * x - across * y + slopes.0 * z
        p[max(second, other), min(second, other)] = across * x + along * y + slopes.1 * z
      }
      let turned = (along * cd - across * sd, across * cd + along * sd)
      p[first, first] =
        along * along * cc - 2 * along * across * sc + across * across * ss
        + 2 * slopes.0 * turned.0 + slopes.0 * slopes.0 * dd
      p[second, second] =
        across * across * cc + 2 * along * across * sc + along * along * ss
        + 2 * slopes.1 * turned.1 + slopes.1 * slopes.1 * dd
      p[second, first] =
        along * across * (cc - ss) + (along * along - across * across) * sc
        + slopes.1 * turned.0 + slopes.0 * turned.1 + slopes.0 * slopes.1 * dd
    }
  }

  /// Adds errors of the heading with the given variances in rad², and of the drift in rad²/s².
  mutating func addHeadingNoise(_ variance: Pair, drift added: Double) {
    let (first, second, drift) = (cosine, sine, drift)
    withMutableElements { p in
      let (c, s) = (p.mean[first], p.mean[second])
      p[first, first] += variance * s * s
      p[second, second] += variance * c * c
      p[second, first] -= variance * c * s
      p[drift, drift] += added
    }
  }

  /// Returns the combination of elements that is zero for a displacement of the increments' frame,
  /// along axis 0 or 1 of the world frame: p - m - C d.
  func closure(of displacement: (x: Double, y: Double), axis: Int) -> Combination {
    var sum = Combination()
    sum.add(axis, times: 1)
    sum.add(odometry + axis, times: -1)
    sum.add(cosine, times: axis == 0 ? -displacement.x : -displacement.y)
    sum.add(sine, times: axis == 0 ? displacement.y : -displacement.x)
    return sum
  }

  /// The indices of c and s.
  var rotation: (cosine: Int, sine: Int) { (cosine, sine) }
}
