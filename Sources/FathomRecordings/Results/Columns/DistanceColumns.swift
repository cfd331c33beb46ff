import Fathom

/// Smoothed distances and what was decided about each range; NaN where a number is not determined.
public struct DistanceColumns: Sendable {
  /// When each range was measured.
  public var time: [Timestamp] = []
  /// Names of the tags.
  public var tag: [String] = []
  /// Names of the anchors or accessories.
  public var anchor: [String] = []
  /// Measured distance, metres.
  public var distance: [Double] = []
  /// Smoothed distance, metres.
  public var smoothed: [Double] = []
  /// Standard deviation of the smoothed distance, metres.
  public var sigma: [Double] = []
  /// Verdict of the ``MeasurementQualityEstimator``.
  public var quality: [MeasurementQuality] = []
  /// The innermost zone that the smoothed distance is in.
  public var zone: [Zone] = []
  /// Azimuth, radians: as recorded, otherwise from the direction, positive to the right.
  public var azimuth: [Double] = []
  /// Elevation, radians: as recorded, otherwise from the direction.
  public var elevation: [Double] = []
  /// What the position method made of the range.
  public var decision: [Decision] = []

  /// The zones of the preset of ``ProximityZones``.
  public enum Zone: String, Sendable, Hashable, CaseIterable {
    /// Within the smaller radius.
    case inner
    /// Within the larger radius only.
    case outer
    /// In neither.
    case outside
  }

  /// What was made of a range.
  public enum Decision: String, Sendable, Hashable, CaseIterable {
    /// It went into a position, or, without anchors, into the smoothed distance.
    case used
    /// It went in with less than half its weight.
    case discounted
    /// It went in with less than half its weight, being so much too long that it came on a detour.
    case nonLineOfSight = "nlos"
    /// It came before the position was determined, and helped to determine it.
    case starting
    /// It repeats a range of the same link and instant.
    case duplicate
    /// It did not go into any position.
    case unused
  }
}

/// What came of one range.
struct RangeResult: Sendable {
  /// Smoothed distance and its standard deviation, metres, NaN where there is none.
  var smoothed: Double
  var sigma: Double
  var quality: MeasurementQuality
  var zone: DistanceColumns.Zone
  /// What the position method made of it, as far as it knows at once.
  var decision: DistanceColumns.Decision
}

extension DistanceColumns {
  /// What came of the range at `index`.
  func result(at index: Int) -> RangeResult {
    RangeResult(
      smoothed: smoothed[index], sigma: sigma[index], quality: quality[index], zone: zone[index],
      decision: decision[index])
  }
}
