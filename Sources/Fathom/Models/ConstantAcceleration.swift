import RealModule

/// A motion model of nearly constant acceleration in space: the jerk is white noise on every axis.
///
/// The state has nine components: position (m), velocity (m/s) and acceleration (m/s²), each x, y,
/// z in the world frame. The discretisation is exact [Bar-Shalom et al. 2001, Sec. 6.2.3]; per axis
///
///         | 1 t t²/2 |           | t⁵/20 t⁴/8 t³/6 |
///     F = | 0 1 t    |    Q = q² | t⁴/8  t³/3 t²/2 |
///         | 0 0 1    |           | t³/6  t²/2 t    |
@frozen
public struct ConstantAcceleration: MotionModel, Equatable {
  /// Square root of the spectral density of the jerk per axis, (m/s³)/√Hz, not negative.
  public var densities: Vector<3>

  /// Creates the model with white jerk of the given densities along x, y and z.
  @inlinable
  public init(densities: Vector<3>) {
    self.densities = densities
  }

  /// Returns the state after `seconds` at constant acceleration.
  @inlinable
  public func moved(_ state: Vector<9>, over seconds: Double) -> Vector<9> {
    transition(at: state, over: seconds) * state
  }

  /// Returns F over `seconds`, which does not depend on the state.
  @inlinable
  public func transition(at state: Vector<9>, over seconds: Double) -> Matrix<9, 9> {
    Matrix(axes: Matrix([[1, seconds, 0.5 * seconds * seconds], [0, 1, seconds], [0, 0, 1]]))
  }

  /// Returns Q over `seconds`, which does not depend on the state.
  @inlinable
  public func noise(at state: Vector<9>, over seconds: Double) -> Matrix<9, 9> {
    let t = seconds
    let (t2, t3) = (t * t / 2, t * t * t / 6)
    let (t4, t5) = (t * t * t * t / 8, t * t * t * t * t / 20)
    return Matrix(
      axes: Matrix([[t5, t4, t3], [t4, 2 * t3, t2], [t3, t2, t]]),
      scales: Vector(InlineArray { densities[$0] * densities[$0] }))
  }
}

extension Matrix where Rows == 9, Columns == 9 {
  /// Creates the block matrix of three axes: element (i, j) of an axis goes to (3 i + axis, 3 j +
  /// axis).
  @inlinable
  init(axes: Matrix<3, 3>, scales: Vector<3> = Vector(repeating: 1)) {
    self = .zero
    for row in 0..<3 {
      for column in 0..<3 {
        for axis in 0..<3 {
          self[3 * row + axis, 3 * column + axis] = scales[axis] * axes[row, column]
        }
      }
    }
  }
}

/// A motion model with correlated acceleration: an Ornstein-Uhlenbeck process on every axis.
///
/// [Singer 1970]. The acceleration has standard deviation σ and autocorrelation e^(-|t| / τ): a
/// vehicle whose manoeuvres last about τ seconds. With τ much shorter than the steps, the model
/// tends to ``ConstantVelocity`` of density σ √(2 τ); with τ much longer, to constant acceleration.
/// The state has nine components, as in ``ConstantAcceleration``.
///
/// F is in closed form. Q is the integral over the step of the outer product of the impulse
/// response. It is computed by eight-point Gauss-Legendre quadrature on panels of two τ, which is
/// exact to rounding and positive semi-definite by construction. The closed form of Q loses five
/// orders in t / τ by cancellation.
@frozen
public struct SingerAcceleration: MotionModel, Equatable {
  /// σ: standard deviation of the acceleration per axis, m/s², not negative.
  public var sigma: Vector<3>
  /// τ: correlation time of the acceleration, seconds, above 0.
  public var correlationTime: Double

  /// Creates the model with accelerations of `sigma` that decorrelate within `correlationTime`
  /// seconds.
  @inlinable
  public init(sigma: Vector<3>, correlationTime: Double) {
    precondition(correlationTime > 0, "the correlation time is not positive")
    self.sigma = sigma
    self.correlationTime = correlationTime
  }

  /// Returns the state after `seconds` while its acceleration decays.
  public func moved(_ state: Vector<9>, over seconds: Double) -> Vector<9> {
    transition(at: state, over: seconds) * state
  }

  /// Returns F over `seconds`, which does not depend on the state.
  public func transition(at state: Vector<9>, over seconds: Double) -> Matrix<9, 9> {
    let push = response(after: seconds)
    return Matrix(axes: Matrix([[1, seconds, push[0]], [0, 1, push[1]], [0, 0, push[2]]]))
  }

  /// Returns Q over `seconds`, which does not depend on the state.
  public func noise(at state: Vector<9>, over seconds: Double) -> Matrix<9, 9> {
    var sum = Matrix<3, 3>.zero
    // Beyond 64 panels only a polynomial remains, which wide panels integrate exactly too.
    let panels = max(1, min(64, (0.5 * seconds / correlationTime).rounded(.up)))
    let width = seconds / panels
    for panel in 0..<Int(panels) {
      for (place, weight) in Self.quadrature {
        for side in [-1.0, 1.0] {
          let push = response(after: width * (Double(panel) + 0.5 + 0.5 * side * place))
          for row in 0..<3 {
            for column in 0..<3 { sum[row, column] += weight * (push[row] * push[column]) }
          }
        }
      }
    }
    let power = width / correlationTime
    return Matrix(
      axes: power * sum, scales: Vector(InlineArray { sigma[$0] * sigma[$0] }))
  }

  /// Returns the position, velocity and acceleration after `seconds` that an initial acceleration
  /// of 1 m/s² causes.
  func response(after seconds: Double) -> Vector<3> {
    let x = seconds / correlationTime
    let faded = -Double.expMinusOne(-x)
    // x - (1 - e^-x), by its series where the difference would cancel.
    var second = x - faded
    if x < 0.5 {
      var term = 0.5 * x * x
      second = term
      for index in 3..<18 {
        term *= -x / Double(index)
        second += term
      }
    }
    return Vector([
      correlationTime * correlationTime * second, correlationTime * faded, .exp(-x),
    ])
  }

  /// Half of the nodes and weights of eight-point Gauss-Legendre quadrature on (-1, 1).
  static let quadrature = [
    (0.1834346424956498, 0.3626837833783620), (0.5255324099163290, 0.3137066458778873),
    (0.7966664774136267, 0.2223810344533745), (0.9602898564975363, 0.1012285362903763),
  ]
}
