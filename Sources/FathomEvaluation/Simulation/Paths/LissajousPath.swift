import Fathom

/// A closed figure in space: on each axis centre + amplitude x sin(2 pi t / period + phase).
///
/// Speed on an axis is at most 2 pi amplitude / period, acceleration (2 pi / period)² amplitude.
package struct LissajousPath: Sendable, Equatable {
  /// Middle of the figure, metres.
  package let centre: Vector<3>
  /// Half the extent per axis, metres; 0 keeps the axis still.
  package let amplitude: Vector<3>
  /// Period per axis, seconds; above 0.
  package let period: Vector<3>
  /// Phase per axis at time 0, radians.
  package let phase: Vector<3>

  /// A figure of the given shape; every period must be above 0.
  package init(
    centre: Vector<3>, amplitude: Vector<3>, period: Vector<3>, phase: Vector<3> = .zero
  ) {
    precondition((0..<3).allSatisfy { period[$0] > 0 }, "periods must be above 0")
    self.centre = centre
    self.amplitude = amplitude
    self.period = period
    self.phase = phase
  }

  /// Where the figure is and how it moves `seconds` after the start.
  package func motion(at seconds: Double) -> MotionState {
    var position = centre
    var velocity = Vector<3>.zero
    for axis in 0..<3 {
      // Whole turns are taken off first: the sine stays accurate however late it is.
      let turns = seconds / period[axis]
      let angle = 2 * Double.pi * (turns - turns.rounded(.down)) + phase[axis]
      position[axis] += amplitude[axis] * ElementaryFunctions.sine(angle)
      velocity[axis] =
        2 * Double.pi / period[axis] * amplitude[axis] * ElementaryFunctions.cosine(angle)
    }
    return MotionState(
      position: position, velocity: velocity,
      ahead: velocity.horizontalDirection ?? Vector([1, 0, 0]))
  }
}
