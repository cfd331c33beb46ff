import Fathom

/// Converts the directions to anchors that a tag measured into observations in the world frame,
/// using the tag's attitude.
struct TagDirections: Sendable {
  /// A direction and the attitude of the tag at the same instant.
  struct Observation {
    /// The axes right, up and back of the tag, as columns in the world frame.
    var axes: Matrix<3, 3>
    /// Azimuth, positive to the right; nil if it was not measured.
    var azimuth: Angle?
    var elevation: Angle?
  }

  private let attitudes: AttitudeTrack
  private let frame: DeviceFrame
  /// Standard deviation of angles, radians.
  let sigma: Double
  private let options: RangesAndAngles.Options
  /// Number of ranges with a direction and a known attitude.
  private(set) var found = 0
  /// Number of ranges with a direction but no known attitude.
  private(set) var missing = 0

  /// Creates the directions of a tag with these attitudes.
  ///
  /// - Parameters:
  ///   - attitudes: the attitudes of the tag.
  ///   - settings: the frame of the directions, and the errors of directions and heading.
  ///   - positions: the options for positions from ranges, which ``fix(_:within:)`` also uses.
  init(
    _ attitudes: AttitudeTrack, _ settings: ProcessingSettings,
    positions: Trilateration.Options = Trilateration.Options()
  ) {
    self.attitudes = attitudes
    frame = settings.deviceFrame ?? .phone
    sigma = settings.angleSigmaRad
    var options = RangesAndAngles.Options()
    options.height = positions.height
    options.heightSigma = positions.heightSigma
    options.side = positions.side
    options.headingSigma = settings.headingSigmaRad.map { Angle(radians: $0) }
    options.loss = positions.loss
    self.options = options
  }

  /// Returns the direction in row `index` of `ranges`; nil if the row has none, or the attitude is
  /// unknown.
  mutating func observation(at index: Int, of ranges: RangeColumns) -> Observation? {
    let angles = ranges.deviceAngles(at: index, in: frame)
    guard angles.azimuth != nil || angles.elevation != nil else { return nil }
    guard let attitude = attitudes.attitude(at: ranges.time[index]) else {
      missing += 1
      return nil
    }
    found += 1
    return Observation(
      axes: frame.rightUpBack(attitude), azimuth: angles.azimuth, elevation: angles.elevation)
  }

  /// Returns the position from the ranges and directions of one epoch; nil if a position, a
  /// standard deviation or the heading's standard deviation is invalid.
  ///
  /// - Parameters:
  ///   - samples: the measurements of each anchor; the standard deviations of ranges include those
  ///     of the survey.
  ///   - bounds: a box that chooses between two positions.
  /// - Returns: The fix, and the indices in `samples` of ranges with less than half their weight.
  func fix(
    _ samples: [FixSample], within bounds: PositionBounds<3>?
  ) -> (fix: PositionFix<3>, unused: [Int])? {
    let sightings = samples.map { sample in
      // At the measured distance, the survey error of the anchor also acts as an angle error.
      let surveyed = sample.surveySigma / max(sample.distance, sample.surveySigma, 1e-3)
      return Sighting.seen(
        from: sample.observation?.axes ?? .identity, of: sample.anchor, range: sample.distance,
        azimuth: sample.observation?.azimuth, elevation: sample.observation?.elevation,
        rangeSigma: sample.sigma,
        angleSigma: Angle(radians: (sigma * sigma + surveyed * surveyed).squareRoot()))
    }
    guard let result = try? RangesAndAngles.solve(sightings, within: bounds, options: options)
    else { return nil }
    let unused = samples.indices.filter { (result.fix.contributions[$0]?.weight ?? 0) < 0.5 }
    return (result.fix, unused)
  }
}

/// The newest range of one anchor, with the direction measured at the same time.
struct FixSample {
  var time: Timestamp
  /// Index of the anchor.
  var place: Int
  /// Position of the anchor, metres.
  var anchor: Vector<3>
  /// Distance corrected for the anchor's bias and scale, metres.
  var distance: Double
  /// Standard deviation of the distance including the survey error, metres.
  var sigma: Double
  /// The same if no other range shows that this one is wrong.
  var uncheckedSigma: Double
  /// Standard deviation of the anchor's position along one axis, metres.
  var surveySigma: Double
  /// Index of the range among those of the tag.
  var index: Int
  var observation: TagDirections.Observation?
}
