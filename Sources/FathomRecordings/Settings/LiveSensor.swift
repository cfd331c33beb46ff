import Fathom

/// The kinds of measurements beside ranges whose errors a live tracker estimates.
///
/// A tracker without such a kind is faster, and ignores its measurements.
package enum LiveSensor: String, Sendable, Hashable, CaseIterable {
  case height
  case odometry
  case inertial
  case difference
}

extension TrackerConfiguration {
  /// Prepares the tracker for measurements of these kinds, with their usual errors.
  package mutating func add(_ sensors: Set<LiveSensor>) {
    if sensors.contains(.height) { heights = HeightErrors() }
    if sensors.contains(.odometry) { odometry = OdometryErrors() }
    if sensors.contains(.inertial) { inertial = InertialErrors() }
    if sensors.contains(.difference) { usesDifferences = true }
  }
}
