import Fathom

/// The frame in which a device reports directions; its attitude rotates this frame into the world
/// frame.
public enum DeviceFrame: String, Sendable, Hashable, CaseIterable, Codable {
  /// x right, y up, z towards the user: azimuths are positive to the right, zero along -z.
  case phone
  /// x forward, y left, z up: azimuths are positive to the left, zero along x [REP-103].
  case robot

  /// Returns the right, up and back axes of a device with this `attitude`, as columns in the world
  /// frame.
  package func rightUpBack(_ attitude: Attitude) -> Matrix<3, 3> {
    let axes = attitude.axes
    switch self {
    case .phone: return axes
    case .robot:
      return axes * Matrix<3, 3>([[0, 0, -1], [-1, 0, 0], [0, 1, 0]])
    }
  }

  /// Converts a vector from this frame to its components right, up and back.
  func rightUpBack(_ vector: Vector<3>) -> Vector<3> {
    switch self {
    case .phone: vector
    case .robot: Vector([-vector[1], vector[2], -vector[0]])
    }
  }

  /// Converts an azimuth in this frame, in radians, to an angle to the right, and vice versa.
  package func azimuthToTheRight(_ azimuth: Double) -> Double {
    self == .phone ? azimuth : -azimuth
  }
}
