import Fathom

/// Position, velocity and heading at one instant.
package struct MotionState: Sendable, Equatable {
  /// Position in the world frame, metres.
  package var position: Vector<3>
  /// Velocity in the world frame, metres per second.
  package var velocity: Vector<3>
  /// Heading: horizontal unit vector in the direction of travel.
  ///
  /// At rest it is the direction faced. It is the x axis when a path has no horizontal direction.
  package var ahead: Vector<3>

  /// Creates a state of motion, by default ahead in the horizontal direction of the velocity.
  package init(position: Vector<3>, velocity: Vector<3>, ahead: Vector<3>? = nil) {
    self.position = position
    self.velocity = velocity
    self.ahead = ahead ?? velocity.horizontalDirection ?? Vector([1, 0, 0])
  }
}

/// A position passed at a known velocity: the end of a cubic segment.
struct CubicNode: Sendable, Equatable {
  /// Time since the start, seconds.
  var time: Double
  /// Position, metres.
  var position: Vector<3>
  /// Velocity, metres per second.
  var velocity: Vector<3>

  /// Returns the motion at `seconds` on the cubic Hermite segment between two nodes.
  ///
  /// `second` must be later than `first`.
  static func motion(
    between first: CubicNode, and second: CubicNode, at seconds: Double
  ) -> MotionState {
    // Legend: s the elapsed fraction of the span, d its mean velocity.
    let span = second.time - first.time
    let time = seconds - first.time
    let s = time / span
    let d = (1 / span) * (second.position - first.position)
    let bend = 3 * d - 2 * first.velocity - second.velocity
    let twist = first.velocity + second.velocity - 2 * d
    let position = first.position + time * (first.velocity + s * (bend + s * twist))
    let velocity = first.velocity + s * (2 * bend + (3 * s) * twist)
    return MotionState(position: position, velocity: velocity)
  }
}

extension Vector where Count == 3 {
  /// The horizontal unit vector of the same bearing, or nil for a vertical or zero vector.
  var horizontalDirection: Vector<3>? {
    let horizontal: Vector<3> = Vector([self[0], self[1], 0])
    let length = horizontal.length
    // Below a nanometre per second, rounding errors dominate the bearing.
    guard length > 1e-9 else { return nil }
    return (1 / length) * horizontal
  }

  /// Returns this vector rotated about the z axis, anticlockwise as seen from above.
  func turned(byRadians angle: Double) -> Vector<3> {
    let (sine, cosine) = (ElementaryFunctions.sine(angle), ElementaryFunctions.cosine(angle))
    return Vector<3>([
      cosine * self[0] - sine * self[1], sine * self[0] + cosine * self[1], self[2],
    ])
  }
}
