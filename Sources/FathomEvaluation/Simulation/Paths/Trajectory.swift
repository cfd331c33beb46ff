import Fathom

/// The path of an object: its position and velocity at every instant.
///
/// A trajectory is a pure function of time, so truth is available at the exact time of a
/// measurement.
package enum Trajectory: Sendable, Equatable {
  /// Straight lines, with limited speed and acceleration.
  case waypoints(WaypointPath)
  /// A sine on every axis.
  case lissajous(LissajousPath)
  /// A fixed position, metres.
  case still(Vector<3>)
  /// The positions of a file.
  case sampled(SampledPath)
  /// A random walk inside a box.
  case randomWalk(RandomWalk)
  /// A random path with the motion model of a constant-velocity filter.
  case randomAcceleration(RandomAcceleration)

  /// Returns position and velocity `seconds` after the start; finite for every finite time.
  package func motion(at seconds: Double) -> MotionState {
    switch self {
    case .waypoints(let path): path.motion(at: seconds)
    case .lissajous(let path): path.motion(at: seconds)
    case .still(let position):
      MotionState(position: position, velocity: .zero, ahead: Vector([1, 0, 0]))
    case .sampled(let path): path.motion(at: seconds)
    case .randomWalk(let path): path.motion(at: seconds)
    case .randomAcceleration(let path): path.motion(at: seconds)
    }
  }

  /// Whether the path depends on the seed of its scenario.
  package var isRandom: Bool {
    switch self {
    case .randomWalk, .randomAcceleration: true
    case .waypoints, .lissajous, .still, .sampled: false
    }
  }

  /// Returns a new draw of a random path from `generator`; other paths are returned unchanged.
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
