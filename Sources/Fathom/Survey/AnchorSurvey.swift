import RealModule

/// Finds the positions of anchors that nobody has surveyed, from what a tag measured on a walk among
/// them, from ranges between anchors, and from the anchors whose positions are known.
///
/// With enough known anchors the tag's track is computed from those. Where an unknown anchor has ranges,
/// the tag's positions play the part of anchors, and the anchor that of a tag. All anchors that are found
/// so join the known ones, until none is left. At the end all unknown positions and the whole track are
/// one estimate (``TrackSmoother``), so that covariances contain the errors of both.
///
/// Without enough known anchors the ranges between anchors give the layout's shape. Its place and
/// heading are then a convention, the ``Gauge``.
///
/// What the data do not determine is reported as undetermined or ambiguous, never guessed.
public struct AnchorSurvey: Sendable {
  /// What is known of an anchor's position.
  public enum Site: Sendable, Equatable {
    /// Surveyed, with the errors of its ranges.
    case known(Anchor)
    /// To be found; the height may be known, in metres.
    case unknown(height: Double?)
  }

  /// A range between two anchors.
  public struct AnchorRange: Sendable, Equatable {
    /// Indices of both anchors; the order does not matter.
    public var anchors: (Int, Int)
    /// Metres.
    public var distance: Double

    /// Creates a range between the anchors `first` and `second`.
    public init(_ first: Int, _ second: Int, distance: Double) {
      anchors = (first, second)
      self.distance = distance
    }

    /// Returns whether both are of the same anchors in the same order and of the same distance.
    public static func == (left: Self, right: Self) -> Bool {
      left.anchors == right.anchors && left.distance == right.distance
    }
  }

  /// An anchor after the survey.
  public struct Found: Sendable, Equatable {
    /// The anchor as it was given, or at the position that was found, with the largest standard deviation
    /// of a coordinate; nil without a unique position.
    public var anchor: Anchor?
    /// Metres; nil if it is undetermined; of an ambiguous anchor the likelier one.
    public var position: Vector<3>?
    /// The covariance of the position, m²; zero in known coordinates, nil without a position.
    public var covariance: Matrix<3, 3>?
    /// Another position that fits as well; nil without one.
    public var alternative: Vector<3>?
    /// Number of ranges that tags measured to the anchor.
    public var rangeCount: Int
    /// What the data determine.
    public var verdict: Verdict
  }

