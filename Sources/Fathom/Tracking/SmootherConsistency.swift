/// Covariances of a smoothed track that are as large as its errors.
extension SmootherRun {
  /// What the residuals beside the present track say about the errors of ranges; nothing where
  /// covariances are to stay as they come.
  ///
  /// - Parameter corner: covariance of what all ranges have in common.
  /// - Returns: The errors; those that were assumed where too little is left to tell.
  func residualErrors(_ corner: [Double]) -> ResidualErrors {
    guard configuration.calibratesCovariance else { return ResidualErrors() }
    var stretches = ResidualStretches(anchorCount: anchors.count, axes: Self.axes)
    for (index, range) in ranges.enumerated() {
      let state = Int(knots.states[index])
      guard state >= 0 else { continue }
      let (single, effective) = variances(range)
      let residual = expectation(range, state: state).residual
      // What was discounted is no sample of the errors that the rest has.
      guard density.weight(residual * residual / single) >= 0.5 else { continue }
      stretches.add(
        residual, single: single, effective: effective, anchor: range.anchor, at: range.time)
    }
    var unknowns = 0.0
    for index in common.indices {
      let prior = priorSigma(ofCommon: index)
      guard prior > 0 else { continue }
      unknowns += max(0, 1 - corner[(common.count + 1) * index] / (prior * prior))
    }
    return stretches.errors(unknowns: unknowns)
  }

  /// The covariance of every state with `errors`, and in `chain` that of what all ranges have in
  /// common.
  ///
  /// That of the states given the rest shrinks with the errors of ranges; what an estimate leans on
  /// what was known before any range, and a drift that no range shows, do not.
  func covariances(
    of chain: inout SmootherChain<N>, errors: ResidualErrors
  ) -> [Matrix<N, N>] {
    if errors.factor < 1 {
      chain.rescale(
        by: errors.factor, priors: common.indices.map { priorInformation(ofCommon: $0) },
        found: common)
    }
    var shared = chain
    // What drifts is not estimated, but paid for [Schmidt 1966]: the track moves with it as it moves
    // with a bias.
    if hasBias, configuration.errors.isDrifting {
      shared.corner[0] += configuration.errors.commonVariance
    }
    let time = configuration.errors.correlationTime
    var covariances = LargePages.array(of: Matrix<N, N>.zero, count: chain.count)
    shared.withCovariances { index, own, ofCommon in
      var (position, velocity) = (0.0, 0.0)
      for axis in 0..<Self.axes {
        let speed = Self.axes + axis
        position += own[axis, axis] + ofCommon[axis, axis]
        velocity += own[speed, speed] + ofCommon[speed, speed]
      }
      let kept = errors.bandwidthFactor(time * time * velocity / position)
      covariances[index] = (kept * errors.factor) * own + ofCommon
    }
    return covariances
  }
}

extension SmootherChain {
  /// Makes the covariance V of what all ranges have in common that of the same estimate from ranges
  /// whose variances are f times what they were taken to be.
  ///
  /// Errors of the ranges leave f (V - V P V), where P is the information that was there before. It
  /// draws an unknown x to zero by V P x: by what is to be expected of x, whose variance is 1/P, or
  /// by what was found of it where that is more.
  ///
  /// - Parameters:
  ///   - factor: what f is above.
  ///   - priors: P, the diagonal.
  ///   - found: x.
  fileprivate mutating func rescale(
    by factor: Double, priors: [Double], found: [Double]
  ) {
    let before = corner
    for row in 0..<shared {
      for column in 0..<shared {
        var sum = factor * before[shared * row + column]
        for (index, prior) in priors.enumerated() {
          let drawn = prior * max(1, prior * found[index] * found[index])
          sum +=
            before[shared * row + index] * (drawn - factor * prior)
            * before[shared * index + column]
        }
        corner[shared * row + column] = sum
      }
    }
  }
}
