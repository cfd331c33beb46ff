/// Where a tag is believed to be at one instant.
public struct TrackEstimate: Sendable, Equatable {
  /// The instant.
  public var time: Timestamp
  /// Position in the world frame, metres.
  public var position: Vector<3>
  /// Velocity in the world frame, m/s.
  public var velocity: Vector<3>
  /// Covariance of the position, m²; zero along z where the height was given.
  public var covariance: Matrix<3, 3>
  /// How the estimate came about.
  public var status: Status

  /// How an estimate came about.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Supported by ranges.
    case tracking
    /// Supported by ranges, but the mirror image behind the anchors explains them as well.
    case ambiguous
    /// Carried on without ranges, for longer than ``TrackerConfiguration/coastAfter`` or over an
    /// interruption; the covariance grows.
    case coasting
  }
}
