import Fathom
import Foundation

/// A way through space: where something is at every instant.
///
/// A pure function of time, so that truth can be asked for at the very instant of a measurement.
public enum Trajectory: Sendable, Equatable {
  /// Along straight lines, with limited speed and acceleration.
  case waypoints(WaypointPath)
  /// A sine on every axis.
  case lissajous(LissajousPath)

  /// State of motion at one instant.
  public struct Motion: Sendable, Equatable {
    /// Position in the world frame, metres.
    public var position: Vector<3>
    /// Velocity in the world frame, metres per second.
    public var velocity: Vector<3>
    /// Horizontal unit vector in the direction of travel.
    ///
    /// At rest it is the direction faced, and the x axis where a path gives no horizontal direction at
    /// all.
    public var ahead: Vector<3>

    /// A state of motion.
    public init(position: Vector<3>, velocity: Vector<3>, ahead: Vector<3>) {
      self.position = position
      self.velocity = velocity
      self.ahead = ahead
    }
  }

  /// Where it is and how it moves `seconds` after the start; finite for every finite time.
  public func motion(at seconds: Double) -> Motion {
    switch self {
    case .waypoints(let path): path.motion(at: seconds)
    case .lissajous(let path): path.motion(at: seconds)
    }
  }
}

/// A closed figure in space: on each axis centre + amplitude x sin(2 pi t / period + phase).
///
/// Speed on an axis is at most 2 pi amplitude / period, acceleration (2 pi / period)² amplitude.
public struct LissajousPath: Sendable, Equatable {
  /// Middle of the figure, metres.
  public let centre: Vector<3>
  /// Half the extent per axis, metres; 0 keeps the axis still.
  public let amplitude: Vector<3>
  /// Period per axis, seconds; above 0.
  public let period: Vector<3>
  /// Phase per axis at time 0, radians.
  public let phase: Vector<3>

  /// A figure of the given shape; every period must be above 0.
  public init(
    centre: Vector<3>, amplitude: Vector<3>, period: Vector<3>, phase: Vector<3> = .zero
  ) {
    precondition((0..<3).allSatisfy { period[$0] > 0 }, "periods must be above 0")
    self.centre = centre
    self.amplitude = amplitude
    self.period = period
    self.phase = phase
  }

  /// Where the figure is and how it moves `seconds` after the start.
  public func motion(at seconds: Double) -> Trajectory.Motion {
    var position = centre
    var velocity = Vector<3>.zero
    for axis in 0..<3 {
      // Whole turns are taken off first: the sine stays accurate however late it is.
      let turns = seconds / period[axis]
      let angle = 2 * Double.pi * (turns - turns.rounded(.down)) + phase[axis]
      position[axis] += amplitude[axis] * sin(angle)
      velocity[axis] = 2 * Double.pi / period[axis] * amplitude[axis] * cos(angle)
    }
    return Trajectory.Motion(
      position: position, velocity: velocity,
      ahead: velocity.horizontalDirection ?? Vector([1, 0, 0]))
  }
}

extension Vector where Count == 3 {
  /// The horizontal unit vector of the same bearing, or nil for a vector without one.
  var horizontalDirection: Vector<3>? {
    let horizontal: Vector<3> = Vector([self[0], self[1], 0])
    let length = horizontal.length
    // Below a nanometre per second rounding decides the bearing.
    guard length > 1e-9 else { return nil }
    return (1 / length) * horizontal
  }

  /// This vector turned about the z axis, anticlockwise as seen from above.
  func turned(byRadians angle: Double) -> Vector<3> {
    let (sine, cosine) = (sin(angle), cos(angle))
    return Vector<3>([
      cosine * self[0] - sine * self[1], sine * self[0] + cosine * self[1], self[2],
    ])
  }
}
