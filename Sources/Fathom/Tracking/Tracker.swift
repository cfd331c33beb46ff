/// Follows one tag from range to range: an extended Kalman filter with one update per range.
///
/// State: position and velocity in the world frame. Each range is taken in at its own time, alone, as
/// it arrives; nothing waits for a complete set. The track starts from the first ranges that
/// determine a position (``Trilateration``).
///
/// Range errors are taken to follow a Student-t distribution: a range whose normalised innovation
/// squared is s is used with the weight (ν + 1) / (ν + s), at most 1. Unlike a gate, such a weight
/// cannot lock the filter out for good. Where ranges scatter more than assumed throughout, because they
/// are biased or noisier, their variance is scaled up until half of the innovations are as small as
/// they should be. And when ten ranges in a row lie more than four standard deviations off, the
/// filter is wrong rather than the ranges, and its covariance is multiplied by four.
///
/// Gaps longer than ``Configuration/longestGap`` and interruptions of the session hold the position,
/// forget the velocity, and let the covariance grow with the time.
///
/// ## Cost
/// No heap allocation after the start.
public struct Tracker: Sendable {
  /// The anchors; ranges refer to them by index.
  public let anchors: [Anchor]
  /// What is assumed about tag and ranges.
  public let configuration: Configuration

  private var start: TrackStart
  private var state: Gaussian<6>?
  private var time = Timestamp(nanoseconds: .min)
  /// When a range last moved the estimate.
  private var lastRange = Timestamp(nanoseconds: .min)
  /// The mirror image that explains the ranges as well, while there is one.
  private var ambiguity: MirrorAmbiguity?
  private var isInterrupted = false
  private var noiseScale = NoiseScale()
  /// Ranges in a row that were far off.
  private var surprises = 0
  /// The ranges taken in at the present instant, to recognise duplicates.
  private var present: [Double?]

  /// A tracker of a tag whose position is not known yet.
  ///
  /// - Parameters:
  ///   - anchors: the anchors, with finite positions.
  ///   - configuration: what is assumed about tag and ranges.
  public init(anchors: [Anchor], configuration: Configuration = Configuration()) {
    self.anchors = anchors
    var configuration = configuration
    if configuration.height != nil { configuration.motion.verticalDensity = 0 }
    self.configuration = configuration
    start = TrackStart(anchorCount: anchors.count)
    present = [Double?](repeating: nil, count: anchors.count)
  }

  /// Takes in a range.
  ///
  /// - Parameters:
  ///   - distance: the measured distance, metres; the anchor's bias and scale are taken off here.
  ///   - sigma: its standard deviation, metres; nil for ``Configuration/rangeSigma``.
  ///   - anchor: index of the anchor.
  ///   - time: when it was measured; not before the range last taken in.
  /// - Returns: What was done with it.
  public mutating func update(
    distance: Double, sigma: Double? = nil, anchor: Int, at time: Timestamp
  ) -> TrackUpdate {
    let sigma = sigma ?? configuration.rangeSigma
    guard anchors.indices.contains(anchor), sigma > 0, sigma.isFinite,
      let distance = MeasuredDistance.validated(distance),
      let corrected = MeasuredDistance.validated(anchors[anchor].corrected(distance))
    else { return TrackUpdate(outcome: .invalid) }
    guard time >= self.time else { return TrackUpdate(outcome: .late) }
    if time == self.time, present[anchor] == distance { return TrackUpdate(outcome: .duplicate) }

    let update: TrackUpdate
    if let prior = belief(at: time) {
      let model = RangeModel(
        anchor: anchors[anchor].position, anchorSigma: anchors[anchor].positionSigma ?? 0)
      guard let moved = condition(prior, on: corrected, sigma: sigma, model: model) else {
        return TrackUpdate(outcome: .invalid)
      }
      update = moved
      lastRange = time
      isInterrupted = false
    } else {
      update = begin(corrected, sigma: sigma, anchor: anchor, at: time)
    }
    if time > self.time {
      for index in present.indices { present[index] = nil }
    }
    present[anchor] = distance
    self.time = time
    return update
  }

  /// The estimate at `time`, which may lie after the last range; nil before the start, and for times
  /// before the last range.
  public func estimate(at time: Timestamp) -> TrackEstimate? {
    guard time >= self.time, let state = belief(at: time) else { return nil }
    var estimate = TrackEstimate(
      time: time, position: .zero, velocity: .zero, covariance: .zero,
      status: ambiguity == nil ? .tracking : .ambiguous)
    for row in 0..<3 {
      estimate.position[row] = state.mean[row]
      estimate.velocity[row] = state.mean[row + 3]
      for column in 0..<3 { estimate.covariance[row, column] = state.covariance[row, column] }
    }
    if isInterrupted || time.seconds(since: lastRange) > configuration.coastAfter {
      estimate.status = .coasting
    }
    return estimate
  }

