/// Computes the position of a tag from each epoch independently: what `fathom process --method fix` does.
///
/// An epoch holds the newest range of each anchor within ``Configuration/window`` before an instant. It is
/// solved as follows:
///
/// - **Ranges** give the position of ``Trilateration``. They are corrected for the anchors' own errors, for
///   ``Configuration/bias`` and for the errors in ``Configuration/errors``. The survey error of an anchor
///   adds to the standard deviation of its ranges.
/// - **Few ranges.** As many ranges as unknowns cannot show which of them is wrong, so that their standard
///   deviation is that of all ranges, ``RangeErrorEstimate/wholeSigma``.
/// - **Contradictions.** Ranges that contradict each other err by as much as it takes to reconcile them.
///   The covariance reaches the position at which they agree with larger standard deviations.
/// - **Motion.** Ranges of different times belong to different places. They are moved to the end of the
///   epoch with the velocity that the positions before show, and the covariance contains its error.
/// - **Heights.** The nearest height within half a second is known with its standard deviation, unless it
///   contradicts the ranges: it may be that of another floor.
/// - **Directions.** An epoch with a direction gives the position of ``RangesAndAngles``.
/// - **Time differences.** An epoch without ranges gives the position of ``TimeDifferences``.
/// - **Bounds.** A position outside of ``Configuration/bounds`` is moved to the nearest one inside, and its
///   covariance reaches where it was.
/// - **Alternatives.** Of several positions that explain the ranges, the reported one is the nearest to the
///   last unambiguous position. This and the velocity are all that an epoch takes from those before.
///
/// ```swift
/// var locator = try EpochLocator(anchors: anchors)
/// for range in ranges { locator.update(.range(range)) }
/// let epoch = locator.solve(at: now)
/// ```
///
/// ## Cost
/// Updates take some tens of nanoseconds. An epoch costs what its solver does, about a microsecond for ranges
/// that agree; solving allocates.
public struct EpochLocator: Sendable {
  /// The anchors; measurements refer to them by index.
  public let anchors: [Anchor]
  /// The assumptions about the tag and its measurements.
  public let configuration: Configuration

  /// Standard deviation of ranges without their own that no other range checks, metres.
  private let uncheckedSigma: Double
  /// The newest range of each anchor that can still be in the window, in the order of the anchors.
  private var newest: [EpochRange] = []
  private var hasDirections = false
  /// Number of ranges so far.
  private var rangeCount = 0
  /// Heights in order of time that epochs can still use.
  private var heights: [HeightMeasurement] = []
  /// The newest difference of each pair of anchors that can still be in the window, in order of arrival.
  var differences: [TimedDifference] = []
  /// The age up to which epochs use time differences, seconds.
  package var differenceWindow: Double
  /// The last position without an alternative, metres.
  private var lastFix: Vector<3>?
  /// How the tag moved.
  private var motion = EpochMotion()

  /// Creates a locator of a tag.
  ///
  /// - Parameters:
  ///   - anchors: The anchors.
  ///   - configuration: The assumptions about the tag and its measurements.
  /// - Throws: ``ConfigurationError`` for a setting or an anchor with which it cannot work.
  public init(
    anchors: [Anchor], configuration: Configuration = Configuration()
  ) throws(ConfigurationError) {
    try configuration.validate(for: anchors)
    self.init(among: anchors, validated: configuration)
  }

  /// Creates a locator with valid anchors and settings.
  package init(among anchors: [Anchor], validated configuration: Configuration) {
    self.anchors = anchors
    self.configuration = configuration
    let sigma = configuration.options.rangeSigma
    let errors = configuration.errors
    // A standard deviation other than that of the errors is one of all ranges.
    uncheckedSigma = errors.flatMap { $0.sigma == sigma ? $0.wholeSigma : nil } ?? sigma
    differenceWindow = configuration.differenceWindow ?? configuration.window
  }
}

