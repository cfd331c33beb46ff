import Fathom

/// Where a phone points: held upright, turned about the vertical only.
///
/// Device frame as in Nearby Interaction: x to the right, y up, z towards the user, so that what lies
/// straight ahead is at (0, 0, -1).
package struct PhoneAttitude: Sendable, Equatable {
  /// What the user points the phone at.
  package enum Facing: String, Sendable, CaseIterable {
    /// The way the user walks.
    case travel
    /// The accessory.
    case accessory
  }

  /// What the user points the phone at.
  package let facing: Facing
  /// Amplitude of a slow sway to either side, radians.
  package let wobble: Double
  /// Period of the sway, seconds; above 0.
  package let wobblePeriod: Double

  /// Where `target` (world frame, metres) is in the device frame, metres.
  ///
  /// - Parameters:
  ///   - target: the position of the accessory.
  ///   - motion: the phone's own motion.
  ///   - seconds: the instant, for the sway.
  /// - Returns: right, up and towards the user, metres.
  ///
  /// ## Edge cases
  /// Facing an accessory straight above or below keeps the direction of travel.
  package func devicePosition(
    of target: Vector<3>, from motion: MotionState, at seconds: Double
  ) -> Vector<3> {
    let offset = target - motion.position
    let faced =
      switch facing {
      case .travel: motion.ahead
      case .accessory: offset.horizontalDirection ?? motion.ahead
      }
    let turns = seconds / wobblePeriod
    let sway =
      wobble * ElementaryFunctions.sine(2 * Double.pi * (turns - turns.rounded(.down)))
    let ahead = faced.turned(byRadians: sway)
    let right: Vector<3> = Vector([ahead[1], -ahead[0], 0])
    return Vector<3>([offset.dot(right), offset[2], -offset.dot(ahead)])
  }
}
