/// The estimated state of a tag at one instant.
public struct TrackEstimate: Sendable, Equatable, Codable {
  /// The instant.
  public var time: Timestamp
  /// Position in the world frame, metres.
  public var position: Vector<3>
  /// Velocity in the world frame, m/s.
  public var velocity: Vector<3>
  /// Covariance of the error of the position, in m²; zero along z for an exact height.
  ///
  /// It reaches the other places of the tag that the measurements leave open, by their probability.
  public var covariance: Matrix<3, 3>
  /// The status of the estimate.
  public var status: Status
  /// The likeliest other position in metres, such as the mirror image, while the status is
  /// ``Status/ambiguous``; nil otherwise.
  public var alternative: Vector<3>?

  /// Creates an estimate.
  package init(
    time: Timestamp, position: Vector<3>, velocity: Vector<3>, covariance: Matrix<3, 3>,
    status: Status, alternative: Vector<3>? = nil
  ) {
    (self.time, self.position, self.velocity) = (time, position, velocity)
    (self.covariance, self.status, self.alternative) = (covariance, status, alternative)
  }

  /// The basis of an estimate.
  public enum Status: String, Sendable, Hashable, CaseIterable, Codable {
    /// Supported by ranges.
    case tracking
    /// Supported by ranges, but another place explains them, such as the mirror image, with odds against it
    /// below 400 to 1: see ``alternative``.
    case ambiguous
    /// Predicted without ranges for longer than ``TrackerConfiguration/coastAfter`` or over an
    /// interruption; the covariance grows.
    case coasting
  }
}
