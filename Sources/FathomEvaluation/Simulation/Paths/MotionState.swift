import Fathom

/// State of motion at one instant.
package struct MotionState: Sendable, Equatable {
  /// Position in the world frame, metres.
  package var position: Vector<3>
  /// Velocity in the world frame, metres per second.
  package var velocity: Vector<3>
  /// Horizontal unit vector in the direction of travel.
  ///
  /// At rest it is the direction faced, and the x axis where a path gives no horizontal direction at
  /// all.
  package var ahead: Vector<3>

  /// A state of motion.
  package init(position: Vector<3>, velocity: Vector<3>, ahead: Vector<3>) {
    self.position = position
    self.velocity = velocity
    self.ahead = ahead
  }
}

/// A place passed with a known velocity, and the cubic between two of them.
struct CubicNode: Sendable, Equatable {
  /// Seconds from the start.
  var time: Double
  /// Metres.
  var position: Vector<3>
  /// Metres per second.
  var velocity: Vector<3>

  /// The motion at `seconds` along the cubic with the positions and velocities of both nodes, the second
  /// of which is later.
  static func motion(
    between first: CubicNode, and second: CubicNode, at seconds: Double
  ) -> MotionState {
    // Legend: s the share of the span that has passed, d its mean velocity.
    let span = second.time - first.time
    let time = seconds - first.time
    let s = time / span
    let d = (1 / span) * (second.position - first.position)
    let bend = 3 * d - 2 * first.velocity - second.velocity
    let twist = first.velocity + second.velocity - 2 * d
    let position = first.position + time * (first.velocity + s * (bend + s * twist))
    let velocity = first.velocity + s * (2 * bend + (3 * s) * twist)
    return MotionState(
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
    let (sine, cosine) = (ElementaryFunctions.sine(angle), ElementaryFunctions.cosine(angle))
    return Vector<3>([
      cosine * self[0] - sine * self[1], sine * self[0] + cosine * self[1], self[2],
    ])
  }
}
