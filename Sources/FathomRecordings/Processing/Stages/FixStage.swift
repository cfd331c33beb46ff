import Fathom

/// Computes the positions of one tag with an `EpochLocator`: each epoch independently.
///
/// An epoch is solved at every instant with a range, or at every step of the requested grid. Directions
/// contribute if the tag measured them and its attitude is known.
package struct FixStage: PositionStage {
  private var locator: EpochLocator
  /// The directions measured by the tag; nil if its attitude is unknown.
  private(set) var directions: TagDirections?
  /// The time differences of a tag without ranges, in order of time, and how many of them were used.
  private var differences: [TimedDifference] = []
  private var nextDifference = 0
  /// The positions output since they were last returned, in order of time.
  private(set) var positions: [PositionRow] = []
  /// Number of epochs with too few ranges, or whose ranges leave a continuum of positions.
  private(set) var undetermined = 0
  /// How the ranges so far were used, in the order of arrival, without those that were returned.
  private(set) var decisions: [DistanceColumns.Decision] = []
  /// The instants of these ranges.
  private var instants: [Timestamp] = []
  /// Number of decisions that were returned.
  private var returned = 0

  init(
    anchors: [Anchor], height: Double?, heightSigma: Double? = nil, side: AnchorSide? = nil,
    bounds: PositionBounds<3>? = nil, window: Double, sigma: Double, loss: RobustLoss = .cauchy,
    errors: RangeErrorEstimate? = nil, bias: Double = 0
  ) {
    var configuration = EpochLocator.Configuration(errors: errors)
    configuration.options.height = height
    configuration.options.heightSigma = height == nil ? nil : heightSigma
    configuration.options.side = side
    configuration.options.rangeSigma = sigma
    configuration.options.loss = loss
    configuration.bounds = bounds
    configuration.window = window
    configuration.bias = bias
    locator = EpochLocator(among: anchors, validated: configuration)
  }

  /// Returns a stage that also uses measured heights, see `EpochLocator`.
  func withHeights(_ rows: [HeightMeasurement]) -> FixStage {
    guard !rows.isEmpty else { return self }
    var stage = configured { $0.heights = .estimated(from: rows) }
    for height in rows { stage.add(height) }
    return stage
  }

  /// Adds a height to the epochs near it.
  package mutating func add(_ height: HeightMeasurement) { locator.update(.height(height)) }

  /// Returns a stage that locates a tag without ranges from its time differences, in order of time.
  func withDifferences(_ differences: [TimedDifference]) -> FixStage {
    var stage = self
    stage.differences = differences
    stage.locator.differenceWindow = locator.configuration.differenceWindow(for: differences)
    return stage
  }

  /// Returns a stage that also uses the directions that the tag measured.
  ///
  /// `settings` have the frame of the directions and the size of their errors.
  func withDirections(_ attitudes: AttitudeTrack, _ settings: ProcessingSettings) -> FixStage {
    var stage = configured {
      $0.options.headingSigma = settings.headingSigmaRad.map { Angle(radians: $0) }
    }
    stage.directions = TagDirections(attitudes, settings)
    return stage
  }

  /// Returns a stage without measurements whose configuration `change` has changed.
  private func configured(_ change: (inout EpochLocator.Configuration) -> Void) -> FixStage {
    var stage = self
    var configuration = locator.configuration
    change(&configuration)
    stage.locator = EpochLocator(among: locator.anchors, validated: configuration)
    return stage
  }

  /// Returns the positions output since the last call, in order of time.
  package mutating func removePositions() -> [PositionRow] { positions.removed() }

  /// Adds a range to the epoch.
  @discardableResult
  package mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    locator.process(distance: distance, sigma: sigma, anchor: anchor, at: time)
    decisions.append(.unused)
    instants.append(time)
    return .unused
  }

  package var lateDecisions: [DistanceColumns.Decision]? { decisions }

  package var takesDirections: Bool { directions != nil }

  package func findings(of tag: String, anchorNames: [String]) -> StageFindings {
    var findings = StageFindings()
    findings.undetermined = undetermined
    findings.directionCounts = directions.map { ($0.found, $0.missing) }
    return findings
  }

  /// Adds the direction in row `index` of `ranges` to the range that was added last.
  package mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    guard let direction = directions?.direction(at: index, of: ranges) else { return }
    locator.update(direction)
  }

  /// Returns how ranges were used that no epoch from `time` on contains, in the order of arrival.
  ///
  /// Each is returned once; all remaining ones without a time.
  package mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision] {
    let window = locator.configuration.window
    let count =
      time.map { time in instants.firstPlace { time.seconds(since: $0) <= window } }
      ?? decisions.count
    defer {
      decisions.removeFirst(count)
      instants.removeFirst(count)
      returned += count
    }
    return Array(decisions[..<count])
  }

  /// Solves the epoch that ends at `time`.
  package mutating func emit(at time: Timestamp) {
    while nextDifference < differences.count, differences[nextDifference].time <= time {
      locator.update(.difference(differences[nextDifference]))
      nextDifference += 1
    }
    guard let epoch = locator.solve(at: time) else {
      if !differences.isEmpty { undetermined += 1 }
      return
    }
    guard let row = PositionRow(epoch) else {
      undetermined += 1
      return
    }
    positions.append(row)
    for place in epoch.ranges.indices where epoch.isUsed(place) {
      decisions[epoch.ranges[place].ordinal - returned] = .used
    }
  }
}

extension PositionRow {
  /// Creates the row of an epoch; nil if its measurements determine no position.
  fileprivate init?(_ epoch: EpochFix) {
    guard let position = epoch.fix.position else { return nil }
    let isAmbiguous = epoch.isAmbiguous
    self.init(
      time: epoch.time, position: position, covariance: epoch.covariance ?? .undetermined,
      used: epoch.used, rejected: epoch.count - epoch.used,
      alternative: isAmbiguous ? epoch.fix.alternative : nil,
      status: epoch.fix.verdict == .inconsistent ? .inconsistent : isAmbiguous ? .ambiguous : .fix)
  }
}
