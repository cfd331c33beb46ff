/// Motion at nearly constant acceleration in space: the jerk is white noise on every axis.
///
/// State of nine numbers: position (m), velocity (m/s), acceleration (m/s²), each x, y, z in the
/// world frame. Discretised exactly [Bar-Shalom et al. 2001, Sec. 6.2.3]; per axis
///
///         | 1 t t²/2 |           | t⁵/20 t⁴/8 t³/6 |
///     F = | 0 1 t    |    Q = q² | t⁴/8  t³/3 t²/2 |
///         | 0 0 1    |           | t³/6  t²/2 t    |
@frozen
public struct ConstantAcceleration: MotionModel, Equatable {
  /// Root of the spectral density of the jerk per axis, (m/s³)/√Hz, not negative.
  public var densities: Vector<3>

  /// The model with white jerk of the given densities along x, y and z.
  @inlinable
  public init(densities: Vector<3>) {
    self.densities = densities
  }

  /// Where a state is after `seconds` at its acceleration.
  @inlinable
  public func moved(_ state: Vector<9>, over seconds: Double) -> Vector<9> {
    transition(at: state, over: seconds) * state
  }

  /// F over `seconds`, the same at every state.
  @inlinable
  public func transition(at state: Vector<9>, over seconds: Double) -> Matrix<9, 9> {
    Matrix(axes: Matrix([[1, seconds, 0.5 * seconds * seconds], [0, 1, seconds], [0, 0, 1]]))
  }

  /// Q over `seconds`, the same at every state.
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
  /// Three axes side by side: element (i, j) of an axis is at (3 i + axis, 3 j + axis).
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
