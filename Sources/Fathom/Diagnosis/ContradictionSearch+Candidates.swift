/// The causes that are searched for, each fitted to the epochs.
extension ContradictionSearch {
  /// The most anchors whose own errors are searched for.
  static let mostSuspects = 16
  /// The most anchors of which any two may be exchanged.
  static let mostExchanged = 8

  func candidates(from plain: HypothesisFit, onlyHeight: Bool) -> [Candidate] {
    var result: [Candidate] = []
    func add(_ cause: Cause) {
      if let found = candidate(cause, from: plain) { result.append(found) }
    }
    add(.bias)
    add(.gain)
    if plain.hypothesis.height != nil { add(.height) }
    if onlyHeight { return result }
    units().forEach(add)
    // Of many anchors, those that contradict the others most.
    let errors = usualErrors(plain)
    let used = ranged.filter { plain.hypothesis.isUsed[$0] }
      .sorted { (errors[$0], $1) > (errors[$1], $0) }
    if 2 * (used.count - 1) > ranged.count {
      for anchor in used.prefix(Self.mostSuspects) {
        let without = fit(without: anchor, from: plain)
        for case let found? in [
          scored(.without(anchor), without, price: 0), offsetCandidate(anchor, without: without),
          siteCandidate(anchor, without: without, from: plain),
        ] { result.append(found) }
      }
    }
    let suspects = used.prefix(Self.mostExchanged).sorted()
    for (place, one) in suspects.enumerated() {
      for other in suspects[(place + 1)...] {
        var sites = ranged
        sites.swapAt(one, other)
        add(.renamed(sites))
      }
    }
    return result
  }

  /// The root mean square distance of the anchors from their centre, metres.
  var spread: Double {
    var centre = SIMD3<Double>.zero
    for anchor in ranged { centre += base.hypothesis.sites[anchor] }
    centre /= Double(max(1, ranged.count))
    var squares = 0.0
    for anchor in ranged {
      let offset = base.hypothesis.sites[anchor] - centre
      squares += (offset * offset).sum()
    }
    return (squares / Double(max(1, ranged.count))).squareRoot()
  }

  /// The units that bring the ranges to the size of the layout of anchors.
  ///
  /// What is too large is in a unit that is too small: what is too small would be in one that nobody uses.
  func units() -> [Cause] {
    guard base.hypothesis.gain == 1, findings.isEmpty else { return [] }
    let (spread, usual) = (spread, usualDistance)
    guard spread > 0, usual > 0 else { return [] }
    let causes: [Cause] =
      Self.units.flatMap { size in
        [.unit(ofAnchors: true, factor: size), .unit(ofAnchors: false, factor: size)]
      } + Self.roundTrips.map { .unit(ofAnchors: false, factor: $0) }
    return causes.filter { cause in
      guard case .unit(let ofAnchors, let factor) = cause else { return false }
      // Tags are as far from the anchors as these are from each other, within a factor of five.
      let ratio = usual / spread * (ofAnchors ? factor : 1 / factor)
      return ratio > 0.2 && ratio < 5
    }
  }

  /// Returns a cause fitted to the epochs of `plain`; nil if it cannot be fitted.
  func candidate(_ cause: Cause, from plain: HypothesisFit) -> Candidate? {
    var hypothesis = plain.hypothesis
    switch cause {
    case .bias:
      var fit = plain
      fit.fit(.bias)
      let change = fit.hypothesis.bias - hypothesis.bias
      return scored(cause, fit, price: price(fit, within: Self.usualBias, from: change))
    case .gain:
      var fit = plain
      fit.fit(.gain)
      let change = fit.hypothesis.gain / hypothesis.gain - 1
      return scored(cause, fit, price: price(fit, within: Self.usualScale, from: change))
    case .height: return heightCandidate(from: plain)
    case .without(let anchor): return scored(cause, fit(without: anchor, from: plain), price: 0)
    case .offset(let anchor):
      return offsetCandidate(anchor, without: fit(without: anchor, from: plain))
    case .misplaced(let anchor):
      return siteCandidate(anchor, without: fit(without: anchor, from: plain), from: plain)
    case .renamed(let sites):
      hypothesis.sites = sites.map { plain.hypothesis.sites[$0] }
      return scored(cause, searched(hypothesis, from: plain), price: renamingPrice(sites))
    case .unit(true, let factor):
      for anchor in hypothesis.sites.indices { hypothesis.sites[anchor] /= factor }
      return scored(cause, searched(hypothesis, from: plain), price: 0)
    case .unit(false, let factor):
      hypothesis.gain = factor
      return scored(cause, searched(hypothesis, from: plain), price: 0)
    }
  }

