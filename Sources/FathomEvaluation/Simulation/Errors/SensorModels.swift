import Fathom

/// The sensors that every tag of a scenario carries beside its radio.
package struct SensorModels: Sendable, Equatable {
  /// The accelerometer and gyroscope; nil without.
  package var inertial: InertialModel?
  /// The barometer; nil without.
  package var barometer: BarometerModel?
  /// The wheel encoders; nil without.
  package var odometry: OdometryModel?

  /// Creates a tag without sensors.
  package init() {}

  /// Rows per second of all sensors of a tag.
  var rate: Double {
    (inertial?.rate ?? 0) + (barometer?.rate ?? 0) + (odometry?.rate ?? 0)
  }
}

/// An accelerometer and a gyroscope: white noise, constant biases that are drawn for each tag, and a
/// mounting that nobody knows.
///
/// The tag turns to the direction of travel at 2 rad/s at most.
package struct InertialModel: Sendable, Equatable {
  /// Readings per second, hertz.
  package let rate: Double
  /// White noise of the accelerometer, (m/s²)/√Hz, and the standard deviation of its biases, m/s².
  package let accelerationNoise: Double
  package let accelerationBias: Double
  /// White noise of the gyroscope, (rad/s)/√Hz, and the standard deviation of its biases, rad/s.
  package let rotationNoise: Double
  package let rotationBias: Double
  /// Vibrations of a moving tag: standard deviation of the acceleration, m/s².
  package let vibration: Double
}

/// A barometer: white noise, and a zero that is wrong from the start and drifts.
package struct BarometerModel: Sendable, Equatable {
  /// Readings per second, hertz.
  package let rate: Double
  /// White noise, metres.
  package let sigma: Double
  /// Standard deviation of the error at the start, metres.
  package let offset: Double
  /// Random walk of the error, m/√s.
  package let drift: Double
}

/// Wheel encoders: a scale error, noise that grows with the way, a gyroscope that drifts, and slip.
package struct OdometryModel: Sendable, Equatable {
  /// Increments per second, hertz.
  package let rate: Double
  /// Standard deviation of a displacement after one metre, m/√m.
  package let noise: Double
  /// Standard deviation of the scale error.
  package let scale: Double
  /// Standard deviation of the drift of the heading, rad/s.
  package let drift: Double
  /// How often the wheels begin to slip, 1/s, and for how long they do, seconds.
  package let slipRate: Double
  package let slipTime: Double
}
