/// The pose of a device in a world frame of its own, as ARKit or another visual odometry reports it.
///
/// The world frame is right-handed with z up; origin and heading are arbitrary. ARKit's world has y
/// up: its (x, y, z) is (x, -z, y) here.
public struct TimedPose: Sendable, Equatable {
  /// The time of the pose.
  public var time: Timestamp
  /// The position of the device in its world frame, metres.
  public var position: Vector<3>
  /// The attitude of the device; nil if it is unknown.
  ///
  /// It turns vectors of the device frame (x right, y up, -z ahead) into the world frame. Only
  /// directions, measured or computed, need it.
  public var attitude: Attitude?

  /// Creates a pose with a position in metres.
  public init(time: Timestamp, position: Vector<3>, attitude: Attitude? = nil) {
    self.time = time
    self.position = position
    self.attitude = attitude
  }

  /// Whether the position is finite and on the Earth.
  package var isUsable: Bool {
    (0..<3).allSatisfy { position[$0].magnitude <= 1e9 }
  }

  /// The horizontal unit vector ahead of the device: that of the axis -z, or of the top edge of a
  /// device whose screen faces up or down; nil without an attitude.
  public var heading: Vector<2>? {
    guard let axes = attitude?.axes else { return nil }
    // -z is level for a phone held upright. A phone on a table points ahead with its top edge.
    let ahead = Vector<2>(x: -axes[0, 2], y: -axes[1, 2])
    let facing = axes[2, 2] >= 0 ? 1.0 : -1.0
    let chosen =
      ahead.length >= Self.leastLevel ? ahead : facing * Vector<2>(x: axes[0, 1], y: axes[1, 1])
    let length = chosen.length
    return length > 0 ? (1 / length) * chosen : nil
  }

  /// The length of the horizontal part of a unit vector below which it has no useful heading.
  private static let leastLevel = 0.5

  /// Returns the pose at `time`, between this one and `next`.
  func interpolated(to next: TimedPose, at time: Timestamp) -> TimedPose {
    let whole = next.time.seconds(since: self.time)
    let share = whole > 0 ? min(1, max(0, time.seconds(since: self.time) / whole)) : 1
    var turned = attitude ?? next.attitude
    if let own = attitude, let other = next.attitude {
      turned = own.turned(towards: other, by: share)
    }
    return TimedPose(
      time: time, position: position + share * (next.position - position), attitude: turned)
  }
}

/// The assumed errors of poses from visual odometry.
///
/// The world of visual odometry drifts against the real one while the device moves: every metre adds
/// an error of the position and of the heading, and distances have a scale error. The vertical is
/// known from gravity.
public struct PoseErrors: Sendable, Equatable, Codable {
  /// Standard deviation of the drift in each direction after one metre, m/√m.
  ///
  /// 0.02: with the heading's drift about 1 % of a path of 10 m.
  public var distanceNoise = 0.02
  /// Standard deviation of the heading's drift after one metre, rad/√m.
  ///
  /// 0.003: half a degree in 10 m, 1.7° in 100 m.
  public var headingNoise = 0.003
  /// Standard deviation of the scale error of all distances.
  ///
  /// 0.01, the accuracy of scale of visual-inertial odometry.
  public var scaleSigma = 0.01

  /// Creates the default errors.
  public init() {}

  /// The errors as those of odometry whose heading is known but for that of the world frame.
  package var odometry: OdometryErrors {
    var errors = OdometryErrors()
    errors.distanceNoise = distanceNoise
    errors.scaleSigma = scaleSigma
    // A walking person makes about a metre in a second.
    errors.headingNoise = headingNoise
    errors.driftSigma = 1e-4
    errors.turnNoise = 0
    return errors
  }
}
