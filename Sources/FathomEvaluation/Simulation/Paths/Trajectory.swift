import Fathom

/// A path through space: where something is at every instant.
///
/// A pure function of time, so that truth can be asked for at the very instant of a measurement.
package enum Trajectory: Sendable, Equatable {
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

  /// Where it is and how it moves `seconds` after the start; finite for every finite time.
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

  /// Whether the path follows from the seed of its scenario.
  package var isRandom: Bool {
    switch self {
    case .randomWalk, .randomAcceleration: true
    case .waypoints, .lissajous, .still, .sampled: false
    }
  }

  /// The path of the same kind that follows from `generator`: another one where it is random.
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
