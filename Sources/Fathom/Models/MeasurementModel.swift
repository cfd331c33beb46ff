/// A measurement model: the expected measurement, its derivative and its residual at a state.
///
/// `State` is a `Vector<N>`, `Measurement` a `Vector<M>` and `Derivative` a `Matrix<M, N>`. A
/// protocol cannot have integer parameters, so the filters constrain these types. Unless a model
/// documents otherwise, its state begins with the position x, y, z (metres, world frame), followed
/// by the velocity x, y, z (m/s) if it has one.
public protocol MeasurementModel: Sendable {
  /// The state, `Vector<N>`.
  associatedtype State
  /// The measurement, `Vector<M>`.
  associatedtype Measurement: AdditiveArithmetic
  /// The derivative of the measurement with respect to the state, `Matrix<M, N>`.
  associatedtype Derivative

  /// Returns h(x), the noise-free measurement expected at `state`.
  func measurement(at state: State) -> Measurement

  /// Returns H, the derivative of the expected measurement at `state`.
  func derivative(at state: State) -> Derivative

  /// Returns the residual of `measurement` relative to `expected`, with angles wrapped to the
  /// shorter direction.
  ///
  /// The default implementation returns the difference, for models without angles.
  func residual(of measurement: Measurement, from expected: Measurement) -> Measurement
}

extension MeasurementModel {
  /// Returns the difference without wrapping.
  @inlinable
  public func residual(of measurement: Measurement, from expected: Measurement) -> Measurement {
    measurement - expected
  }
}

/// A measurement that is linear in the state: z = H x + d.
@frozen
public struct LinearModel<let N: Int, let M: Int>: MeasurementModel, Equatable {
  /// H, M x N.
  public var observation: Matrix<M, N>
  /// d: the constant offset.
  public var offset: Vector<M>

  /// Creates the measurement H x + d.
  @inlinable
  public init(observation: Matrix<M, N>, offset: Vector<M> = .zero) {
    self.observation = observation
    self.offset = offset
  }

  /// Returns H x + d.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<M> { observation * state + offset }

  /// Returns H.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<M, N> { observation }
}

/// A measured position: the first three components of the state, metres.
@frozen
public struct PositionModel<let N: Int>: MeasurementModel, Equatable {
  /// Creates a model of position measurements.
  @inlinable
  public init() { precondition(N >= 3, "the state has no position") }

  /// Returns the position of `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    Vector([state[0], state[1], state[2]])
  }

  /// Returns its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    var result = Matrix<3, N>.zero
    for axis in 0..<3 { result[axis, axis] = 1 }
    return result
  }
}

/// A measured height: the third component of the state, metres, for example from a barometer or a
/// known floor.
@frozen
public struct HeightModel<let N: Int>: MeasurementModel, Equatable {
  /// Creates a model of height measurements.
  @inlinable
  public init() { precondition(N >= 3, "the state has no height") }

  /// Returns the height of `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<1> { Vector(repeating: state[2]) }

  /// Returns its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<1, N> {
    var result = Matrix<1, N>.zero
    result[0, 2] = 1
    return result
  }
}

/// A measured velocity, or an odometry increment over a short time.
///
/// The measurement is the state's velocity, components 3 to 5, in the frame of `attitude`, times
/// `span`. With a span of 1 s it is a velocity, m/s. With the time since the last reading it is an
/// increment, metres, whose velocity is that at the end of the interval: correct to first order in
/// the span.
@frozen
public struct DisplacementModel<let N: Int>: MeasurementModel, Equatable {
  /// The rotation from the world into the measurement frame.
  public var attitude: Matrix<3, 3>
  /// The duration over which the velocity is integrated, seconds, above 0.
  public var span: Double

  /// Creates a model of velocities, or of increments over `span` seconds, in the frame of
  /// `attitude`.
  @inlinable
  public init(attitude: Matrix<3, 3> = .identity, span: Double = 1) {
    precondition(N >= 6, "the state has no velocity")
    precondition(span > 0, "the span is not positive")
    self.attitude = attitude
    self.span = span
  }

  /// Returns the increment expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    span * (attitude * Vector([state[3], state[4], state[5]]))
  }

  /// Returns its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    var result = Matrix<3, N>.zero
    for row in 0..<3 {
      for axis in 0..<3 { result[row, axis + 3] = span * attitude[row, axis] }
    }
    return result
  }
}
