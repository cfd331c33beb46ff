/// What is named, and what is too small to be.
extension ContradictionSearch {
  func finding(_ best: Candidate, _ others: [Int]) -> Finding? {
    let fit = best.fit
    let size = Self.leastSize * max(fit.sigma, givenSigma)
    switch best.cause {
    case .bias, .gain: return nil
    case .without(let anchor), .offset(let anchor):
      let own = fit.hypothesis.isUsed[anchor] ? fit.hypothesis.offsets[anchor] : 0
      let errors = errors(of: anchor, in: fit).map { (value: $0.value + own, weight: $0.weight) }
      let value = weightedMedian(errors)
      let spread = weightedMedian(errors.map { (($0.value - value).magnitude, $0.weight) }) / 0.6745
      let whole = errors.reduce(0) { $0 + $1.weight }
      let apart = errors.filter { $0.value * value > 0 && $0.value.magnitude > value.magnitude / 2 }
      let share = apart.reduce(0) { $0 + $1.weight } / max(whole, 1e-300)
      guard value.magnitude >= size, share >= 0.9 else { return nil }
      return .offset(
        anchor: anchor, meters: value,
        sigma: max(spread, fit.sigma) / Double(epochs.places).squareRoot(), share: share)
    case .misplaced(let anchor):
      let place = fit.hypothesis.sites[anchor]
      let offset = place - base.hypothesis.sites[anchor]
      let distance = (offset * offset).sum().squareRoot()
      guard distance >= size else { return nil }
      return .misplaced(
        anchor: anchor, at: place, sigma: fit.variance.squareRoot(), distance: distance)
    case .renamed(let sites):
      let moved = sites.indices.filter { sites[$0] != $0 }
      return .renamed(
        anchors: moved, sites: moved.map { sites[$0] }, before: consistentShare(base, fit.sigma),
        after: consistentShare(fit, fit.sigma), or: others)
    case .height:
      guard let height = fit.hypothesis.height, let before = base.hypothesis.height,
        fit.covariance != nil
      else { return nil }
      let sigma = fit.variance.squareRoot()
      let middle = meanHeight
      guard
        (height - before).magnitude >= Self.leastSize * max(sigma, base.hypothesis.heightSigma ?? 0)
      else { return nil }
      var other = fit.hypothesis
      other.height = 2 * middle - height
      let mirror = HypothesisFit(
        epochs, other, givenSigma: givenSigma, extent: extent, from: fit.positions)
      return .height(
        meters: height, sigma: sigma, anchors: middle,
        isMirrored: mirror.logLikelihood > fit.logLikelihood - Self.preferred)
    case .unit(let ofAnchors, let factor): return .unit(ofAnchors: ofAnchors, factor: factor)
    }
  }

  /// Returns the share of epochs in which every range fits within four standard deviations.
  func consistentShare(_ fit: HypothesisFit, _ sigma: Double) -> Double {
    var count = 0
    for index in 0..<fit.epochs.count {
      let fits = fit.epochs.ranges(of: index).allSatisfy {
        !fit.hypothesis.isUsed[fit.epochs.anchors[$0]] || fit.residuals[$0].magnitude <= 4 * sigma
      }
      if fits { count += 1 }
    }
    return Double(count) / Double(max(1, fit.epochs.count))
  }

  /// Whether a layout, a unit or a height was found wrong.
  ///
  /// An error of all ranges imitates them, so that none is to be searched for then.
  var isLayoutWrong: Bool {
    !findings.allSatisfy { if case .offset = $0 { true } else { false } }
  }
}

extension ContradictionSearch {
  func errors(of anchor: Int, in fit: HypothesisFit) -> [(value: Double, weight: Double)] {
    var result: [(Double, Double)] = []
    for index in 0..<fit.epochs.count {
      for range in fit.epochs.ranges(of: index) where fit.epochs.anchors[range] == anchor {
        result.append((fit.residuals[range], fit.epochs.weights[index]))
      }
    }
    return result
  }

  func median(of anchor: Int, in fit: HypothesisFit) -> Double {
    weightedMedian(errors(of: anchor, in: fit))
  }

  /// Returns the median of the sizes of an anchor's residuals, metres.
  func usualError(of anchor: Int, in fit: HypothesisFit) -> Double {
    weightedMedian(errors(of: anchor, in: fit).map { ($0.value.magnitude, $0.weight) })
  }

  /// Returns the same for every anchor.
  func usualErrors(_ fit: HypothesisFit) -> [Double] {
    var sizes = [[(value: Double, weight: Double)]](repeating: [], count: ranged.count)
    for index in 0..<fit.epochs.count {
      for range in fit.epochs.ranges(of: index) {
        sizes[fit.epochs.anchors[range]].append(
          (fit.residuals[range].magnitude, fit.epochs.weights[index]))
      }
    }
    return sizes.map(weightedMedian)
  }

  /// Whether the usual residual of an anchor differs between the halves of the epochs by more than ranges
  /// scatter.
  var hasAnchorThatChanges: Bool {
    let middle = base.epochs.count / 2
    typealias Errors = [(value: Double, weight: Double)]
    var halves = [(first: Errors, second: Errors)](repeating: ([], []), count: ranged.count)
    for index in 0..<base.epochs.count {
      for range in base.epochs.ranges(of: index) {
        let error = (base.residuals[range], base.epochs.weights[index])
        let anchor = base.epochs.anchors[range]
        if index < middle {
          halves[anchor].first.append(error)
        } else {
          halves[anchor].second.append(error)
        }
      }
    }
    return halves.contains { first, second in
      !first.isEmpty && !second.isEmpty
        && (weightedMedian(first) - weightedMedian(second)).magnitude
          > Self.leastTrace * base.sigma
    }
  }

  func weightedMedian(_ values: [(value: Double, weight: Double)]) -> Double {
    let sorted = values.sorted { ($0.value, $0.weight) < ($1.value, $1.weight) }
    let half = sorted.reduce(0) { $0 + $1.weight } / 2
    var sum = 0.0
    for element in sorted {
      sum += element.weight
      if sum >= half { return element.value }
    }
    return 0
  }
}

extension ContradictionSearch.Finding {
  /// Returns the finding with the anchors' indices in the list `given`.
  func naming(_ given: [Int]) -> Self {
    switch self {
    case .offset(let anchor, let meters, let sigma, let share):
      .offset(anchor: given[anchor], meters: meters, sigma: sigma, share: share)
    case .renamed(let anchors, let sites, let before, let after, let others):
      .renamed(
        anchors: anchors.map { given[$0] }, sites: sites.map { given[$0] }, before: before,
        after: after, or: others.map { given[$0] })
    case .misplaced(let anchor, let place, let sigma, let distance):
      .misplaced(anchor: given[anchor], at: place, sigma: sigma, distance: distance)
    case .height, .unit: self
    }
  }
}
