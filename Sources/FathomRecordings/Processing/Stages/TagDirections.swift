import Fathom

/// The directions that a tag of known attitude measured of anchors, on their way to its positions.
struct TagDirections: Sendable {
  /// A direction and how the tag was held when it was measured.
  struct Observation {
    /// The axes right, up and back of the tag as columns in the world.
    var axes: Matrix<3, 3>
    /// Positive to the right; nil where it was not measured.
    var azimuth: Angle?
    var elevation: Angle?
  }

  private let attitudes: AttitudeTrack
  private let frame: DeviceFrame
  /// Standard deviation of angles, radians.
  let sigma: Double
  private let options: RangesAndAngles.Options
  /// Ranges with a direction that found an attitude.
  private(set) var found = 0
  /// Ranges with a direction whose attitude is not known.
  private(set) var missing = 0

  /// The sightings of a tag with these attitudes.
  ///
  /// - Parameters:
  ///   - attitudes: how the tag was held.
  ///   - settings: the frame of its directions, their errors and those of its heading.
  ///   - positions: what is known of positions, for ranges alone; for ``fix(_:within:)``.
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
    options.headingSigma = settings.headingSigmaRad.map { Angle(radians: $0) }
    options.loss = positions.loss
    self.options = options
  }

  /// The direction that row `index` of `ranges` measured; nil where it has none, or nobody knows how the
  /// tag was held.
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

  /// The position from the ranges and directions of one epoch; nil where their errors are none.
  ///
  /// - Parameters:
  ///   - samples: what was measured of each anchor; the errors of ranges include those of the survey.
  ///   - bounds: a box that chooses between two positions.
  /// - Returns: The fix, and the places in `samples` whose ranges did not count.
  func fix(
    _ samples: [FixSample], within bounds: PositionBounds<3>?
  ) -> (fix: PositionFix<3>, unused: [Int])? {
    let sightings = samples.map { sample in
      // At the distance measured the survey's error is one of the direction too.
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

/// The newest range of one anchor, with the direction that was measured with it.
struct FixSample {
  var time: Timestamp
  /// Where the anchor is.
  var anchor: Vector<3>
  /// The distance without the anchor's bias and scale, metres.
  var distance: Double
  /// Its standard deviation, that of the survey included, metres.
  var sigma: Double
  /// Standard deviation of the anchor's position along one axis, metres.
  var surveySigma: Double
  /// Its place among the ranges of the tag.
  var index: Int
  var observation: TagDirections.Observation?
}
