/// The position of one epoch, and how it uses each measurement.
public struct EpochFix: Sendable, Equatable {
  /// The instant at which the epoch ends.
  public var time: Timestamp
  /// The fix, whose contributions and discounted measurements are those of ``ranges``, or of
  /// ``differences`` in an epoch without ranges.
  ///
  /// Of several positions, the first one is the nearest to the last unambiguous position of the tag.
  public var fix: PositionFix<3>
  /// The ranges of the epoch, in order of the anchors.
  public var ranges: [EpochRange] = []
  /// The time differences of an epoch without ranges, in order of arrival.
  public var differences: [TimedDifference] = []

  /// Whether another position explains the measurements equally well.
  ///
  /// An inconsistent epoch is not called ambiguous, even if it has alternatives.
  public var isAmbiguous: Bool { fix.verdict != .inconsistent && !fix.alternatives.isEmpty }

  /// The covariance of the position, m², which reaches the alternatives of an ambiguous one; nil if the
  /// measurements determine none.
  public var covariance: Matrix<3, 3>? {
    isAmbiguous ? fix.covarianceReachingAlternatives : fix.covariance
  }

  /// Number of measurements with at least half their weight; 0 without a position.
  public var used: Int { fix.position == nil ? 0 : count - fix.discounted.count }

  /// Number of all measurements: ranges, or time differences of an epoch without ranges.
  public var count: Int { ranges.isEmpty ? differences.count : ranges.count }

  /// Returns whether the position uses the measurement at `index` with at least half its weight;
  /// directions of a range do not count.
  public func isUsed(_ index: Int) -> Bool {
    fix.position != nil && !fix.discounted.contains(index)
  }
}

/// The newest range of one anchor in an epoch.
public struct EpochRange: Sendable, Equatable {
  /// The time of the measurement.
  public var time: Timestamp
  /// The index of the anchor.
  public var anchor: Int
  /// The number of ranges that the locator was given before this one, valid or not.
  public var ordinal: Int
  /// The distance in metres, corrected for all known errors and for the motion until the end of the epoch.
  public var distance: Double
  /// Standard deviation of the distance in metres, including that of the anchor's survey.
  public var sigma: Double
  /// Position of the anchor, metres.
  let position: Vector<3>
  /// ``sigma`` if no other range shows that this one is wrong.
  private(set) var uncheckedSigma: Double
  /// Standard deviation of the anchor's position along one axis, metres.
  let surveySigma: Double
  /// The direction measured with the range.
  var direction: DirectionMeasurement?

  /// Adds a variance to the errors of the distance, m².
  mutating func widen(by variance: Double) {
    sigma = (sigma * sigma + variance).squareRoot()
    uncheckedSigma = (uncheckedSigma * uncheckedSigma + variance).squareRoot()
  }

  /// The range and the direction as seen from the anchor.
  var sighting: Sighting {
    // At the measured distance, the survey error of the anchor also acts as an angle error.
    let surveyed = surveySigma / max(distance, surveySigma, 1e-3)
    let sigma = direction?.sigma.radians ?? 0
    return Sighting.seen(
      from: direction?.attitude ?? .identity, of: position, range: distance,
      azimuth: direction?.azimuth, elevation: direction?.elevation, rangeSigma: self.sigma,
      angleSigma: Angle(radians: (sigma * sigma + surveyed * surveyed).squareRoot()))
  }
}

extension PositionFix<3> {
  /// Creates the fix of `count` measurements that no solver accepts.
  init(unsolved count: Int, unknowns: Int) {
    self.init(without: .tooFew, count: count, unknowns: unknowns, discounted: Array(0..<count))
  }

  /// Returns the index of the alternative that is nearer to a place than the position and the other
  /// alternatives; nil if the position is nearest.
  func nearestAlternative(to place: Vector<3>) -> Int? {
    guard let position else { return nil }
    var (nearest, least) = (Int?.none, (position - place).length)
    for (index, other) in alternatives.enumerated() where (other.position - place).length < least {
      (nearest, least) = (index, (other.position - place).length)
    }
    return nearest
  }

  /// Exchanges the position and an alternative, with the contributions of the ranges.
  mutating func exchange(_ index: Int, of ranges: [EpochRange], loss: RobustLoss) {
    guard let position else { return }
    let other = alternatives[index]
    alternatives[index].position = position
    alternatives[index].covariance = covariance
    (self.position, covariance) = (other.position, other.covariance)
    discounted = []
    for (place, range) in ranges.enumerated() {
      let residual = range.distance - (other.position - range.position).length
      let weight = loss.weight(of: residual / range.sigma)
      if weight < 0.5 { discounted.append(place) }
      guard contributions[place] != nil else { continue }
      contributions[place] = RangeContribution(residual: residual, weight: weight, influence: nil)
    }
  }

  /// Whether the position is too uncertain to be one.
  var isOpen: Bool {
    guard position != nil, let covariance else { return false }
    return covariance.trace > PositionLimits.largestSigma * PositionLimits.largestSigma
  }

  /// Adds to the covariances of all positions.
  mutating func add(_ moment: Matrix<3, 3>) {
    covariance = covariance.map { $0 + moment }
    for index in alternatives.indices {
      alternatives[index].covariance = alternatives[index].covariance.map { $0 + moment }
    }
  }

  /// Moves a position outside of a box into it.
  mutating func keep(within bounds: PositionBounds<3>?) {
    guard let bounds, var position, var covariance, !bounds.contains(position) else { return }
    bounds.keep(&position, &covariance)
    (self.position, self.covariance) = (position, covariance)
  }

  /// Adds what remains of the errors common to all ranges to the covariances.
  mutating func add(_ errors: RangeErrorEstimate, of ranges: [EpochRange]) {
    guard errors.hasRemainingErrors else { return }
    let weights = contributions.map { $0?.weight ?? 0 }
    let (places, sigmas) = (ranges.map(\.position), ranges.map(\.sigma))
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