/// Input of measurements.
extension EpochLocator {
  /// Adds a measurement to the epochs from its time on.
  ///
  /// Measurements come in order of time. A direction comes after the range of its anchor, to which it
  /// belongs. A height may come before its time, so that earlier epochs can use it.
  ///
  /// - Parameter measurement: The measurement.
  /// - Returns: Whether epochs can use it.
  ///
  /// ## Edge cases
  /// Epochs cannot use a number that is not valid or an anchor that does not exist, a height if
  /// ``PositionOptions/height`` is given, a direction without a range of its anchor, and odometry, inertial
  /// data and interruptions.
  ///
  /// A measurement before the last one replaces that of its anchor all the same. Epochs ignore what is later
  /// than themselves, so that a clock that steps back stops nothing.
  @discardableResult
  public mutating func update(_ measurement: TimedMeasurement) -> Bool {
    switch measurement {
    case .range(let range):
      guard anchors.indices.contains(range.anchor), isUsable(range) else {
        rangeCount += 1
        return false
      }
      process(
        distance: range.distance, sigma: range.sigma, anchor: range.anchor, at: range.time)
      return true
    case .difference(let difference):
      guard measurement.isUsable(among: anchors) else { return false }
      differences.removeAll {
        ($0.first, $0.second) == (difference.first, difference.second)
      }
      differences.append(difference)
      return true
    case .direction(let direction): return update(direction)
    case .height(let height):
      guard configuration.options.height == nil, height.isUsable else { return false }
      heights.insert(height, at: heights.firstPlace { $0.time > height.time })
      return true
    case .odometry, .inertial, .interruption: return false
    }
  }

  private func isUsable(_ range: RangeMeasurement) -> Bool {
    range.sigma.map((1e-6...1e9).contains) ?? true
      && MeasuredDistance.validated(
        range.distance, zeroIsDistance: configuration.options.zeroIsDistance) != nil
  }

  /// Adds a range as ``update(_:)`` does; its numbers are valid and its anchor exists.
  package mutating func process(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) {
    let surveyed = anchors[anchor].positionSigma ?? 0
    let own = sigma ?? configuration.options.rangeSigma
    let unchecked = sigma ?? uncheckedSigma
    let known = anchors[anchor].corrected(distance) - configuration.bias
    let range = EpochRange(
      time: time, anchor: anchor, ordinal: rangeCount,
      distance: configuration.errors?.corrected(known, of: anchor) ?? known,
      sigma: (own * own + surveyed * surveyed).squareRoot(), position: anchors[anchor].position,
      uncheckedSigma: (unchecked * unchecked + surveyed * surveyed).squareRoot(),
      surveySigma: surveyed)
    rangeCount += 1
    let place = newest.firstPlace { $0.anchor >= anchor }
    if place < newest.count, newest[place].anchor == anchor {
      newest[place] = range
    } else {
      newest.insert(range, at: place)
    }
  }

  /// Adds a direction to the newest range of its anchor; returns whether epochs can use it.
  @discardableResult
  package mutating func update(_ direction: DirectionMeasurement) -> Bool {
    let place = newest.firstPlace { $0.anchor >= direction.anchor }
    guard place < newest.count, newest[place].anchor == direction.anchor,
      direction.attitude.isFinite, direction.sigma > .zero, direction.sigma.isFinite,
      direction.azimuth?.isFinite == true || direction.elevation?.isFinite == true
    else { return false }
    newest[place].direction = direction
    hasDirections = true
    return true
  }
}

/// Output of positions.
extension EpochLocator {
  /// Solves the epoch that ends at `time`.
  ///
  /// - Parameter time: The instant; not before that of an epoch solved before.
  /// - Returns: The epoch, with a position if its measurements determine one; nil without measurements.
  public mutating func solve(at time: Timestamp) -> EpochFix? {
    // A window of zero includes ranges of the same instant. Later epochs end later, so what is too old now
    // stays too old.
    let window = configuration.window
    newest.removeAll { !$0.time.isWithin(window, before: time) }
    defer { forgetHeights(before: time) }
    guard !newest.isEmpty else { return solveDifferences(at: time) }
    var ranges = newest
    let moved = motion(of: ranges, until: time).map { ranges.move(by: $0, to: time) }
    var fix: PositionFix<3>
    if hasDirections, ranges.contains(where: { $0.direction != nil }) {
      fix = sightingFix(ranges)
    } else {
      let known = options(at: time)
      fix = rangeFix(ranges, known)
      if fix.verdict == .inconsistent, known.height != configuration.options.height {
        fix = rangeFix(ranges, configuration.options)
      }
    }
    if let errors = configuration.errors { fix.add(errors, of: ranges) }
    if let lastFix, let nearest = fix.nearestAlternative(to: lastFix) {
      fix.exchange(nearest, of: ranges, loss: configuration.options.loss)
    }
    if fix.isOpen {
      fix = PositionFix(unsolved: ranges.count, unknowns: options(at: time).unknowns)
    }
    if let moved { fix.add(moved) }
    fix.keep(within: configuration.bounds)
    let epoch = EpochFix(time: time, fix: fix, ranges: ranges)
    if let position = fix.position, fix.verdict != .inconsistent, !epoch.isAmbiguous {
      lastFix = position
      if let covariance = fix.covariance { motion.append(position, covariance, at: time) }
    }
    return epoch
  }

