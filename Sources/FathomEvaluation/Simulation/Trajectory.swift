import Fathom

/// A way through space: where something is at every instant.
///
/// A pure function of time, so that truth can be asked for at the very instant of a measurement.
public enum Trajectory: Sendable, Equatable {
  /// Along straight lines, with limited speed and acceleration.
  case waypoints(WaypointPath)
  /// A sine on every axis.
  case lissajous(LissajousPath)
  /// At one point, metres.
  case still(Vector<3>)
  /// Through positions of a file.
  case sampled(SampledPath)
  /// At random inside a box.
  case randomWalk(RandomWalk)
  /// At random, as a constant-velocity filter assumes.
  case randomAcceleration(RandomAcceleration)

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
    case .still(let position):
      Motion(position: position, velocity: .zero, ahead: Vector([1, 0, 0]))
    case .sampled(let path): path.motion(at: seconds)
    case .randomWalk(let path): path.motion(at: seconds)
    case .randomAcceleration(let path): path.motion(at: seconds)
    }
  }

  /// Whether the way follows from the seed of its scenario.
  public var isRandom: Bool {
    switch self {
    case .randomWalk, .randomAcceleration: true
    case .waypoints, .lissajous, .still, .sampled: false
    }
  }

  /// The way of the same kind that follows from `generator`: another one where it is random.
  func redrawn(duration: Double, using generator: inout SeededGenerator) -> Trajectory {
    switch self {
    case .randomWalk(let walk):
      .randomWalk(RandomWalk(walk.pace, duration: duration, using: &generator))
    case .randomAcceleration(let path):
      .randomAcceleration(
        RandomAcceleration(path.law, duration: duration, using: &generator))
    case .waypoints, .lissajous, .still, .sampled: self
    }
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
    let (sine, cosine) = (ElementaryFunctions.sine(angle), ElementaryFunctions.cosine(angle))
    return Vector<3>([
      cosine * self[0] - sine * self[1], sine * self[0] + cosine * self[1], self[2],
    ])
  }
}