  func scored(_ cause: Cause, _ fit: HypothesisFit, price: Double) -> Candidate? {
    guard fit.logLikelihood.isFinite, price.isFinite else { return nil }
    return Candidate(
      cause: cause, fit: fit, score: fit.logLikelihood - price + odds(cause, fit))
  }

  /// Returns the fit of another layout, with positions that are searched for.
  func searched(
    _ hypothesis: RangeHypothesis, from plain: HypothesisFit
  ) -> HypothesisFit {
    HypothesisFit(
      plain.epochs, hypothesis, givenSigma: givenSigma, extent: extent, from: plain.positions,
      searches: true,
      ifBelow: plain.usualMisfit)
  }

  func fit(without anchor: Int, from plain: HypothesisFit) -> HypothesisFit {
    var hypothesis = plain.hypothesis
    hypothesis.isUsed[anchor] = false
    hypothesis.offsets[anchor] = 0
    return HypothesisFit(
      plain.epochs, hypothesis, givenSigma: givenSigma, extent: extent, from: plain.positions,
      searches: true)
  }

  func offsetCandidate(_ anchor: Int, without: HypothesisFit) -> Candidate? {
    let value = median(of: anchor, in: without)
    guard value.magnitude > Self.leastTrace * max(without.sigma, givenSigma) else { return nil }
    var hypothesis = without.hypothesis
    hypothesis.isUsed[anchor] = true
    hypothesis.offsets[anchor] = value
    var fit = HypothesisFit(
      without.epochs, hypothesis, givenSigma: givenSigma, extent: extent, from: without.positions)
    fit.fit(.offset(anchor))
    return scored(.offset(anchor), fit, price: price(fit, within: [2 * extent]))
  }

  func siteCandidate(
    _ anchor: Int, without: HypothesisFit, from plain: HypothesisFit
  ) -> Candidate? {
    guard usualError(of: anchor, in: without) > Self.leastTrace * max(without.sigma, givenSigma),
      let site = site(of: anchor, in: without)
    else { return nil }
    var hypothesis = without.hypothesis
    hypothesis.isUsed[anchor] = true
    hypothesis.sites[anchor] = site
    var fit = HypothesisFit(
      without.epochs, hypothesis, givenSigma: givenSigma, extent: extent, from: without.positions)
    fit.fit(.site(anchor, isSpace: false))
    let which = Double.log(Double(ranged.count))
    var cost = price(fit, within: [extent, extent]) + which
    if hypothesis.unknowns == 3 {
      var free = fit
      free.fit(.site(anchor, isSpace: true))
      let whole = price(free, within: [extent, extent, extent]) + which
      if free.logLikelihood - whole > fit.logLikelihood - cost, isApart(free, plain, anchor) {
        (fit, cost) = (free, whole)
      }
    }
    // Ranges from one place move an anchor on a circle, which only its distance tells.
    return isApart(fit, plain, anchor) ? scored(.misplaced(anchor), fit, price: cost) : nil
  }

  /// Returns the logarithm of the prior odds of a cause.
  func odds(_ cause: Cause, _ fit: HypothesisFit) -> Double {
    switch cause {
    // Whatever the reason, a path may be obstructed all the time as well as once.
    case .without(let anchor):
      median(of: anchor, in: fit) > 0 ? .log(OutlierOdds().late) : .log(OutlierOdds().early)
    case .offset(let anchor):
      fit.hypothesis.offsets[anchor] > 0 ? .log(OutlierOdds().late) : .log(OutlierOdds().early)
    // Tags that are so far from their anchors, or so near, are as rare as a wrong unit.
    case .unit where !(0.05...20).contains(usualDistance / spread): 0
    default: Self.fault
    }
  }

