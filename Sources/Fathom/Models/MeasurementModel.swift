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

extension Vector: AdditiveArithmetic {}

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
