import Fathom

/// Computes the positions of one tag, each epoch independently.
///
/// An epoch contains the newest range of each anchor that is within the window. It is solved at
/// every instant with a range, or at every step of the requested grid. Directions contribute if the
/// tag measured them and its attitude is known.
package struct FixStage: PositionStage {
  private let anchors: [Anchor]
  private let options: Trilateration.Options
  private let bounds: PositionBounds<3>?
  private let window: Double
  private let sigma: Double
  /// Standard deviation of ranges without their own that no other range checks, metres.
  private let uncheckedSigma: Double
  /// The errors of the ranges; nil if they are as configured.
  private let errors: RangeErrorEstimate?
  /// The known bias of all ranges, metres.
  private let bias: Double
  /// Measured heights in order of time, with their errors.
  private var heights: (rows: [HeightMeasurement], errors: HeightErrors)?
  /// The newest range of each anchor that can still be in the window, in the order of the anchors.
  private var newest: [FixSample] = []
  /// The directions measured by the tag; nil if its attitude is unknown.
  private(set) var directions: TagDirections?
  /// The time differences of a tag without ranges, in order of time, and how many of them were used.
  private var differences: [TimedDifference] = []
  private var nextDifference = 0
  /// Those of the last instants, which determine a position together, and the time that they span.
  private var epoch: [TimedDifference] = []
  private var reach = 0.0
  /// The positions output since they were last returned, in order of time.
  private(set) var positions: [PositionRow] = []
  /// The last position without an alternative, metres.
  private var lastFix: Vector<3>?
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
    bounds: PositionBounds<3>? = nil, window: Double, sigma: Double,
    loss: RobustLoss = .cauchy, errors: RangeErrorEstimate? = nil,
    bias: Double = 0
  ) {
    self.anchors = anchors
    self.errors = errors
    self.bias = bias
    self.window = window
    self.sigma = sigma
    // A given standard deviation is that of all ranges.
    uncheckedSigma = errors.flatMap { $0.sigma == sigma ? $0.wholeSigma : nil } ?? sigma
    var options = Trilateration.Options()
    options.height = height
    options.heightSigma = height == nil ? nil : heightSigma
    options.side = side
    self.bounds = bounds
    options.rangeSigma = sigma
    options.loss = loss
    if let errors { options.outliers = errors.outliers }
    self.options = options
  }

  /// Returns a stage that also uses measured heights.
  ///
  /// A height within ``heightReach`` of an epoch is known in it with its standard deviation, unless
  /// the height of the tag is known anyway, or contradicts the ranges.
  func withHeights(_ rows: [HeightMeasurement]) -> FixStage {
    guard options.height == nil, !rows.isEmpty else { return self }
    var stage = self
    stage.heights = (rows, rows.errors())
    return stage
  }

  /// Replaces the heights by the newest one.
  package mutating func add(_ height: HeightMeasurement) {
    guard options.height == nil else { return }
    heights = ([height], heights?.errors ?? HeightErrors())
  }

  /// Returns a stage that locates a tag without ranges from its time differences, in order of time.
  func withDifferences(_ differences: [TimedDifference]) -> FixStage {
    var stage = self
    stage.differences = differences
    stage.reach = window > 0 ? window : differences.epochWindow(unknowns: isPlane ? 2 : 3)
    return stage
  }

  /// The longest time between a height and an epoch that uses it, seconds.
  private static let heightReach = 0.5

  /// Returns the options for an epoch at `time`: with the nearest measured height.
  private func options(at time: Timestamp) -> Trilateration.Options {
    guard let heights else { return options }
    let place = heights.rows.firstPlace { $0.time >= time }
    let near = [place - 1, place].filter(heights.rows.indices.contains).map { heights.rows[$0] }
    func distance(_ height: HeightMeasurement) -> Double {
      height.time.seconds(since: time).magnitude
    }
    guard let height = near.min(by: { distance($0) < distance($1) }),
      distance(height) <= Self.heightReach
    else { return options }
    var result = options
    result.height = height.height
    result.heightSigma = heights.errors.sigma(of: height)
    return result
  }

  /// Returns a stage that also uses the directions that the tag measured.
  ///
  /// - Parameters:
  ///   - attitudes: the attitudes of the tag.
  ///   - settings: the frame of the directions and the size of their errors.
  /// - Returns: The stage.
  func withDirections(_ attitudes: AttitudeTrack, _ settings: ProcessingSettings) -> FixStage {
    var stage = self
    stage.directions = TagDirections(attitudes, settings, positions: options)
    return stage
  }

  /// Returns the positions output since the last call, in order of time.
  package mutating func removePositions() -> [PositionRow] { positions.removed() }

  /// Adds a range to the epoch.
  @discardableResult
  package mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision {
    let surveyed = anchors[anchor].positionSigma ?? 0
    let (own, unchecked) = (sigma ?? self.sigma, sigma ?? uncheckedSigma)
    let known = anchors[anchor].corrected(distance) - bias
    let sample = FixSample(
      time: time, place: anchor, anchor: anchors[anchor].position,
      distance: errors?.corrected(known, of: anchor) ?? known,
      sigma: (own * own + surveyed * surveyed).squareRoot(),
      uncheckedSigma: (unchecked * unchecked + surveyed * surveyed).squareRoot(),
      surveySigma: surveyed,
      index: returned + decisions.count)
    let place = newest.firstPlace { $0.place >= anchor }
    if place < newest.count, newest[place].place == anchor {
      newest[place] = sample
    } else {
      newest.insert(sample, at: place)
    }
    decisions.append(.unused)
    instants.append(time)
    return .unused
  }

  package var lateDecisions: [DistanceColumns.Decision]? { decisions }

  package var takesDirections: Bool { directions != nil }

  package func findings(anchorNames: [String]) -> StageFindings {
    var findings = StageFindings()
    findings.undetermined = undetermined
    findings.directionCounts = directions.map { ($0.found, $0.missing) }
    return findings
  }

  /// Returns how ranges were used that no epoch from `time` on contains, in the order of arrival.
  ///
  /// Each is returned once; all remaining ones without a time.
  package mutating func removeDecisions(before time: Timestamp?) -> [DistanceColumns.Decision] {
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

  /// Adds the direction in row `index` of `ranges` to the range that was added last.
  package mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    let anchor = Int(ranges.anchor[index])
    let place = newest.firstPlace { $0.place >= anchor }
    guard place < newest.count, newest[place].place == anchor else { return }
    newest[place].observation = directions?.observation(at: index, of: ranges)
  }

  /// Solves the epoch that ends at `time`.
  package mutating func emit(at time: Timestamp) {
    if !differences.isEmpty { return locate(at: time) }
    // A window of zero includes ranges of the same instant. Later epochs end later, so what is too
    // old now stays too old.
    newest.removeAll { time.seconds(since: $0.time) > window }
    let samples = newest
    guard !samples.isEmpty else { return }
    var found: (fix: PositionFix<3>, unused: [Int])?
    if let directions, samples.contains(where: { $0.observation != nil }) {
      found = directions.fix(samples, within: bounds)
    } else {
      let known = heights == nil ? options : options(at: time)
      var solution = fix(samples, known)
      // A height that contradicts the ranges may be that of another floor.
      if heights != nil, solution?.verdict == .inconsistent { solution = fix(samples, options) }
      found = solution.map { ($0, $0.discounted) }
    }
    if let lastFix, var other = found?.fix, let nearest = other.nearestAlternative(to: lastFix) {
      let unused = other.putFirst(nearest, of: samples, loss: options.loss)
      found = (other, unused)
    }
    if let errors { found?.fix.add(errors, of: samples) }
    guard let (fix, unused) = found,
      let row = fix.row(at: time, used: samples.count - unused.count, rejected: unused.count)
    else {
      undetermined += 1
      return
    }
    if row.status == .fix { lastFix = fix.position }
    for place in samples.indices where !unused.contains(place) {
      decisions[samples[place].index - returned] = .used
    }
    positions.append(row)
  }

  /// Returns the fix from the ranges of one epoch.
  private func fix(
    _ samples: [FixSample], _ options: Trilateration.Options
  ) -> PositionFix<3>? {
    let unknowns = options.height == nil || options.heightSigma != nil ? 3 : 2
    let isChecked = samples.count > unknowns
    var sigmas = samples.map { isChecked ? $0.sigma : $0.uncheckedSigma }
    func solved() -> PositionFix<3>? {
      try? Trilateration.solve(
        ranges: samples.map(\.distance), anchors: samples.map(\.anchor), sigmas: sigmas,
        within: bounds, options: options)
    }
    var result = solved()
    guard result?.verdict == .inconsistent, let position = result?.position else { return result }
    // Ranges that contradict each other err by as much as it takes to reconcile them. The position
    // they then have is the other explanation.
    var other: PositionFix<3>?
    for _ in 0..<Self.mostDoublings {
      sigmas = sigmas.map { 2 * $0 }
      guard let wider = solved(), wider.position != nil else { break }
      other = wider
      if wider.verdict != .inconsistent { break }
    }
    if let other, let agreed = other.position, var moment = other.covariance {
      let offset = agreed - position
      for row in 0..<3 {
        for column in 0..<3 { moment[row, column] += offset[row] * offset[column] }
      }
      result?.covariance = moment
    }
    return result
  }

  /// Locates a tag from time differences alone.
  ///
  /// An epoch is a transmission, or what comes within the window if transmissions have fewer
  /// differences than coordinates.
  private mutating func locate(at time: Timestamp) {
    while nextDifference < differences.count, differences[nextDifference].time <= time {
      let difference = differences[nextDifference]
      nextDifference += 1
      epoch.removeAll { ($0.first, $0.second) == (difference.first, difference.second) }
      epoch.append(difference)
    }
    epoch.removeAll { time.seconds(since: $0.time) > reach }
    solve(epoch, at: time)
  }

  private var isPlane: Bool { options.height != nil && options.heightSigma == nil }

  private mutating func solve(_ epoch: [TimedDifference], at time: Timestamp) {
    let found = try? TimeDifferences.solve(
      differences: epoch.map {
        TimeDifference(
          first: $0.first, second: $0.second, difference: $0.corrected(anchors))
      },
      anchors: anchors.map(\.position), within: bounds, options: options(at: time))
    guard let fix = found?.fix,
      let row = fix.row(
        at: time, used: epoch.count - fix.discounted.count, rejected: fix.discounted.count)
    else {
      undetermined += 1
      return
    }
    positions.append(row)
  }

  /// How often the standard deviations of an inconsistent epoch are doubled: 4,000 times in all.
  private static let mostDoublings = 12
}

