import Fathom

/// The frame in which a device counts the directions it measures, and which its attitude turns into
/// that of the world.
public enum DeviceFrame: String, Sendable, Hashable, CaseIterable, Codable {
  /// x right, y up, z towards the user: azimuths are positive to the right, zero along -z.
  case phone
  /// x forward, y left, z up: azimuths are positive to the left, zero along x [REP-103].
  case robot

  /// The axes right, up and back of a device held so, as columns in the world.
  func rightUpBack(_ attitude: Attitude) -> Matrix<3, 3> {
    let axes = attitude.axes
    switch self {
    case .phone: return axes
    case .robot:
      return axes * Matrix<3, 3>([[0, 0, -1], [-1, 0, 0], [0, 1, 0]])
    }
  }

  /// A vector in this frame by its parts to the right, up and back.
  func rightUpBack(_ vector: Vector<3>) -> Vector<3> {
    switch self {
    case .phone: vector
    case .robot: Vector([-vector[1], vector[2], -vector[0]])
    }
  }

  /// An azimuth in this frame, radians, by the angle to the right, and the other way round.
  func azimuthToTheRight(_ azimuth: Double) -> Double { self == .phone ? azimuth : -azimuth }
}