  /// How many times larger than assumed the variance of ranges is taken to be at present, at least 1.
  public var noiseFactor: Double { noiseScale.factor }

  /// Tells the tracker that ranging was interrupted: what comes next is a new segment, before which
  /// the tag may have moved anyhow.
  ///
  /// Before the start, the ranges gathered so far are forgotten.
  public mutating func interrupt() {
    if state == nil {
      start = TrackStart(anchorCount: anchors.count)
    } else {
      isInterrupted = true
    }
  }

  // MARK: - Kernel

  /// The belief carried forward to `time`, or nil before the start.
  private func belief(at time: Timestamp) -> Gaussian<6>? {
    guard let state else { return nil }
    let elapsed = time.seconds(since: self.time)
    guard elapsed > 0 else { return state }
    if elapsed > configuration.longestGap || isInterrupted {
      return held(state, over: elapsed)
    }
    return configuration.motion.predict(state, over: elapsed)
  }

  /// The position held over a gap, the velocity forgotten.
  ///
  /// The covariance is that of the longest gap that is still followed, enlarged by how far the tag may
  /// have gone altogether, so that it never shrinks as a gap grows.
  private func held(_ state: Gaussian<6>, over seconds: Double) -> Gaussian<6> {
    let speed = configuration.startVelocitySigma
    var result = configuration.motion.predict(
      state, over: min(seconds, configuration.longestGap))
    result.mean = state.mean
    for axis in 0..<3 {
      // A height that is known stays known.
      let isFree = axis < 2 || configuration.height == nil
      result.mean[axis + 3] = 0
      for other in 0..<6 {
        result.covariance[axis + 3, other] = 0
        result.covariance[other, axis + 3] = 0
      }
      if isFree {
        result.covariance[axis, axis] += speed * speed * seconds * seconds
        result.covariance[axis + 3, axis + 3] = speed * speed
      }
    }
    return result
  }

  /// Starts the track where the ranges so far allow it.
  private mutating func begin(
    _ distance: Double, sigma: Double, anchor: Int, at time: Timestamp
  ) -> TrackUpdate {
    guard
      let found = start.add(
        distance: distance, sigma: sigma, anchor: anchor, at: time, anchors: anchors,
        configuration: configuration)
    else { return TrackUpdate(outcome: .starting) }
    state = found.state
    if let alternative = found.alternative {
      ambiguity = MirrorAmbiguity(between: found.state.position, and: alternative)
    }
    lastRange = time
    return TrackUpdate(outcome: .started)
  }

  /// Moves the estimate by one range; nil, and no change, where the update cannot be computed.
  private mutating func condition(
    _ prior: Gaussian<6>, on distance: Double, sigma: Double, model: RangeModel
  ) -> TrackUpdate? {
    let (expected, derivative) = model.expectation(at: prior.mean)
    let residual = Vector<1>(repeating: distance - expected)
    let variance = noiseScale.factor * model.variance(sigma: sigma)
    let gradient = derivative.row(0)
    let spread = (prior.covariance * gradient).dot(gradient) + variance
    let square = residual[0] * residual[0] / spread
    let freedom = configuration.degreesOfFreedom
    let weight = freedom.isFinite ? min(1, (freedom + 1) / (freedom + square)) : 1
    let conditioned = try? prior.conditioned(
      onResidual: residual, observation: derivative,
      noise: Matrix<1, 1>(repeating: variance / weight))
    guard var (posterior, innovation) = conditioned else { return nil }

    noiseScale.record(square)
    posterior = resolved(
      posterior, distance, variance: spread, anchor: model.anchor, from: prior.position)
    surprises = square > 16 ? surprises + 1 : 0
    if surprises == 10 {
      posterior.covariance = 4 * posterior.covariance
      surprises = 0
    }
    state = posterior
    innovation.covariance = Matrix(repeating: spread)
    innovation.normalizedSquare = square
    innovation.decision = weight < 0.5 ? .discounted(weight: weight) : .used
    return TrackUpdate(
      innovation: innovation, outcome: weight < 0.5 ? .discounted(weight: weight) : .used)
  }

  /// The posterior or its mirror image, whichever side the ranges speak for once they do.
  private mutating func resolved(
    _ posterior: Gaussian<6>, _ distance: Double, variance: Double, anchor: Vector<3>,
    from position: Vector<3>
  ) -> Gaussian<6> {
    guard var ambiguity else { return posterior }
    let verdict = ambiguity.record(
      distance, variance: variance, anchor: anchor, position: position)
    self.ambiguity = verdict == .undecided ? ambiguity : nil
    return verdict == .image ? ambiguity.image(of: posterior) : posterior
  }
}

extension Gaussian where N == 6 {
  /// The position of a state of position and velocity.
  fileprivate var position: Vector<3> { Vector([mean[0], mean[1], mean[2]]) }
}
