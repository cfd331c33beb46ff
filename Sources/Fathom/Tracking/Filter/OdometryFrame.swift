/// The frame of odometry, such as that of poses, in the world frame of the anchors.
///
/// A position q of the odometry is at t + R q, with the rotation R by ``heading`` about the vertical and
/// the ``translation`` t. The frame drifts with the odometry.
public struct OdometryFrame: Sendable, Equatable {
  /// The heading of the x axis, counter-clockwise from that of the world frame.
  public var heading: Angle
  /// Standard deviation of ``heading``.
  public var headingSigma: Angle
  /// The place of the origin, metres.
  public var translation: Vector<3>
  /// The covariance of the place of the pose from which the frame was found, m².
  ///
  /// That of the translation also has the error of the heading times the distance of the pose from the
  /// origin.
  public var covariance: Matrix<3, 3>
}

extension Tracker {
  /// Returns the frame of the odometry that the tracker follows.
  ///
  /// - Parameter pose: A pose of the tag in that frame; its attitude is not used. The frame is that at its
  ///   time, or at the last measurement if that is later.
  /// - Returns: The frame; nil before the start, without ``TrackerConfiguration/odometry``, and while the
  ///   heading is unknown.
  public func odometryFrame(with pose: TimedPose) -> OdometryFrame? {
    guard hasStarted, let radians = leading.mixture.odometryHeading,
      let estimate = estimate(at: max(pose.time, time))
    else { return nil }
    let heading = Angle(radians: radians)
    let (cosine, sine) = (heading.cosine, heading.sine)
    let place = pose.position
    return OdometryFrame(
      heading: heading,
      headingSigma: Angle(radians: max(0, leading.mixture.odometryHeadingVariance).squareRoot()),
      translation: Vector([
        estimate.position[0] - (cosine * place[0] - sine * place[1]),
        estimate.position[1] - (sine * place[0] + cosine * place[1]),
        estimate.position[2] - place[2],
      ]), covariance: estimate.covariance)
  }
}