extension PositionFix<3> {
  /// Returns the index of the alternative that is nearer to a place than the position and the other
  /// alternatives; nil if the position is nearest.
  fileprivate func nearestAlternative(to place: Vector<3>) -> Int? {
    guard let position else { return nil }
    var (nearest, least) = (Int?.none, (position - place).length)
    for (index, other) in alternatives.enumerated() where (other.position - place).length < least {
      (nearest, least) = (index, (other.position - place).length)
    }
    return nearest
  }

  /// Exchanges the position and an alternative, and returns the indices of the ranges that it
  /// discounts.
  fileprivate mutating func putFirst(
    _ index: Int, of samples: [FixSample], loss: RobustLoss
  ) -> [Int] {
    guard let position else { return discounted }
    let other = alternatives[index]
    alternatives[index].position = position
    alternatives[index].covariance = covariance
    (self.position, covariance) = (other.position, other.covariance)
    return samples.indices.filter { place in
      let residual = samples[place].distance - (other.position - samples[place].anchor).length
      return loss.weight(of: residual / samples[place].sigma) < 0.5
    }
  }

  /// Adds what remains of the errors common to all ranges to the covariances.
  fileprivate mutating func add(_ errors: RangeErrorEstimate, of samples: [FixSample]) {
    guard errors.hasRemainingErrors else { return }
    let weights = contributions.map { $0?.weight ?? 0 }
    let (places, sigmas) = (samples.map(\.anchor), samples.map(\.sigma))
    if let position, let own = covariance {
      covariance = errors.covariance(
        at: position, from: own, anchors: places, sigmas: sigmas, weights: weights)
    }
    for index in alternatives.indices {
      guard let own = alternatives[index].covariance else { continue }
      alternatives[index].covariance = errors.covariance(
        at: alternatives[index].position, from: own, anchors: places, sigmas: sigmas,
        weights: weights)
    }
  }
}

