import Fathom

/// The motion of a device in the frame of its own poses, as odometry and heights.
///
/// A displacement between two poses is an increment of odometry in a frame whose heading is unknown and
/// does not turn. The heights have an unknown offset. Their origin is nowhere, so that a jump of the
/// poses, after a loss of tracking, only leaves an increment out.
struct PoseMotion: Sendable, Equatable {
  private(set) var odometry: [OdometryIncrement] = []
  private(set) var heights: [HeightMeasurement] = []
  /// The pose at the end of the increments.
  private(set) var last: TimedPose?

  /// Longest time between two poses that make an increment, seconds, and the shortest one: ten poses a
  /// second tell the motion of a person.
  private static let longestStep = 1.0
  private static let shortestStep = 0.099
  /// Speed beyond which poses have jumped, m/s.
  private static let mostSpeed = 12.0

  /// Creates the motion of `poses`, in order of time.
  init(_ poses: [TimedPose] = []) {
    for pose in poses { append(pose) }
  }

  /// Adds the next pose.
  mutating func append(_ pose: TimedPose) {
    guard pose.isUsable else { return }
    guard let before = last else { return begin(at: pose) }
    let seconds = pose.time.seconds(since: before.time)
    guard seconds >= Self.shortestStep else { return }
    let moved = pose.position - before.position
    guard seconds <= Self.longestStep, moved.length <= Self.mostSpeed * seconds else {
      return begin(at: pose)
    }
    last = pose
    odometry.append(
      OdometryIncrement(
        begin: before.time, end: pose.time, forward: moved[0], left: moved[1], turn: .zero))
    heights.append(HeightMeasurement(time: pose.time, height: pose.position[2]))
  }

  /// Removes and returns the motion so far; that of later poses continues it.
  mutating func removeMotion() -> (odometry: [OdometryIncrement], heights: [HeightMeasurement]) {
    defer { (odometry, heights) = ([], []) }
    return (odometry, heights)
  }

  private mutating func begin(at pose: TimedPose) {
    last = pose
    heights.append(HeightMeasurement(time: pose.time, height: pose.position[2]))
  }
}

extension HeightErrors {
  /// Returns the errors of heights in the frame of poses: an unknown offset that drifts, and noise.
  ///
  /// The offset that a filter finds at its start has errors of linearisation. It must be able to forget
  /// them within some seconds; a smoother linearises anew.
  static func ofPoses(_ method: PositionMethod) -> HeightErrors {
    var errors = HeightErrors()
    // 100 m: a world may begin on any floor.
    errors.offsetSigma = 100
    (errors.sigma, errors.persistentShare) = (method == .smooth ? 0.02 : 0.1, 0)
    errors.driftDensity = method == .smooth ? 0.02 : 0.2
    return errors
  }
}