  /// The median of the ranges, metres.
  var usualDistance: Double {
    let sorted = epochs.distances.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  func heightCandidate(from plain: HypothesisFit) -> Candidate? {
    var hypothesis = plain.hypothesis
    hypothesis.heightSigma = nil
    let middle = meanHeight
    let sorted = epochs.distances.sorted()
    let reach = sorted[sorted.count / 2]
    var best: HypothesisFit?
    for step in [0.05, 0.12, 0.22, 0.35, 0.55, 0.85] {
      for side in [-1.0, 1] {
        hypothesis.height = middle + side * step * reach
        let fit = HypothesisFit(
          plain.epochs, hypothesis, givenSigma: givenSigma, extent: extent, from: plain.positions)
        if fit.logLikelihood > best?.logLikelihood ?? -.infinity { best = fit }
      }
    }
    guard var fit = best else { return nil }
    fit.fit(.height)
    let cost = price(fit, within: [2 * extent])
    return scored(.height, fit, price: cost)
  }

  /// Returns the logarithm of how much a fit narrows the values of its parameter, nats.
  func price(_ fit: HypothesisFit, within widths: [Double]) -> Double {
    var sum = 0.0
    for (index, width) in widths.enumerated() {
      let variance = fit.covariance?[index, index] ?? 0
      guard variance > 0 else { return .infinity }
      // A normal distribution is as narrow as 2.5 standard deviations.
      sum += max(0, .log(width / (2.5 * variance.squareRoot())))
    }
    return sum
  }

  /// Returns the same for an error with Student's distribution, three degrees of freedom, of a usual
  /// size.
  func price(_ fit: HypothesisFit, within size: Double, from error: Double) -> Double {
    let scaled = error / size
    return price(fit, within: [2.72 * size]) + 2 * .log(1 + scaled * scaled / 3)
  }

  /// The usual size of a bias of all ranges, metres: that of antenna delays which nobody calibrated.
  static let usualBias = 0.5
  /// The usual size of a scale of all ranges: clocks err by a hundred-thousandth, but errors that grow
  /// with the distance were seen to be some hundredths.
  static let usualScale = 0.02

  /// Returns the candidate fitted to all epochs.
  func refitted(_ candidate: Candidate) -> Candidate {
    self.candidate(candidate.cause, from: base) ?? candidate
  }

  var meanHeight: Double {
    ranged.reduce(0) { $0 + base.hypothesis.sites[$1].z } / Double(max(1, ranged.count))
  }

  /// Returns whether an anchor is elsewhere by at least five standard deviations.
  func isApart(_ fit: HypothesisFit, _ plain: HypothesisFit, _ anchor: Int) -> Bool {
    let moved = fit.hypothesis.sites[anchor] - plain.hypothesis.sites[anchor]
    return (moved * moved).sum() >= Self.leastSize * Self.leastSize * fit.variance
  }

  /// Returns where the other anchors put an anchor.
  func site(of anchor: Int, in fit: HypothesisFit) -> SIMD3<Double>? {
    var (ranges, places): ([Double], [Vector<3>]) = ([], [])
    for index in 0..<fit.epochs.count {
      for range in fit.epochs.ranges(of: index) where fit.epochs.anchors[range] == anchor {
        let place = fit.positions[index]
        ranges.append(
          max(0, (fit.epochs.distances[range] - fit.hypothesis.bias) / fit.hypothesis.gain))
        places.append(Vector([place.x, place.y, place.z]))
      }
    }
    let stated = fit.hypothesis.sites[anchor]
    var options = PositionOptions()
    options.zeroIsDistance = true
    options.height = stated.z
    let found = try? Trilateration.squaredRangeMinimum(
      ranges: ranges, anchors: places, options: options)
    let sites = (found ?? []).map { SIMD3($0[0], $0[1], $0[2]) }
    return sites.min {
      (($0 - stated) * ($0 - stated)).sum() < (($1 - stated) * ($1 - stated)).sum()
    }
  }
}