extension [TimedDifference] {
  /// Returns the time within which differences determine a position, in seconds: 0 if most transmissions
  /// have as many differences as there are unknowns, otherwise that of four times as many differences.
  fileprivate func epochWindow(unknowns: Int) -> Double {
    guard let first, let last else { return 0 }
    let instants = Set(map(\.time)).count
    if count >= unknowns * instants { return 0 }
    let interval = last.time.seconds(since: first.time) / Double(Swift.max(1, count - 1))
    return Swift.min(Self.longestEpoch, 4 * Double(unknowns) * interval)
  }

  /// Within it a tag at walking speed moves by some decimetres.
  private static var longestEpoch: Double { 0.3 }
}

extension PositionFix where D == 3 {
  /// Returns the row of this fix, from the given numbers of measurements; nil without a position.
  ///
  /// That of an ambiguous fix has a covariance which reaches the alternatives.
  fileprivate func row(at time: Timestamp, used: Int, rejected: Int) -> PositionRow? {
    guard let position else { return nil }
    let isAmbiguous = verdict != .inconsistent && !alternatives.isEmpty
    let covariance = isAmbiguous ? covarianceReachingAlternatives : covariance
    return PositionRow(
      time: time, position: position, covariance: covariance ?? .undetermined, used: used,
      rejected: rejected, alternative: isAmbiguous ? alternatives.first?.position : nil,
      status: verdict == .inconsistent ? .inconsistent : isAmbiguous ? .ambiguous : .fix)
  }
}
