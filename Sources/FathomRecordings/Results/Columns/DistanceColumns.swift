import Fathom

/// Smoothed distances, with the decision about each range; NaN marks an undetermined number.
public struct DistanceColumns: Sendable {
  /// The instant at which each range was measured.
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
  /// The verdict of the `MeasurementQualityEstimator`.
  public var quality: [MeasurementQuality] = []
  /// The innermost zone that contains the smoothed distance.
  public var zone: [Zone] = []
  /// Azimuth, radians, positive to the right: as recorded, otherwise computed from the direction.
  public var azimuth: [Double] = []
  /// Elevation, radians: as recorded, otherwise computed from the direction.
  public var elevation: [Double] = []
  /// How the position method used the range.
  public var decision: [Decision] = []

  /// The zones of the default `ProximityZones`.
  public enum Zone: UInt8, ResultWord {
    /// Within the smaller radius.
    case inner
    /// Between the smaller and the larger radius.
    case outer
    /// Beyond the larger radius.
    case outside

    /// The words of all cases, in the order of their codes.
    public static let words = ["inner", "outer", "outside"]
  }

  /// How a range was used.
  public enum Decision: UInt8, ResultWord {
    /// The range contributed to a position or, without anchors, to the smoothed distance.
    case used
    /// The range contributed with less than half its weight.
    case discounted
    /// The range contributed with less than half its weight; it is so much too long that it
    /// probably arrived by a reflected path.
    case nonLineOfSight
    /// The range arrived before the first position and contributed to it.
    case starting
    /// The range repeats another range of the same link and instant.
    case duplicate
    /// The range contributed to no position.
    case unused

    /// The words of all cases, in the order of their codes.
    public static let words = ["used", "discounted", "nlos", "starting", "duplicate", "unused"]
  }
}

extension DistanceColumns.Decision {
  /// The decision of the filter that updated a track with the range.
  init(_ outcome: TrackUpdate.Outcome) {
    self =
      switch outcome {
      case .used: .used
      case .discounted: .discounted
      case .starting, .started: .starting
      case .duplicate: .duplicate
      case .late, .invalid: .unused
      }
  }

  /// The decision of the smoother.
  init(_ verdict: RangeVerdict) {
    self =
      switch verdict {
      case .used: .used
      case .discounted: .discounted
      case .nonLineOfSight: .nonLineOfSight
      case .duplicate: .duplicate
      case .invalid: .unused
      }
  }
}

/// The result for one range.
struct RangeResult: Sendable {
  /// Smoothed distance and its standard deviation, metres; NaN if undetermined.
  var smoothed: Double
  var sigma: Double
  var quality: MeasurementQuality
  var zone: DistanceColumns.Zone
  /// How the position method used the range, as far as it is known when the range is processed.
  var decision: DistanceColumns.Decision
}

extension DistanceColumns {
  /// Returns the row at `index`, with the indices of its names.
  func row(at index: Int, tag: Int, anchor: Int) -> DistanceRow {
    DistanceRow(
      time: time[index], tag: Int32(tag), anchor: Int32(anchor), distance: distance[index],
      result: RangeResult(
        smoothed: smoothed[index], sigma: sigma[index], quality: quality[index],
        zone: zone[index], decision: decision[index]),
      azimuth: azimuth[index], elevation: elevation[index])
  }

  /// Appends a row with the names `tag` and `anchor`.
  mutating func append(_ row: DistanceRow, tag: String, anchor: String) {
    time.append(row.time)
    self.tag.append(tag)
    self.anchor.append(anchor)
    distance.append(row.distance)
    smoothed.append(row.result.smoothed)
    sigma.append(row.result.sigma)
    quality.append(row.result.quality)
    zone.append(row.result.zone)
    azimuth.append(row.azimuth)
    elevation.append(row.elevation)
    decision.append(row.result.decision)
  }
}
