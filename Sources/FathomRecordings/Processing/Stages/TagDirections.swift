import Fathom

/// Converts the directions to anchors that a tag measured into measurements in the world frame, using
/// the tag's attitude.
struct TagDirections: Sendable {
  private let attitudes: AttitudeTrack
  private let frame: DeviceFrame
  private let sigma: Angle
  /// Number of ranges with a direction and a known attitude.
  private(set) var found = 0
  /// Number of ranges with a direction but no known attitude.
  private(set) var missing = 0

  /// Creates the directions of a tag with these attitudes, in the frame and with the errors of
  /// `settings`.
  init(_ attitudes: AttitudeTrack, _ settings: ProcessingSettings) {
    self.attitudes = attitudes
    frame = settings.deviceFrame ?? .phone
    sigma = Angle(radians: settings.angleSigmaRad)
  }

  /// Returns the direction in row `index` of `ranges`; nil if the row has none, or the attitude is
  /// unknown.
  mutating func direction(at index: Int, of ranges: RangeColumns) -> DirectionMeasurement? {
    let angles = ranges.deviceAngles(at: index, in: frame)
    guard angles.azimuth != nil || angles.elevation != nil else { return nil }
    let time = ranges.time[index]
    guard let attitude = attitudes.attitude(at: time) else {
      missing += 1
      return nil
    }
    found += 1
    return DirectionMeasurement(
      time: time, anchor: Int(ranges.anchor[index]), azimuth: angles.azimuth,
      elevation: angles.elevation, attitude: frame.rightUpBack(attitude), sigma: sigma)
  }
}
