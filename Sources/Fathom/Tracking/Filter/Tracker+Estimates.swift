/// Input of ranges and output of estimates.
extension Tracker {
  /// Processes a range and returns how it was used: accepted, down-weighted, late, duplicate or
  /// invalid.
  ///
  /// - Parameters:
  ///   - distance: The measured distance in metres, before correction for the anchor's bias and
  ///     scale.
  ///   - sigma: Its standard deviation in metres; nil for that of ``TrackerConfiguration/errors``.
  ///   - anchor: The index of the anchor.
  ///   - time: The time of the measurement, not before the last processed range.
  /// - Returns: How the range was used.
  public mutating func update(
    distance: Double, sigma: Double? = nil, anchor: Int, at time: Timestamp
  ) -> TrackUpdate {
    let outcome = process(distance: distance, sigma: sigma, anchor: anchor, at: time)
    return TrackUpdate(outcome: outcome, reading: leading.reading)
  }

  /// Processes a range; see ``update(distance:sigma:anchor:at:)``.
  public mutating func update(_ range: RangeMeasurement) -> TrackUpdate {
    update(
      distance: range.distance, sigma: range.sigma, anchor: range.anchor, at: range.time)
  }

  /// Processes a measurement of any kind, not before those processed so far.
  ///
  /// Each kind but ranges, directions and interruptions needs the part of the configuration that
  /// describes its errors, and is `invalid` without it: ``TrackerConfiguration/heights``,
  /// ``TrackerConfiguration/odometry``, ``TrackerConfiguration/inertial`` and
  /// ``TrackerConfiguration/usesDifferences``.
  ///
  /// - Returns: How it was used, as the method of its kind tells; for an interruption `used`, and
  ///   `starting` before the start.
  @discardableResult
  public mutating func update(_ measurement: TimedMeasurement) -> TrackUpdate {
    switch measurement {
    case .range(let range): return update(range)
    case .difference(let difference): return update(difference)
    case .height(let height): return update(height)
    case .odometry(let increment): return update(increment)
    case .inertial(let reading): return update(reading)
    case .direction(let direction):
      return update(
        azimuth: direction.azimuth, elevation: direction.elevation, attitude: direction.attitude,
        sigma: direction.sigma, anchor: direction.anchor, at: direction.time)
    case .interruption:
      interrupt()
      return TrackUpdate(outcome: hasStarted ? .used : .starting)
    }
  }

  /// Returns the estimate at `time`, which may lie after the last range; nil before the start, and
  /// for times before the last measurement.
  public func estimate(at time: Timestamp) -> TrackEstimate? {
    guard time >= self.time, hasStarted else { return nil }
    var copy = self
    return copy.estimateInPlace(at: time)
  }

  /// Returns the same as ``estimate(at:)`` without a copy of the tracker; changes nothing.
  ///
  /// A call of a nonmutating method copies such a large value with all its storage. A mutating
  /// method accesses the value in place. The tracker must have started, and `time` is not before
  /// its last measurement.
  package mutating func estimateInPlace(at time: Timestamp) -> TrackEstimate {
    var result = leading.estimate(at: time)
    if !hypotheses.isEmpty { addHypotheses(to: &result, at: time) }
    return result
  }

  /// Adds the competing hypotheses to an estimate of the leading one.
  @inline(never)
  private mutating func addHypotheses(to estimate: inout TrackEstimate, at time: Timestamp) {
    var others: [(odds: Double, estimate: TrackEstimate)] = []
    for index in hypotheses.others.indices {
      let odds = hypotheses.odds(hypotheses.others[index])
      others.append((odds, hypotheses.others[index].filter.estimate(at: time)))
    }
    estimate.add(others, isSupported: estimate.status != .coasting)
  }

  /// Returns position and velocity at `time` with their full covariance, in m and m/s; nil where
  /// ``estimate(at:)`` is.
  ///
  /// Position and velocity are those of the estimate, and at the last measurement the covariance of the
  /// position is. A known height has no variance.
  public func state(at time: Timestamp) -> Gaussian<6>? {
    guard let estimate = estimate(at: time) else { return nil }
    var result = leading.state(at: time)
    let own = result.covariance.position
    var widened = own
    leading.addPersistent(to: &widened, at: estimate.position)
    if !hypotheses.isEmpty {
      var (spread, tracker) = (estimate, self)
      spread.covariance = widened
      tracker.addHypotheses(to: &spread, at: time)
      widened = spread.covariance
    }
    for row in 0..<3 {
      result.mean[row] = estimate.position[row]
      result.mean[3 + row] = estimate.velocity[row]
      for column in 0..<3 {
        result.covariance[row, column] += widened[row, column] - own[row, column]
      }
    }
    return result
  }

  /// The factor between the covariance of estimates and that of the filter, at least 0.5.
  ///
  /// It differs from 1 if range errors are correlated for a longer or shorter time than assumed.
  /// Innovations measure the errors of ranges, not those of the anchor survey. The survey's share
  /// of the variance is therefore not scaled.
  public var covarianceFactor: Double { leading.covarianceFactor }

  /// The bias common to all ranges and its standard deviation, in metres; nil if
  /// ``RangeErrors/biasSigma`` is zero, and before the start.
  public var bias: (value: Double, sigma: Double)? {
    guard hasStarted, configuration.errors.biasSigma > 0 else { return nil }
    let (value, variance) = leading.mixture.bias
    return (value, variance.squareRoot())
  }

  /// The scale common to all ranges less 1, and its standard deviation; nil if
  /// ``RangeErrors/scaleSigma`` is zero, and before the start.
  public var scale: (value: Double, sigma: Double)? {
    guard hasStarted, configuration.errors.scaleSigma > 0 else { return nil }
    let (value, variance) = leading.mixture.scale
    return (value, variance.squareRoot())
  }

  /// Probability of the low-noise mode, 0 to 1; nil before the start.
  var lowNoiseProbability: Double? { hasStarted ? leading.mixture.lowNoiseProbability : nil }
}

extension Matrix<6, 6> {
  /// The block of the position in the covariance of position and velocity.
  fileprivate var position: Matrix<3, 3> {
    var result = Matrix<3, 3>.zero
    for row in 0..<3 {
      for column in 0..<3 { result[row, column] = self[row, column] }
    }
    return result
  }
}
