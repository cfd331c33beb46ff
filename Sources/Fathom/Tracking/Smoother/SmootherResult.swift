import RealModule

extension SmootherRun {
  /// Returns the track of this run.
  ///
  /// `corner` is the covariance of the common unknowns. `instants` are the times of other
  /// measurements that support the track, with their states, in order. `isConverged` says whether
  /// the last step was small.
  func track(
    _ covariances: [Matrix<N, N>], corner: [Double], errors: ResidualErrorModel,
    at instants: [(time: Timestamp, state: Int)] = [], iterations: Int, isConverged: Bool
  ) -> SmoothedTrack {
    let ranged = rangedAnchors
    let region = TagRegion(of: ranged.sorted().map { anchors[$0].position }, configuration)
    let sigmas = common.indices.map { corner[(common.count + 1) * $0].squareRoot() }
    var estimates: [TrackEstimate] = []
    var verdicts: [RangeVerdict] = []
    estimates.reserveLargePages(ranges.count)
    verdicts.reserveCapacity(ranges.count)
    var reached = 0
    var last = Timestamp(nanoseconds: .min)
    /// Appends the estimate at a measurement, and those of states without measurements before it.
    func append(at time: Timestamp, state: Int) {
      for between in reached..<max(reached, state) {
        estimates.append(estimate(between, after: last, before: time, covariances))
      }
      reached = max(reached, state + 1)
      last = time
      let estimate = estimate(at: time, state: state, covariance: covariances[state])
      if estimates.last?.time == time {
        estimates[estimates.count - 1] = estimate
      } else {
        estimates.append(estimate)
      }
    }
    var next = 0
    var others = zip(differences, knots.differenceStates).map { ($0.time, Int($1)) }
    if !instants.isEmpty {
      others = (others + instants).sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }
    func appendOthers(before limit: Timestamp?) {
      while next < others.count, limit.map({ others[next].0 < $0 }) ?? true {
        append(at: others[next].0, state: others[next].1)
        next += 1
      }
    }
    for (index, range) in ranges.enumerated() {
      let state = Int(knots.states[index])
      guard state >= 0 else {
        verdicts.append(knots.isRepeated[index] ? .duplicate : .invalid)
        continue
      }
      appendOthers(before: range.time)
      verdicts.append(
        density.verdict(
          expectation(range, state: state).residual, variance: variances(range).single))
      append(at: range.time, state: state)
    }
    appendOthers(before: nil)
    widen(&estimates)
    for index in estimates.indices where region != nil || mirror != nil {
      region?.keep(&estimates[index])
      guard estimates[index].status == .ambiguous else { continue }
      estimates[index].alternative = mirror?.image(of: estimates[index].position)
    }
    return SmoothedTrack(
      estimates: estimates, verdicts: verdicts,
      bias: hasBias && configuration.errors.biasSigma > 0 ? (bias, sigmas[0]) : nil,
      scale: hasBias && configuration.errors.scaleSigma > 0 ? (scale, sigmas[1]) : nil,
      offsets: anchors.indices.map { anchor in
        guard let offsets = layout.offsets, ranged.contains(anchor) else { return nil }
        return (common[offsets + anchor], sigmas[offsets + anchor])
      },
      anchorPositions: anchors.indices.map { anchor in
        ranged.contains(anchor) ? position(ofAnchor: anchor, corner: corner) : nil
      },
      covarianceFactor: inflation * errors.factor, iterations: iterations,
      signals: signals.map { curve in
        let cost = layout.signals.reduce(0.0) { cost, index in
          cost
            + Self.cost(of: (common[index], sigmas[index]), prior: priorSigma(ofCommon: index))
        }
        return (curve.with(unknowns: common[layout.signals]), cost)
      },
      isConverged: isConverged)
  }

  /// Returns the estimate of a state without measurements, between those at `last` and `next`.
  private func estimate(
    _ state: Int, after last: Timestamp, before next: Timestamp, _ covariances: [Matrix<N, N>]
  ) -> TrackEstimate {
    let time = knots.times[state]
    var result = estimate(at: time, state: state, covariance: covariances[state])
    if min(time.seconds(since: last), next.seconds(since: time)) > configuration.coastAfter {
      result.status = .coasting
    }
    return result
  }

