/// The residuals of the redundant epochs of a recording about their robust positions.
struct EpochResiduals {
  /// The positions, and the errors removed from the ranges.
  var fit: EpochFit
  /// The instants of the epochs; nil where they are unknown.
  let times: [Timestamp?]
  /// The epochs with their distances as measured, not all at one instant.
  private let measured: [RangeEpoch]

  /// The cost, beyond twice the redundancy, up to which an epoch is consistent.
  private static let clearCost = 4.0
  /// The smallest standard deviation, metres: the tick of common radios, 15.65 ps, is 4.7 mm.
  private static let leastSigma = 0.005
  private static let fewest = 10

  /// Locates all epochs with more ranges than unknowns; nil if there are fewer than ten.
  init?(
    _ epochs: [RangeEpoch], anchors: [Vector<3>], within bounds: PositionBounds<3>?,
    options: PositionOptions
  ) {
    let hypothesis = RangeHypothesis(
      sites: anchors.map(\.simd), height: options.height, heightSigma: options.heightSigma)
    let needed = hypothesis.unknowns - (hypothesis.heightSigma == nil ? 0 : 1)
    func position(_ epoch: RangeEpoch, _ loss: RobustLoss, _ sigma: Double) -> SIMD3<Double>? {
      var options = options
      options.loss = loss
      options.rangeSigma = sigma
      // Only the positions are used.
      options.widensCovariance = false
      let places = epoch.anchors.map { anchors[$0] }
      let fix = try? Trilateration.solve(
        ranges: epoch.distances, anchors: places,
        sigmas: Array(repeating: sigma, count: places.count), within: bounds, options: options)
      return fix?.position?.simd
    }
    // Least squares first, whose residuals give the scale of the loss.
    var (measured, located, positions): ([RangeEpoch], [RangeEpoch], [SIMD3<Double>]) = ([], [], [])
    for epoch in epochs {
      let simultaneous = epoch.simultaneous
      guard simultaneous.anchors.count > needed,
        let place = position(simultaneous, .squared, options.rangeSigma)
      else { continue }
      measured.append(epoch)
      located.append(simultaneous)
      positions.append(place)
    }
    guard located.count >= Self.fewest else { return nil }
    self.measured = measured
    times = located.map(\.time)
    fit = EpochFit(
      WeighedEpochs(located), hypothesis, loss: .cauchy, at: positions, sigma: Self.leastSigma)
    fit.sigma = max(Self.leastSigma, meanError)
    settle()
    // Where ranges contradict each other, least squares can start in the wrong place.
    for (index, epoch) in located.enumerated() {
      let own = cost(index, at: fit.positions[index])
      guard own > Self.clearCost + 2 * Double(fit.redundancy(index)),
        let other = position(epoch, .cauchy, fit.sigma), cost(index, at: other) < own
      else { continue }
      fit.positions[index] = other
    }
  }

  private func cost(_ index: Int, at place: SIMD3<Double>) -> Double {
    fit.equations(index, place, fit.sigma).cost
  }

  /// Number of epochs.
  var count: Int { fit.epochs.count }

  /// Standard deviation of a range after correction, metres.
  var sigma: Double { fit.sigma / fit.hypothesis.gain }

  /// Mean distance from the anchors, metres.
  var meanDistance: Double {
    var sum = 0.0
    for index in 0..<count {
      for range in fit.epochs.ranges(of: index) {
        sum += fit.residual(range, at: fit.positions[index]).length
      }
    }
    return sum / Double(max(1, fit.epochs.anchors.count))
  }

  /// Adds a change to an error that is removed from the ranges, and moves the positions.
  mutating func add(_ step: [Double], to parameter: RangeHypothesis.Parameter) {
    fit.hypothesis.add(step, to: parameter)
    refine()
  }

  /// Refines all positions and the standard deviation in turn until they agree.
  mutating func settle() {
    for _ in 0..<6 {
      refine()
      let found = spread()
      let change = (found / sigma - 1).magnitude
      fit.sigma = found * fit.hypothesis.gain
      if change < 0.02 { break }
    }
  }

  /// Moves every position to its nearest minimum.
  private mutating func refine() {
    for index in 0..<count { fit.descend(index, fit.sigma, steps: 12, least: 1e-6) }
  }

  /// Returns the residuals of the distances as measured, with the motion between them; nil if the
  /// ranges of every epoch have one instant.
  func asMeasured() -> EpochResiduals? {
    guard measured.contains(where: { !$0.motion.isEmpty }) else { return nil }
    var result = self
    result.fit = EpochFit(
      WeighedEpochs(measured), fit.hypothesis, loss: fit.loss, at: fit.positions, sigma: fit.sigma)
    result.settle()
    return result
  }

  // MARK: Noise

  /// Returns the standard deviation of ordinary ranges from the residuals, metres.
  ///
  /// The median over the ranges is not affected by few wrong ones. It is also a lower bound: with a
  /// value that is too small, the loss discards ordinary ranges, and an estimate without them
  /// confirms it.
  func spread() -> Double {
    let median = max(Self.leastSigma, medianError())
    var result = median
    for _ in 0..<2 {
      let census = census(result)
      guard census.checked > 0 else { break }
      result = max(median, (census.squares / census.checked).squareRoot())
    }
    return min(result, 2 * median)
  }

  /// The root mean square of the residuals, metres.
  private var meanError: Double {
    var sum = 0.0
    for index in 0..<count {
      for range in fit.epochs.ranges(of: index) {
        let error = fit.residual(range, at: fit.positions[index]).error
        sum += error * error
      }
    }
    return (sum / Double(max(1, fit.epochs.anchors.count))).squareRoot()
  }

  /// Returns the standard deviation of normal errors with the median of the residuals, each in the
  /// share of its error that it shows, metres.
  private func medianError() -> Double {
    var errors: [(size: Double, share: Double)] = []
    var total = 0.0
    for error in checkedErrors() where error.check > 0.01 {
      errors.append((error.size.magnitude / error.check.squareRoot(), error.check))
      total += error.check
    }
    errors.sort { ($0.size, $0.share) < ($1.size, $1.share) }
    var sum = 0.0
    for error in errors {
      sum += error.share
      // Half of a normal distribution is within 0.6745 standard deviations.
      if sum >= 0.5 * total { return error.size / 0.674_49 }
    }
    return 0
  }
}
