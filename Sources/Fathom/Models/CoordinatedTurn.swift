import RealModule

/// A motion model of a coordinated turn: the velocity turns about the vertical at an estimated
/// rate.
///
/// The state has seven components: position x, y, z (m), velocity x, y, z (m/s) and turn rate ω
/// (rad/s, positive counter-clockwise seen from above). Over a step t, with θ = ω t [Bar-Shalom et
/// al. 2001, Sec. 11.7]:
///
///     x' = x + s vx - c vy      s = sin θ / ω
///     y' = y + c vx + s vy      c = (1 - cos θ) / ω
///
/// and the horizontal velocity is rotated by θ. The height moves at constant velocity. The
/// acceleration is white noise on every axis and the turn rate a random walk. The expressions are
/// smooth at ω = 0 and are evaluated without a division by ω there.
@frozen
public struct CoordinatedTurn: MotionModel, Equatable {
  /// The acceleration noise, which drives position and velocity.
  public var acceleration: ConstantVelocity
  /// Square root of the spectral density of the turn acceleration, (rad/s²)/√Hz, not negative.
  public var turnDensity: Double

  /// Creates the model with the given noise.
  @inlinable
  public init(acceleration: ConstantVelocity, turnDensity: Double) {
    self.acceleration = acceleration
    self.turnDensity = turnDensity
  }

  /// Returns the state after `seconds` along its arc.
  public func moved(_ state: Vector<7>, over seconds: Double) -> Vector<7> {
    let arc = Arc(rate: state[6], seconds: seconds)
    var result = state
    result[0] += arc.along * state[3] - arc.across * state[4]
    result[1] += arc.across * state[3] + arc.along * state[4]
    result[2] += seconds * state[5]
    result[3] = arc.cosine * state[3] - arc.sine * state[4]
    result[4] = arc.sine * state[3] + arc.cosine * state[4]
    return result
  }

  /// Returns the derivative of ``moved(_:over:)`` with respect to the state.
  public func transition(at state: Vector<7>, over seconds: Double) -> Matrix<7, 7> {
    let arc = Arc(rate: state[6], seconds: seconds)
    let (vx, vy) = (state[3], state[4])
    var result = Matrix<7, 7>.identity
    result[0, 3] = arc.along
    result[0, 4] = -arc.across
    result[1, 3] = arc.across
    result[1, 4] = arc.along
    result[2, 5] = seconds
    result[3, 3] = arc.cosine
    result[3, 4] = -arc.sine
    result[4, 3] = arc.sine
    result[4, 4] = arc.cosine
    result[0, 6] = arc.alongByRate * vx - arc.acrossByRate * vy
    result[1, 6] = arc.acrossByRate * vx + arc.alongByRate * vy
    result[3, 6] = -seconds * (arc.sine * vx + arc.cosine * vy)
    result[4, 6] = seconds * (arc.cosine * vx - arc.sine * vy)
    return result
  }

  /// Returns Q over `seconds`, which does not depend on the state: the noise of straight motion and
  /// the random walk of the turn rate.
  public func noise(at state: Vector<7>, over seconds: Double) -> Matrix<7, 7> {
    let straight = acceleration.noise(at: .zero, over: seconds)
    var result = Matrix<7, 7>.zero
    for row in 0..<6 {
      for column in 0..<6 { result[row, column] = straight[row, column] }
    }
    result[6, 6] = turnDensity * turnDensity * seconds
    return result
  }

  /// The functions of θ = ω t that describe an arc, evaluated without a division by ω near zero.
  private struct Arc {
    /// cos θ and sin θ.
    let cosine: Double
    let sine: Double
    /// sin θ / ω and (1 - cos θ) / ω, seconds.
    let along: Double
    let across: Double
    /// Derivatives of `along` and `across` with respect to ω, s².
    let alongByRate: Double
    let acrossByRate: Double

    init(rate: Double, seconds: Double) {
      let angle = rate * seconds
      cosine = .cos(angle)
      sine = .sin(angle)
      let half = angle / 2
      // sin θ / θ, and (1 - cos θ) / θ as sin²(θ/2) / (θ/2).
      if angle.magnitude > 0.5 {
        along = sine / rate
        across = .sin(half) * .sin(half) / half * seconds
        alongByRate = seconds * (seconds * cosine - along) / angle
        acrossByRate = seconds * (seconds * sine - across) / angle
      } else {
        // Series in θ²; the first omitted term is below 1e-18 of the first term.
        let square = angle * angle
        var (term, even, odd, evenSlope, oddSlope) = (1.0, 0.0, 0.0, 0.0, 0.0)
        for index in 0..<8 {
          let n = Double(2 * index)
          // term = (-1)ⁱ θ²ⁱ / (2i)!
          even += term / (n + 1)
          odd += term * angle / ((n + 1) * (n + 2))
          oddSlope += term * (n + 1) / ((n + 1) * (n + 2))
          let next = -term / ((n + 1) * (n + 2))
          evenSlope += next * angle * (n + 2) / (n + 3)
          term = next * square
        }
        along = seconds * even
        across = seconds * odd
        alongByRate = seconds * seconds * evenSlope
        acrossByRate = seconds * seconds * oddSlope
      }
    }
  }
}