  /// Adds the effect of persistent errors of the ranges around each estimate.
  private func widen(_ estimates: inout [TrackEstimate]) {
    guard
      let persistent = PersistentErrors(
        configuration.errors, isLevel: configuration.exactHeight != nil)
    else { return }
    var latest = [Timestamp?](repeating: nil, count: anchors.count)
    var arrived = latest
    var (next, nextDifference) = (0, 0)
    for index in estimates.indices {
      let time = estimates[index].time
      let begin = time.advanced(bySeconds: -PersistentErrors.memory)
      let end = time.advanced(bySeconds: PersistentErrors.memory)
      while next < ranges.count, ranges[next].time <= end {
        if knots.states[next] >= 0 { latest[ranges[next].anchor] = ranges[next].time }
        next += 1
      }
      while nextDifference < differences.count, differences[nextDifference].time <= end {
        arrived[differences[nextDifference].first] = differences[nextDifference].time
        arrived[differences[nextDifference].second] = differences[nextDifference].time
        nextDifference += 1
      }
      persistent.widen(
        &estimates[index].covariance, at: estimates[index].position, anchors: anchors,
        ranged: { latest[$0].map { $0 >= begin } ?? false },
        arrived: { arrived[$0].map { $0 >= begin } ?? false })
    }
  }

  /// Returns the cost of an estimated unknown against its prior, zero with the standard deviation
  /// `prior`, in nats.
  ///
  /// It consists of the deviation from zero and the reduction of the variance [MacKay 2003, Ch.
  /// 28].
  static func cost(of found: (value: Double, sigma: Double), prior: Double) -> Double {
    let deviation = found.value / prior
    return 0.5 * deviation * deviation + .log(prior / found.sigma)
  }

  private func estimate(
    at time: Timestamp, state: Int, covariance: Matrix<N, N>
  ) -> TrackEstimate {
    let after = time.seconds(since: knots.times[state])
    var estimate = TrackEstimate(
      time: time, position: .zero, velocity: .zero, covariance: .zero,
      status: isAmbiguous.isEmpty || !isAmbiguous[state] ? .tracking : .ambiguous)
    estimate.position[2] = configuration.height ?? 0
    let axes = Self.axes
    for axis in 0..<axes {
      let velocity = states[N * state + axes + axis]
      estimate.position[axis] = states[N * state + axis] + after * velocity
      estimate.velocity[axis] = velocity
      for other in 0...axis {
        let own = covariance[axis, other]
        let cross = covariance[axis, axes + other] + covariance[axes + axis, other]
        let speed = covariance[axes + axis, axes + other]
        let value = own + after * (cross + after * speed)
        estimate.covariance[axis, other] = value
        estimate.covariance[other, axis] = value
      }
    }
    return estimate
  }
}

/// Covariances of a smoothed track that match its errors.
extension SmootherRun {
  /// Returns the error model from the residuals of the present track; the assumed one if
  /// covariances are not calibrated, or with too few degrees of freedom.
  ///
  /// `corner` is the covariance of the common unknowns.
  func residualErrorModel(_ corner: [Double]) -> ResidualErrorModel {
    guard configuration.calibratesCovariance else { return ResidualErrorModel() }
    var stretches = ResidualVarianceEstimator(anchorCount: anchors.count, axes: Self.axes)
    for (index, range) in ranges.enumerated() {
      let state = Int(knots.states[index])
      guard state >= 0 else { continue }
      let (single, effective) = variances(range)
      let residual = expectation(range, state: state).residual
      // A down-weighted range is no sample of the errors of the others.
      guard density.weight(residual * residual / single) >= 0.5 else { continue }
      stretches.add(
        residual, single: single, effective: effective, anchor: range.anchor, at: range.time)
    }
    addDifferences(to: &stretches)
    var unknowns = 0.0
    for index in common.indices {
      let prior = priorSigma(ofCommon: index)
      guard prior > 0 else { continue }
      unknowns += max(0, 1 - corner[(common.count + 1) * index] / (prior * prior))
    }
    return stretches.errors(unknowns: unknowns)
  }

  /// Returns the factor on the covariance `own` of a state that accounts for the bandwidth of its errors.
  func bandwidthFactor(
    _ errors: ResidualErrorModel, _ own: Matrix<N, N>, _ ofCommon: Matrix<N, N>
  ) -> Double {
    let time = configuration.errors.correlationTime
    var (position, velocity) = (0.0, 0.0)
    for axis in 0..<Self.axes {
      let speed = Self.axes + axis
      position += own[axis, axis] + ofCommon[axis, axis]
      velocity += own[speed, speed] + ofCommon[speed, speed]
    }
    return errors.bandwidthFactor(time * time * velocity / position)
  }
}
