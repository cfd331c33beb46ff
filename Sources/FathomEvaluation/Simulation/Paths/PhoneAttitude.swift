import Fathom

/// The attitude of a phone that is held upright and rotates about the vertical only.
///
/// Device frame as in Nearby Interaction: x to the right, y up, z towards the user. A point
/// straight ahead at 1 m is at (0, 0, -1).
package struct PhoneAttitude: Sendable, Equatable {
  /// The direction in which the user points the phone.
  package enum Facing: String, Sendable, CaseIterable {
    /// The direction of travel.
    case travel
    /// The direction of the accessory.
    case accessory
  }

  /// The direction in which the user points the phone.
  package let facing: Facing
  /// Amplitude of a slow sway to both sides, radians.
  package let wobble: Double
  /// Period of the sway, seconds; above 0.
  package let wobblePeriod: Double

  /// Returns the position of `target` (world frame, metres) in the device frame: right, up and
  /// towards the user, metres.
  ///
  /// `motion` is the phone's own; `seconds`, the time since the start, determines the sway.
  ///
  /// ## Edge cases
  /// With the accessory straight above or below, the phone faces the direction of travel.
  package func devicePosition(
    of target: Vector<3>, from motion: MotionState, at seconds: Double
  ) -> Vector<3> {
    let offset = target - motion.position
    let ahead = ahead(of: target, from: motion, at: seconds)
    let right: Vector<3> = Vector([ahead[1], -ahead[0], 0])
    return Vector<3>([offset.dot(right), offset[2], -offset.dot(ahead)])
  }

  /// Returns the horizontal unit vector in which the phone points; see
  /// ``devicePosition(of:from:at:)``.
  func ahead(of target: Vector<3>, from motion: MotionState, at seconds: Double) -> Vector<3> {
    let faced =
      switch facing {
      case .travel: motion.ahead
      case .accessory: (target - motion.position).horizontalDirection ?? motion.ahead
      }
    let turns = seconds / wobblePeriod
    let sway =
      wobble * ElementaryFunctions.sine(2 * Double.pi * (turns - turns.rounded(.down)))
    return faced.turned(byRadians: sway)
  }
}
