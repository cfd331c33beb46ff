import Fathom

/// A Lissajous figure: on each axis centre + amplitude x sin(2 pi t / period + phase).
///
/// On each axis the speed is at most 2 pi amplitude / period, and the acceleration at most (2 pi /
/// period)² amplitude.
package struct LissajousPath: Sendable, Equatable {
  /// Centre of the figure, metres.
  package let centre: Vector<3>
  /// Amplitude per axis, metres; 0 keeps the coordinate constant.
  package let amplitude: Vector<3>
  /// Period per axis, seconds; above 0.
  package let period: Vector<3>
  /// Phase per axis at time 0, radians.
  package let phase: Vector<3>

  /// Creates a figure; every period must be above 0.
  package init(
    centre: Vector<3>, amplitude: Vector<3>, period: Vector<3>, phase: Vector<3> = .zero
  ) {
    precondition((0..<3).allSatisfy { period[$0] > 0 }, "periods must be above 0")
    self.centre = centre
    self.amplitude = amplitude
    self.period = period
    self.phase = phase
  }

  /// Returns position and velocity `seconds` after the start.
  package func motion(at seconds: Double) -> MotionState {
    var position = centre
    var velocity = Vector<3>.zero
    for axis in 0..<3 {
      // Whole turns are removed first, so that the sine stays accurate at late times.
      let turns = seconds / period[axis]
      let angle = 2 * Double.pi * (turns - turns.rounded(.down)) + phase[axis]
      position[axis] += amplitude[axis] * ElementaryFunctions.sine(angle)
      velocity[axis] =
        2 * Double.pi / period[axis] * amplitude[axis] * ElementaryFunctions.cosine(angle)
    }
    return MotionState(position: position, velocity: velocity)
  }
}
