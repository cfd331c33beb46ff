/// A reading of an accelerometer and a gyroscope that are fixed to a tag.
///
/// The axes are right-handed, and otherwise any: how the sensor is mounted need not be known.
public struct InertialMeasurement: Sendable, Equatable {
  /// The time of the reading.
  public var time: Timestamp
  /// The specific force along the axes of the sensor, in m/s².
  ///
  /// At rest it points up and has the length of gravity, 9.8 m/s².
  public var acceleration: Vector<3>
  /// The rotation rate about the axes of the sensor, in rad/s.
  public var rotation: Vector<3>

  /// Creates a reading of an acceleration in m/s² and a rotation rate in rad/s.
  public init(time: Timestamp, acceleration: Vector<3>, rotation: Vector<3>) {
    self.time = time
    self.acceleration = acceleration
    self.rotation = rotation
  }

  /// The largest acceleration of any tag, in m/s², and rotation rate, in rad/s.
  static let greatestAcceleration = 1000.0
  static let greatestRotation = 100.0

  /// Whether all numbers are finite and possible.
  package var isUsable: Bool {
    acceleration.length <= Self.greatestAcceleration && rotation.length <= Self.greatestRotation
  }
}
