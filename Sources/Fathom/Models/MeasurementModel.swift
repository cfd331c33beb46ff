/// How a measurement depends on a state: what a filter needs to know of a sensor.
///
/// Models are small values, one file each. `State` is a `Vector<N>`, `Measurement` a `Vector<M>`,
/// `Derivative` a `Matrix<M, N>` (a protocol cannot have integers, so that the filters ask for
/// these shapes). Unless a model says otherwise, its state begins with the position x, y, z,
/// metres, in the world frame, and goes on with the velocity x, y, z, m/s, where it has one.
public protocol MeasurementModel: Sendable {
  /// The state, `Vector<N>`.
  associatedtype State
  /// What is measured, `Vector<M>`.
  associatedtype Measurement: AdditiveArithmetic
  /// The derivative of the measurement by the state, `Matrix<M, N>`.
  associatedtype Derivative

  /// h(x): the measurement expected at `state`, without noise.
  func measurement(at state: State) -> Measurement

  /// H: the derivative of the expected measurement at `state`.
  func derivative(at state: State) -> Derivative

  /// How far `measurement` is from `expected`; angles by the shorter way round.
  ///
  /// The difference, unless a model has angles.
  func residual(of measurement: Measurement, from expected: Measurement) -> Measurement
}

extension MeasurementModel {
  /// The plain difference.
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
  /// d: what is added.
  public var offset: Vector<M>

  /// The measurement H x + d.
  @inlinable
  public init(observation: Matrix<M, N>, offset: Vector<M> = .zero) {
    self.observation = observation
    self.offset = offset
  }

  /// H x + d.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<M> { observation * state + offset }

  /// H.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<M, N> { observation }
}

/// A measured position: the first three components of the state, metres.
@frozen
public struct PositionModel<let N: Int>: MeasurementModel, Equatable {
  /// Measurements of the position.
  @inlinable
  public init() { precondition(N >= 3, "the state has no position") }

  /// The position of `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    Vector([state[0], state[1], state[2]])
  }

  /// Its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    var result = Matrix<3, N>.zero
    for axis in 0..<3 { result[axis, axis] = 1 }
    return result
  }
}

/// A measured height: the third component of the state, metres, as of a barometer or a known floor.
@frozen
public struct HeightModel<let N: Int>: MeasurementModel, Equatable {
  /// Measurements of the height.
  @inlinable
  public init() { precondition(N >= 3, "the state has no height") }

  /// The height of `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<1> { Vector(repeating: state[2]) }

  /// Its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<1, N> {
    var result = Matrix<1, N>.zero
    result[0, 2] = 1
    return result
  }
}

/// A measured velocity, or the increment that odometry saw over a short span.
///
/// The state's velocity, components 3 to 5, in the frame of `attitude` and times `span`. With a
/// span of 1 s it is a velocity, m/s; with the time since the last reading an increment, metres,
/// whose velocity is taken as that at its end: right to first order in the span.
@frozen
public struct DisplacementModel<let N: Int>: MeasurementModel, Equatable {
  /// The rotation from the world into the frame of the measurement.
  public var attitude: Matrix<3, 3>
  /// How many seconds of velocity are measured, above 0.
  public var span: Double

  /// Velocities, or increments over `span` seconds, in the frame of `attitude`.
  @inlinable
  public init(attitude: Matrix<3, 3> = .identity, span: Double = 1) {
    precondition(N >= 6, "the state has no velocity")
    precondition(span > 0, "the span is not positive")
    self.attitude = attitude
    self.span = span
  }

  /// The increment expected at `state`.
  @inlinable
  public func measurement(at state: Vector<N>) -> Vector<3> {
    span * (attitude * Vector([state[3], state[4], state[5]]))
  }

  /// Its derivative.
  @inlinable
  public func derivative(at state: Vector<N>) -> Matrix<3, N> {
    var result = Matrix<3, N>.zero
    for row in 0..<3 {
      for axis in 0..<3 { result[row, axis + 3] = span * attitude[row, axis] }
    }
    return result
  }
}