  /// Returns the motion of the tag in an epoch; nil if all ranges have one time or none is known.
  private func motion(of ranges: [EpochRange], until time: Timestamp) -> EpochMotion
    .Velocity?
  {
    guard let oldest = ranges.lazy.map(\.time).min(), oldest < time else { return nil }
    return motion.velocity(within: time.seconds(since: oldest), before: time)
  }

  /// Returns the fix from the ranges of one epoch.
  private func rangeFix(_ ranges: [EpochRange], _ options: PositionOptions) -> PositionFix<3> {
    let unknowns = options.unknowns
    let isChecked = ranges.count > unknowns
    var sigmas = ranges.map { isChecked ? $0.sigma : $0.uncheckedSigma }
    func solved() -> PositionFix<3>? {
      try? Trilateration.solve(
        ranges: ranges.map(\.distance), anchors: ranges.map(\.position), sigmas: sigmas,
        within: configuration.bounds, options: options)
    }
    guard var result = solved() else {
      return PositionFix(unsolved: ranges.count, unknowns: unknowns)
    }
    guard result.verdict == .inconsistent, let position = result.position else { return result }
    // Ranges that contradict each other err by as much as it takes to reconcile them. The position they then
    // have is the other explanation.
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
      result.covariance = moment
    }
    return result
  }

  /// How often the standard deviations of an inconsistent epoch are doubled: 4,000 times in all.
  private static let mostDoublings = 12

  /// Returns the fix from the ranges and directions of one epoch; it discounts the ranges with less than half
  /// their weight.
  private func sightingFix(_ ranges: [EpochRange]) -> PositionFix<3> {
    var options = configuration.options
    // Angles of either sign may be wrong, whatever the odds of ranges are.
    options.outliers = OutlierOdds()
    let sightings = ranges.map(\.sighting)
    guard
      var fix = try? RangesAndAngles.solve(
        sightings, within: configuration.bounds, options: options
      ).fix
    else { return PositionFix(unsolved: ranges.count, unknowns: options.unknowns) }
    fix.discounted = ranges.indices.filter { (fix.contributions[$0]?.weight ?? 0) < 0.5 }
    return fix
  }

  /// The longest time between a height and an epoch that uses it, seconds.
  private static let heightReach = 0.5

  /// Returns the options for an epoch at `time`: with the nearest measured height.
  func options(at time: Timestamp) -> PositionOptions {
    guard !heights.isEmpty else { return configuration.options }
    let place = heights.firstPlace { $0.time >= time }
    let near = [place - 1, place].filter(heights.indices.contains).map { heights[$0] }
    func distance(_ height: HeightMeasurement) -> Double {
      height.time.seconds(since: time).magnitude
    }
    guard let height = near.min(by: { distance($0) < distance($1) }),
      distance(height) <= Self.heightReach
    else { return configuration.options }
    var result = configuration.options
    result.height = height.height
    result.heightSigma = configuration.heights.sigma(of: height)
    return result
  }

  /// Forgets heights that no epoch from `time` on can use, once they are most of all.
  private mutating func forgetHeights(before time: Timestamp) {
    guard !heights.isEmpty else { return }
    let old = heights.firstPlace { time.seconds(since: $0.time) <= Self.heightReach }
    if old > heights.count / 2 { heights.removeFirst(old) }
  }
}

extension PositionOptions {
  /// Number of coordinates in space that measurements must determine.
  var unknowns: Int { height == nil || heightSigma != nil ? 3 : 2 }
}

extension Timestamp {
  /// Returns whether it is at most `seconds` before `end`, and not later.
  func isWithin(_ seconds: Double, before end: Timestamp) -> Bool {
    let age = end.seconds(since: self)
    return age >= 0 && age <= seconds
  }
}
