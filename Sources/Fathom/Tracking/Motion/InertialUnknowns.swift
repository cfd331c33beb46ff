import RealModule

/// The velocity and displacement that inertial data add to a track since its last prediction.
struct InertialInput: Sendable {
  /// The time, in seconds.
  private(set) var seconds = 0.0
  /// The change of the velocity in the level frame of the sensor, in m/s.
  private(set) var velocity = Vector<3>.zero
  /// The displacement beyond that by the velocity before it, in m.
  private(set) var displacement = Vector<3>.zero

  /// Appends a step of constant acceleration.
  mutating func append(_ step: LevelAttitude.Step) {
    let change = step.seconds * step.acceleration
    displacement += step.seconds * (velocity + 0.5 * change)
    velocity += change
    seconds += step.seconds
  }
}

/// The unknowns of inertial data in the state.
///
/// The level frame of the sensor has an unknown heading ψ. With c = cos ψ and s = sin ψ, the change u of
/// the velocity in the level frame, the displacement d and the slow error e of the acceleration in the
/// world frame, over a step of t seconds,
///
///     v' = v + C u - t e,    p' = p + t v + C d - t²/2 e,    C = [c -s 0; s c 0; 0 0 1].
///
/// It is linear in all unknowns, so a heading that is entirely unknown needs no hypotheses: c and s
/// begin at zero with the variance of a random direction, as for odometry. While they are zero, the
/// inertial data only tell how uncertain the motion is. An error of the level is a constant
/// acceleration, so e stands for the attitude error as well as for the bias of the accelerometer.
extension TrackState {
  /// The indices of c and s.
  var level: (cosine: Int, sine: Int) { (inertial, inertial + 1) }
  private func error(_ axis: Int) -> Int { inertial + 2 + axis }

  /// Initialises the unknowns of inertial data.
  mutating func introduceInertial(_ errors: InertialErrors) {
    // Two such variances have the size of a unit vector.
    introduce(level.cosine, value: 0, variance: 1)
    introduce(level.sine, value: 0, variance: 1)
    for axis in 0..<3 {
      let sigma = axis < axes ? errors.levelSigma : 0
      introduce(error(axis), value: 0, variance: sigma * sigma)
    }
  }

  /// Adds the motion of `input` over a step of `seconds` to a state that was predicted without it.
  mutating func move(by input: InertialInput, over seconds: Double, errors: InertialErrors) {
    let (u, d) = (input.velocity, input.displacement)
    let half = -0.5 * seconds * seconds
    let (cosine, sine) = level
    add(to: 0, (cosine, d[0]), (sine, -d[1]), (error(0), half), constant: 0)
    add(to: 1, (cosine, d[1]), (sine, d[0]), (error(1), half), constant: 0)
    add(to: axes, (cosine, u[0]), (sine, -u[1]), (error(0), -seconds), constant: 0)
    add(to: axes + 1, (cosine, u[1]), (sine, u[0]), (error(1), -seconds), constant: 0)
    if axes == 3 {
      add(to: 2, (error(2), half), (cosine, 0), (sine, 0), constant: d[2])
      add(to: axes + 2, (error(2), -seconds), (cosine, 0), (sine, 0), constant: u[2])
    }
    let memory = errors.memory(over: seconds)
    for axis in 0..<axes {
      fade(error(axis), to: memory, variance: errors.levelSigma * errors.levelSigma)
    }
    turnLevel(variance: errors.headingNoise * errors.headingNoise * seconds)
  }

  /// Adds an error of the heading with the given variance in rad².
  private mutating func turnLevel(variance: Double) {
    let (cosine, sine) = level
    withMutableElements { p in
      let (c, s) = (p.mean[cosine], p.mean[sine])
      p[cosine, cosine] += variance * s * s
      p[sine, sine] += variance * c * c
      p[sine, cosine] -= variance * c * s
    }
  }

  /// Adds three multiples of other elements and a constant to element `target`.
  @inline(__always)
  private mutating func add(
    to target: Int, _ a: (index: Int, factor: Double), _ b: (index: Int, factor: Double),
    _ c: (index: Int, factor: Double), constant: Double
  ) {
    let size = size
    withMutableElements { p in
      func covariance(_ other: Int) -> Pair {
        a.factor * p[max(a.index, other), min(a.index, other)]
          + b.factor * p[max(b.index, other), min(b.index, other)]
          + c.factor * p[max(c.index, other), min(c.index, other)]
      }
      p.mean[target] +=
        a.factor * p.mean[a.index] + b.factor * p.mean[b.index] + c.factor * p.mean[c.index]
        + Pair(repeating: constant)
      let crossed = covariance(target)
      let own =
        a.factor * covariance(a.index) + b.factor * covariance(b.index)
        + c.factor * covariance(c.index)
      for other in 0..<size where other != target {
        p[max(target, other), min(target, other)] += covariance(other)
      }
      p[target, target] += 2 * crossed + own
    }
  }
}
