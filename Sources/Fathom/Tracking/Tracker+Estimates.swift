/// What a tracker is told of ranges, and what it has to say.
extension Tracker {
  /// Takes in a range.
  ///
  /// - Parameters:
  ///   - distance: the measured distance, metres; the anchor's bias and scale are taken off here.
  ///   - sigma: its standard deviation, metres; nil for that of ``TrackerConfiguration/errors``.
  ///   - anchor: index of the anchor.
  ///   - time: when it was measured; not before the range last taken in.
  /// - Returns: What was done with it.
  public mutating func update(
    distance: Double, sigma: Double? = nil, anchor: Int, at time: Timestamp
  ) -> TrackUpdate {
    let outcome = take(distance: distance, sigma: sigma, anchor: anchor, at: time)
    return TrackUpdate(outcome: outcome, reading: reading)
  }

  /// Takes in a range, see ``update(distance:sigma:anchor:at:)``.
  public mutating func update(_ range: RangeMeasurement) -> TrackUpdate {
    update(
      distance: range.distance, sigma: range.sigma, anchor: range.anchor, at: range.time)
  }

  /// The estimate at `time`, which may lie after the last range; nil before the start, and for
  /// times before the last range.
  public func estimate(at time: Timestamp) -> TrackEstimate? {
    guard time >= self.time, hasStarted else { return nil }
    var copy = self
    return copy.estimateInPlace(at: time)
  }

  /// The same as ``estimate(at:)`` for a tracker that is part of something else; changes nothing.
  ///
  /// A value as large as this is copied, with all that it owns, before a method is called that only
  /// reads it; one that may write is given the value where it stands.
  ///
  /// - Parameter time: not before the last range; the tracker has started.
  /// - Returns: The estimate.
  package mutating func estimateInPlace(at time: Timestamp) -> TrackEstimate {
    let elapsed = time == self.time ? 0 : time.seconds(since: self.time)
    let isCoasting = isInterrupted || coastingDelay.isExceeded(from: lastRange, to: time)
    let status: TrackEstimate.Status =
      isCoasting ? .coasting : ambiguity == nil ? .tracking : .ambiguous
    let factor = covarianceFactor
    guard elapsed > 0, isGap(until: time) else {
      return mixture.estimate(at: time, after: elapsed, factor: factor, status: status)
    }
    return held(at: time, after: elapsed, factor: factor, status: status)
  }

  /// The estimate after a gap of `elapsed` seconds.
  @inline(never)
  private func held(
    at time: Timestamp, after elapsed: Double, factor: Double, status: TrackEstimate.Status
  ) -> TrackEstimate {
    var held = mixture
    held.hold(
      over: elapsed, followed: configuration.longestGap, speed: configuration.startVelocitySigma)
    return held.estimate(at: time, after: 0, factor: factor, status: status)
  }

  /// How many times larger than that of the filter the covariance of estimates is at present,
  /// because errors of ranges turned out to last longer than assumed, or less long; at least 0.5.
  ///
  /// Innovations speak of the errors of ranges. What surveying left of the anchors is not theirs,
  /// so that its share of the variance stays as it is.
  public var covarianceFactor: Double {
    let factor = rangeFactor
    return factor + errors.anchorSurveyShare * (1 - factor)
  }

  /// By how much the variance of ranges is too small for how long their errors last; at least 0.5.
  var rangeFactor: Double { configuration.calibratesCovariance ? consistency.factor : 1 }

  /// The bias common to all ranges, metres, with its standard deviation; nil where
  /// ``RangeErrors/biasSigma`` is zero, and before the start.
  public var bias: (value: Double, sigma: Double)? {
    guard hasStarted, configuration.errors.biasSigma > 0 else { return nil }
    let (value, variance) = mixture.bias
    return (value, variance.squareRoot())
  }

  /// The scale common to all ranges less 1, with its standard deviation; nil where
  /// ``RangeErrors/scaleSigma`` is zero, and before the start.
  public var scale: (value: Double, sigma: Double)? {
    guard hasStarted, configuration.errors.scaleSigma > 0 else { return nil }
    let (value, variance) = mixture.scale
    return (value, variance.squareRoot())
  }

  /// Probability that the tag moves gently at present, 0 to 1; nil before the start.
  var lowNoiseProbability: Double? { hasStarted ? mixture.lowNoiseProbability : nil }
}
