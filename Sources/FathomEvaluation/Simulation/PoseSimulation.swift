import Fathom

/// The poses that visual odometry gives of a moving device, and the frame in which it gives them.
///
/// The frame has an unknown heading and origin, and drifts as the device moves: every metre adds normal
/// errors of position and heading, and distances have a scale error.
struct PoseSimulation {
  /// Poses in order of time, rounded as files have them.
  private(set) var poses: [TimedPose] = []
  private var states: [State] = []

  /// The frame at a pose.
  private struct State {
    var time: Timestamp
    /// The true position of the device, and that in the frame.
    var position: Vector<3>
    var shown: Vector<3>
    /// The heading of the frame, radians.
    var heading: Double
  }

  /// Largest coordinates of the origin of the frame, metres.
  private static let farthestOrigin = 5.0

  /// Simulates the poses of the tag of `scenario`; nil without them.
  init?(_ scenario: Scenario) {
    guard let settings = scenario.poses else { return nil }
    var generator = RandomStream.poses.generator(scenario.seed)
    let origin = Self.farthestOrigin
    var state = State(
      time: Timestamp(nanoseconds: 0), position: .zero,
      shown: Vector([
        generator.uniform(in: -origin...origin), generator.uniform(in: -origin...origin), 0,
      ]), heading: generator.uniform(in: -Double.pi...Double.pi))
    let scale = 1 + settings.scaleSigma * generator.normal()
    for row in 0...RangeSimulator.wholeIntervals(scenario.duration, settings.rate) {
      let time = RangeSimulator.instant(Double(row) / settings.rate)
      let (motion, ahead) = scenario.setting.motion(at: time.seconds)
      let noise: Vector<3> = Vector([generator.normal(), generator.normal(), generator.normal()])
      let turn = generator.normal()
      if row > 0 {
        let moved = motion.position - state.position
        let root = moved.length.squareRoot()
        state.shown += scale * moved.turned(byRadians: state.heading)
        state.shown += (settings.distanceNoise * root) * noise
        state.heading += settings.headingNoise * root * turn
      }
      (state.time, state.position) = (time, motion.position)
      states.append(state)
      poses.append(
        TimedPose(
          time: time, position: state.shown.rounded(decimals: 4),
          attitude: .upright(facing: ahead.turned(byRadians: state.heading))))
    }
  }

  /// Returns the place of a point of the world in the frame as it is at `time`.
  func place(of point: Vector<3>, at time: Timestamp) -> Vector<3> {
    let state = states[max(0, states.firstPlace { $0.time > time } - 1)]
    return state.shown + (point - state.position).turned(byRadians: state.heading)
  }
}

extension Scenario.Setting {
  /// Returns the motion of the first tag and the horizontal direction in which its device faces.
  func motion(at seconds: Double) -> (motion: MotionState, ahead: Vector<3>) {
    switch self {
    case .phone(let phone):
      let motion = phone.tag.trajectory.motion(at: seconds)
      return (
        motion, phone.attitude.ahead(of: phone.accessoryPosition, from: motion, at: seconds)
      )
    case .anchored(let anchored):
      let motion =
        anchored.tags.first?.trajectory.motion(at: seconds)
        ?? MotionState(position: .zero, velocity: .zero, ahead: Vector([1, 0, 0]))
      return (motion, motion.ahead)
    }
  }
}

extension Attitude {
  /// Returns the attitude of a device held upright whose axis -z is the horizontal unit vector `ahead`,
  /// rounded as files have it.
  fileprivate static func upright(facing ahead: Vector<3>) -> Attitude? {
    // A quarter turn about x sets the device upright and facing y; a turn about z follows.
    let cosine = (max(0, 1 + ahead[1]) / 2).squareRoot()
    let sine = (ahead[0] > 0 ? -1 : 1) * (max(0, 1 - ahead[1]) / 2).squareRoot()
    let half = 0.5.squareRoot()
    let parts: Vector<4> = Vector([half * cosine, half * cosine, half * sine, half * sine])
    let rounded = parts.rounded(decimals: 6)
    return Attitude(w: rounded[0], x: rounded[1], y: rounded[2], z: rounded[3])
  }
}