  /// What the data determine of an anchor.
  public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
    /// It was surveyed before.
    case known
    /// It was found.
    case found
    /// A second position fits as well.
    case ambiguous
    /// The data do not determine a position.
    case undetermined
  }

  /// The frame of the positions.
  public enum Gauge: Sendable, Equatable {
    /// That of the known anchors.
    case known
    /// The first anchor is the origin, the second lies on the x axis, the third has a positive y: ranges
    /// determine the shape of the layout, neither its place nor its heading, nor which of both mirror
    /// images it is.
    case shape(origin: Int, axis: Int, side: Int)
  }

  /// The result of a survey.
  public struct Result: Sendable, Equatable {
    /// The anchors, in the order of the sites.
    public var anchors: [Found]
    /// The frame of the positions.
    public var gauge: Gauge
    /// The bias of all ranges of tags in metres that the known anchors show, and that was taken off; 0
    /// without one.
    public var bias = 0.0
  }

  /// The anchors.
  public let sites: [Site]
  /// The assumptions about tags and ranges.
  public let configuration: Tracker.Configuration

  /// Creates the survey of `sites`.
  ///
  /// A height in `configuration` is that of the tags: it makes the survey possible where anchors hang
  /// in one plane.
  public init(_ sites: [Site], configuration: Tracker.Configuration = Tracker.Configuration()) {
    self.sites = sites
    self.configuration = configuration
  }

  /// Standard deviation beyond which a coordinate counts as undetermined, metres.
  ///
  /// It is the size of the errors that a survey by tape would not make.
  static let greatestSigma = 1.0
  /// Number of places of the tag from which an anchor is located.
  private static let mostPlaces = 240
  private static let mostJointEstimates = 4

  /// Returns the positions of all anchors.
  ///
  /// - Parameters:
  ///   - tracks: The ranges of each tag, in order of time; tags move among the anchors.
  ///   - anchorRanges: Ranges between anchors, where there are some.
  /// - Returns: The anchors, and the frame of their positions.
  /// - Throws: ``SurveyError`` if neither known anchors nor ranges between anchors are enough to begin.
  ///
  /// ## Cost
  /// That of a few smoothed tracks.
  public func result(
    tracks: [[RangeMeasurement]], anchorRanges: [AnchorRange] = []
  ) throws(SurveyError) -> Result {
    var places = sites.map(Place.init)
    var gauge = Gauge.known
    let calibration = calibration(on: tracks)
    let tracks = calibration.map { Self.corrected(tracks, by: $0) } ?? tracks
    if places.contains(where: { !$0.isKnown }) {
      let shape = AnchorShape(
        anchorRanges, sites: sites, rangeSigma: configuration.errors.sigma)
      if let frame = try shape.place(&places) {
        gauge = frame
        // The shape is itself what is known beforehand: one estimate, not one after the other.
        _ = estimateJointly(&places, tracks)
        places.turn(into: frame)
      } else {
        locate(&places, from: tracks)
      }
    }
    let counts = tracks.joined().reduce(into: [Int](repeating: 0, count: sites.count)) {
      if sites.indices.contains($1.anchor) { $0[$1.anchor] += 1 }
    }
    if !places.contains(where: { $0.anchor != nil }) { throw .nothingKnown }
    return Result(
      anchors: zip(places, counts).map { $0.found(rangeCount: $1) }, gauge: gauge,
      bias: calibration?.bias ?? 0)
  }

  // MARK: Common errors

  /// Returns the calibration of the tags' ranges among the known anchors; nil with too few of them for a
  /// contradiction.
  private func calibration(on tracks: [[RangeMeasurement]]) -> TrackerCalibration? {
    var indices = [Int?](repeating: nil, count: sites.count)
    var anchors: [Anchor] = []
    for (index, site) in sites.enumerated() {
      guard case .known(let anchor) = site else { continue }
      indices[index] = anchors.count
      anchors.append(anchor)
    }
    let fewest = configuration.exactHeight == nil ? 4 : 3
    guard anchors.count > fewest, anchors.count < sites.count else { return nil }
    // The tag with most ranges.
    let ranged = tracks.map { Self.renumbered($0, by: indices) }.max { $0.count < $1.count }
    return ranged.map {
      TrackerCalibration.calibrated(on: $0, anchors: anchors, from: configuration)
    }
  }

  /// Returns `tracks` without the bias and the scale of `calibration`.
  private static func corrected(
    _ tracks: [[RangeMeasurement]], by calibration: TrackerCalibration
  ) -> [[RangeMeasurement]] {
    guard calibration.bias != 0 || calibration.scale != 0 else { return tracks }
    let link = calibration.common(to: Anchor(position: .zero))
    return tracks.map { ranges in
      ranges.map { range in
        var range = range
        range.distance = max(0.001, link.corrected(range.distance))
        return range
      }
    }
  }

  // MARK: From the tracks of tags

  /// Locates all unknown anchors that the tracks determine.
  private func locate(_ places: inout [Place], from tracks: [[RangeMeasurement]]) {
    while let found = oneMoreRound(&places, tracks), found {}
    guard places.contains(where: \.isJoint) else { return }
    for _ in 0..<Self.mostJointEstimates {
      guard estimateJointly(&places, tracks) > 1e-3 else { return }
    }
  }

  /// Locates the anchors that tracks among the located ones determine; returns whether one was found,
  /// and nil if all have been.
  private func oneMoreRound(_ places: inout [Place], _ tracks: [[RangeMeasurement]]) -> Bool? {
    let located = places.map(\.anchor)
    guard located.contains(where: { $0 == nil }) else { return nil }
    var sightings = [[Sighting]](repeating: [], count: places.count)
    for ranges in tracks {
      guard let smoothed = smoothed(ranges, among: located) else { continue }
      for range in ranges where sites.indices.contains(range.anchor) && located[range.anchor] == nil
      {
        guard let estimate = smoothed.estimate(at: range.time, configuration: configuration),
          estimate.status == .tracking
        else { continue }
        let spread =
          (estimate.covariance[0, 0] + estimate.covariance[1, 1] + estimate.covariance[2, 2]) / 2
        guard spread < Self.greatestSigma * Self.greatestSigma else { continue }
        sightings[range.anchor].append(
          Sighting(place: estimate.position, distance: range.distance, variance: spread))
      }
    }
    var isFound = false
    for (anchor, seen) in sightings.enumerated() where !seen.isEmpty {
      if let fix = fix(of: seen, height: places[anchor].height) {
        places[anchor].adopt(fix)
        if places[anchor].anchor != nil { isFound = true }
      }
    }
    return isFound
  }

  /// A range to an unknown anchor from an estimated position.
  private struct Sighting {
    var place: Vector<3>
    var distance: Double
    var variance: Double
  }

  private func smoothed(
    _ ranges: [RangeMeasurement], among located: [Anchor?]
  ) -> SmoothedTrack? {
    var indices: [Int?] = []
    var anchors: [Anchor] = []
    for anchor in located {
      indices.append(anchor == nil ? nil : anchors.count)
      if let anchor { anchors.append(anchor) }
    }
    return try? TrackSmoother(anchors: anchors, configuration: configuration)
      .smoothed(Self.renumbered(ranges, by: indices))
  }

  /// Returns the ranges to anchors that have a new index in `indices`, with it.
  private static func renumbered(
    _ ranges: [RangeMeasurement], by indices: [Int?]
  ) -> [RangeMeasurement] {
    ranges.compactMap { range in
      guard indices.indices.contains(range.anchor), let index = indices[range.anchor] else {
        return nil
      }
      var range = range
      range.anchor = index
      return range
    }
  }

  private func fix(of seen: [Sighting], height: Double?) -> PositionFix<3>? {
    // Places that are spread over the walk: more of them at one place say nothing new.
    let step = max(1, seen.count / Self.mostPlaces)
    let chosen = stride(from: 0, to: seen.count, by: step).map { seen[$0] }
    var options = PositionOptions()
    options.height = height
    // The anchor is on the other side of the tag's places.
    options.side = configuration.side.map { $0 == .below ? .above : .below }
    options.prefersLowerImage = false
    let sigma = configuration.errors.sigma
    return try? Trilateration.solve(
      ranges: chosen.map(\.distance), anchors: chosen.map(\.place),
      sigmas: chosen.map { ($0.variance + sigma * sigma).squareRoot() }, options: options)
  }

  // MARK: The joint estimate

  /// Estimates the found anchors and the tracks together, with the tracks of all tags; returns the
  /// largest change of a position, metres.
  private func estimateJointly(_ places: inout [Place], _ tracks: [[RangeMeasurement]]) -> Double {
    let before = places
    var sums = before.map { AnchorInformation($0.prior) }
    let anchors = before.map(\.uncertain)
    for ranges in tracks {
      guard let track = smoothed(ranges, among: anchors) else { continue }
      var index = 0
      for (place, anchor) in anchors.enumerated() where anchor != nil {
        if before[place].isJoint, let found = track.anchorPositions[index] {
          sums[place].add(found)
        }
        index += 1
      }
    }
    var change = 0.0
    for index in places.indices where before[index].isJoint {
      guard let found = sums[index].estimate else { continue }
      change = max(change, (found.mean - (before[index].anchor?.position ?? found.mean)).length)
      places[index].adopt(found)
    }
    return change
  }
}

/// Why a survey cannot begin.
public enum SurveyError: Error, Equatable, CustomStringConvertible {
  /// Fewer than three anchors are known, and there are no ranges between anchors.
  case nothingKnown
  /// The ranges between anchors do not determine the shape of the layout.
  case shapeUndetermined(pairs: Int, needed: Int)
  /// Some heights are known and others not, and too few anchors are known for a track.
  case heightsIncomplete

  /// What is missing, and what to do.
  public var description: String {
    switch self {
    case .nothingKnown:
      "too few anchors have positions for a track of the tag: give those of at least three that are"
        + " not on one line, or record ranges between the anchors"
    case .shapeUndetermined(let pairs, let needed):
      "the ranges between anchors do not determine their layout: \(pairs) pairs are measured, at least"
        + " \(needed) in a rigid arrangement are needed"
    case .heightsIncomplete:
      "the layout can be found from ranges between anchors if all heights are known, or none: give z"
        + " for all anchors"
    }
  }
}
