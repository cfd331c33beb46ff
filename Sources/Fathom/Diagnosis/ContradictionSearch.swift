/// A search for what makes the ranges of a recording contradict its anchors or its height.
///
/// Every cause is a hypothesis that explains all epochs anew. It is named if it is 400 times as
/// likely as the input as told, and 20 times as likely as every other cause. All epochs of one place
/// together count as one witness, so that errors that last do not count as evidence. What was found
/// then belongs to the input, and the search goes on.
struct ContradictionSearch {
  /// A contradiction that was found.
  enum Finding: Equatable {
    /// The ranges of an anchor err all the time.
    case offset(anchor: Int, meters: Double, sigma: Double, share: Double)
    /// Two anchors stand in each other's place; the shares of consistent epochs, as told and
    /// exchanged.
    /// In layouts that are nearly symmetric, another pair explains the ranges as well.
    case exchanged(Int, Int, before: Double, after: Double, or: [Int])
    /// An anchor stands elsewhere.
    case misplaced(anchor: Int, at: SIMD3<Double>, sigma: Double, distance: Double)
    /// The tags have another height; mirrored if it may as well be as far on the other side of the
    /// anchors, whose mean height is given.
    case height(meters: Double, sigma: Double, anchors: Double, isMirrored: Bool)
    /// The positions of the anchors, or the ranges, are to be multiplied by a factor.
    case unit(ofAnchors: Bool, factor: Double)
  }

  /// A hypothesis with its cause.
  private struct Candidate {
    var cause: Cause
    var fit: HypothesisFit
    /// The logarithm of the likelihood, less what the freedom of the hypothesis costs, nats.
    var score: Double
  }

  private enum Cause: Equatable {
    case bias
    case gain
    case height
    case without(Int)
    case offset(Int)
    case misplaced(Int)
    case exchanged(Int, Int)
    case unit(ofAnchors: Bool, factor: Double)

    /// Whether two causes do not rule each other out: they blame the same.
    func agrees(with other: Cause) -> Bool {
      if let anchor, anchor == other.anchor { return true }
      switch (self, other) {
      case (.unit(_, let factor), .unit(_, let same)):
        return (factor * same - 1).magnitude < 1e-9 || factor == same
      case (.exchanged, .exchanged): return true
      case (.unit, .gain), (.gain, .unit): return true
      case (_, _) where isCommon && other.isCommon: return true
      default: return false
      }
    }

    /// Whether it is an error of all ranges, which a calibration corrects.
    var isCommon: Bool { self == .bias || self == .gain }

    private var anchor: Int? {
      switch self {
      case .without(let anchor), .offset(let anchor), .misplaced(let anchor): anchor
      default: nil
      }
    }
  }

  private let epochs: DiagnosedEpochs
  private let screened: DiagnosedEpochs
  private let told: Double
  private let extent: Double
  private let anchorCount: Int
  /// The anchors that occur.
  private let heard: [Int]
  private(set) var findings: [Finding] = []
  /// The fit with all findings.
  private(set) var base: HypothesisFit

  /// The logarithm of the odds at which a cause is named: 400 to 1.
  private static let decisive = 6.0
  /// The logarithm of the odds at which it is preferred to another: 20 to 1.
  private static let preferred = 3.0
  /// The prior odds of a kind of mistake: one recording in a hundred has it.
  private static let fault = -4.6
  /// The least size of a mistake that is named, in standard deviations.of ranges. Smaller errors are
  /// for the calibration.
  private static let leastSize = 5.0
  /// The least usual residual of an anchor that is searched for a cause, in standard deviations.
  private static let leastTrace = 2.0
  private static let mostRounds = 5
  private static let screenedEpochs = 16
  private static let feet = 1 / 0.3048

  /// Searches the epochs; nil if fewer than ten are redundant.
  init?(
    _ epochs: [RangeErrorEstimate.Epoch], anchors: [SIMD3<Double>], height: Double?,
    heightSigma: Double?, side: AnchorSide?, told: Double
  ) {
    var hypothesis = RangeHypothesis(
      sites: anchors, offsets: Array(repeating: 0, count: anchors.count),
      isUsed: Array(repeating: true, count: anchors.count), height: height,
      heightSigma: height == nil ? nil : heightSigma)
    hypothesis.prefersLower = side != .above
    let needed = hypothesis.unknowns + (hypothesis.heightSigma == nil ? 1 : 0)
    let redundant = epochs.filter { $0.anchors.count >= needed }
    guard redundant.count >= 10 else { return nil }
    self.epochs = DiagnosedEpochs(redundant, anchorCount: anchors.count, reach: 4 * told)
    screened = self.epochs.every(max(1, redundant.count / Self.screenedEpochs))
    self.told = told
    anchorCount = anchors.count
    heard = Set(self.epochs.anchors).sorted()
    var width = 0.0
    for one in heard {
      for other in heard {
        let offset = anchors[one] - anchors[other]
        width = max(width, (offset * offset).sum().squareRoot())
      }
    }
    let sorted = self.epochs.distances.sorted()
    extent = max(width + sorted[sorted.count / 2], 1e-3)
    base = HypothesisFit(self.epochs, hypothesis, told: told, extent: extent)
    for _ in 0..<Self.mostRounds {
      // A wrong height contradicts the ranges less than an anchor does.
      if isClean, base.sigma <= told || hypothesis.height == nil || heightSigma != nil { break }
      guard goesOn(onlyHeight: isClean) else { break }
    }
  }

  /// Whether the ranges fit about as they are told to, each anchor's for itself.
  private var isClean: Bool {
    if base.sigma > 2 * told { return false }
    let limit = 2 * max(base.sigma, told)
    return heard.allSatisfy { anchor in
      !base.hypothesis.isUsed[anchor] || usualError(of: anchor, in: base) <= limit
    }
  }

  /// Searches once more; returns whether something was found.
  private mutating func goesOn(onlyHeight: Bool) -> Bool {
    var plain = HypothesisFit(screened, base.hypothesis, told: told, extent: extent)
    let candidates = candidates(from: plain, onlyHeight: onlyHeight).sorted { $0.score > $1.score }
    var finalists: [Candidate] = []
    // The best of each cause, and the best rivals.
    for candidate in candidates.prefix(5) where candidate.score > plain.logLikelihood {
      finalists.append(refitted(candidate))
    }
    plain = base
    finalists.sort { $0.score > $1.score }
    guard var best = finalists.first, best.score >= plain.logLikelihood + needed(best) else {
      return false
    }
    let rivals = finalists.dropFirst().filter {
      !$0.cause.agrees(with: best.cause) && $0.score > best.score - Self.preferred
    }
    // A height and a bias are hard to distinguish: what fits best is named.
    if best.cause != .height, !best.cause.isCommon, let rival = rivals.first {
      // Without an error of all ranges, the cause may be clear.
      guard rival.cause.isCommon else { return false }
      base = rival.fit
      return true
    }
    if best.cause == .gain {
      let scale = 1 / best.fit.hypothesis.gain
      let unit = finalists.first {
        guard case .unit(let ofAnchors, let factor) = $0.cause else { return false }
        return ((ofAnchors ? factor : 1 / factor) * scale - 1).magnitude < 0.1
          || ((ofAnchors ? 1 / factor : factor) / scale - 1).magnitude < 0.1
      }
      if let unit { best = unit }
    }
    if case .unit(let ofAnchors, let factor) = best.cause, ofAnchors != blamesAnchors,
      Double.log(factor).magnitude > .log(5),
      let other = finalists.first(where: { $0.cause == .unit(ofAnchors: !ofAnchors, factor: 1 / factor) })
    {
      best = other
    }
    var others: [Int] = []
    if case .exchanged = best.cause {
      for case let rival in finalists.dropFirst() where rival.score > best.score - Self.preferred {
        if case .exchanged(let one, let other) = rival.cause, others.isEmpty {
          others = [one, other]
        }
      }
    }
    if let finding = finding(best, others) { findings.append(finding) }
    base = best.fit
    return true
  }

  /// Returns the odds that a cause needs against the input as told.
  private func needed(_ best: Candidate) -> Double {
    switch best.cause {
    // Where an anchor errs all the time, the input as told explains it by ranges that are wrong all
    // the time: that is the same, and the odds are only to distinguish it from other causes.
    case .without, .offset: finding(best, []) == nil ? Self.decisive : 0
    default: Self.decisive
    }
  }

  /// Whether an error of all ranges would explain them decisively better, or was found.
  var suspectsCommonErrors: Bool {
    if base.hypothesis.bias != 0 || base.hypothesis.gain != 1 { return true }
    return [Cause.bias, .gain].contains { cause in
      guard let found = candidate(cause, from: base) else { return false }
      return found.score >= base.logLikelihood + Self.decisive
    }
  }

  /// The median dilution of precision of horizontal positions and of heights.
  var dilutions: (horizontal: Double, vertical: Double) { base.dilutions }

  // MARK: Candidates

  private func candidates(from plain: HypothesisFit, onlyHeight: Bool) -> [Candidate] {
    var result: [Candidate] = []
    func add(_ cause: Cause) { if let found = candidate(cause, from: plain) { result.append(found) } }
    add(.bias)
    add(.gain)
    if plain.hypothesis.height != nil { add(.height) }
    if onlyHeight { return result }
    units().forEach(add)
    let used = heard.filter { plain.hypothesis.isUsed[$0] }
    if 2 * (used.count - 1) > heard.count {
      for anchor in used {
        let without = fit(without: anchor, from: plain)
        for case let found? in [
          scored(.without(anchor), without, price: 0), offsetCandidate(anchor, without: without),
          siteCandidate(anchor, without: without, from: plain),
        ] { result.append(found) }
      }
    }
    // Pairs are many: of many anchors only the worst are exchanged.
    let sizes = anchorErrors(plain)
    let worst = used.sorted { (sizes[$0], $1) > (sizes[$1], $0) }
    let suspects = worst.prefix(8).sorted()
    for (place, one) in suspects.enumerated() {
      for other in suspects[(place + 1)...] { add(.exchanged(one, other)) }
    }
    return result
  }

  /// Whether the positions of the anchors are in another unit rather than the ranges: what is closer
  /// to ten metres is right.
  private var blamesAnchors: Bool {
    let sorted = epochs.distances.sorted()
    func departure(_ size: Double) -> Double { Double.log(max(size, 1e-9) / 10).magnitude }
    return departure(sorted[sorted.count / 2]) < departure(spread)
  }

  /// The root mean square distance of the anchors from their centre, metres.
  private var spread: Double {
    var centre = SIMD3<Double>.zero
    for anchor in heard { centre += base.hypothesis.sites[anchor] }
    centre /= Double(max(1, heard.count))
    var squares = 0.0
    for anchor in heard {
      let offset = base.hypothesis.sites[anchor] - centre
      squares += (offset * offset).sum()
    }
    return (squares / Double(max(1, heard.count))).squareRoot()
  }

  /// The factors that bring the ranges to the size of the layout of anchors.
  private func units() -> [Cause] {
    guard base.hypothesis.gain == 1, findings.isEmpty else { return [] }
    let spread = spread
    let sorted = epochs.distances.sorted()
    let usual = sorted[sorted.count / 2]
    guard spread > 0, usual > 0 else { return [] }
    var result: [Cause] = []
    for size in [10, 100, 1000, Self.feet] {
      for factor in [size, 1 / size] {
        // Tags are as far from the anchors as these are from each other, within a factor of five.
        let ratio = usual / (spread * factor)
        guard ratio > 0.2, ratio < 5 else { continue }
        result.append(.unit(ofAnchors: true, factor: factor))
        result.append(.unit(ofAnchors: false, factor: 1 / factor))
      }
    }
    return result
  }

  /// Returns a cause fitted to the epochs of `plain`; nil if it is out of the question.
  private func candidate(_ cause: Cause, from plain: HypothesisFit) -> Candidate? {
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
    case .exchanged(let one, let other):
      hypothesis.sites.swapAt(one, other)
      let number = Double(heard.count)
      return scored(
        cause, searched(hypothesis, from: plain), price: .log(number * (number - 1) / 2))
    case .unit(true, let factor):
      for anchor in hypothesis.sites.indices { hypothesis.sites[anchor] *= factor }
      return scored(cause, searched(hypothesis, from: plain), price: 0)
    case .unit(false, let factor):
      hypothesis.gain = 1 / factor
      return scored(cause, searched(hypothesis, from: plain), price: 0)
    }
  }

  private func scored(_ cause: Cause, _ fit: HypothesisFit, price: Double) -> Candidate? {
    guard fit.logLikelihood.isFinite, price.isFinite else { return nil }
    return Candidate(
      cause: cause, fit: fit, score: fit.logLikelihood - price + odds(cause, fit))
  }

  /// Returns the fit of another layout, with positions that are searched for.
  private func searched(
    _ hypothesis: RangeHypothesis, from plain: HypothesisFit
  ) -> HypothesisFit {
    HypothesisFit(
      plain.epochs, hypothesis, told: told, extent: extent, from: plain.positions, searches: true,
      ifBelow: plain.usualMisfit)
  }

  private func fit(without anchor: Int, from plain: HypothesisFit) -> HypothesisFit {
    var hypothesis = plain.hypothesis
    hypothesis.isUsed[anchor] = false
    hypothesis.offsets[anchor] = 0
    return HypothesisFit(
      plain.epochs, hypothesis, told: told, extent: extent, from: plain.positions, searches: true)
  }

  private func offsetCandidate(_ anchor: Int, without: HypothesisFit) -> Candidate? {
    let value = median(of: anchor, in: without)
    guard value.magnitude > Self.leastTrace * max(without.sigma, told) else { return nil }
    var hypothesis = without.hypothesis
    hypothesis.isUsed[anchor] = true
    hypothesis.offsets[anchor] = value
    var fit = HypothesisFit(
      without.epochs, hypothesis, told: told, extent: extent, from: without.positions)
    fit.fit(.offset(anchor))
    return scored(.offset(anchor), fit, price: price(fit, within: [2 * extent]))
  }

  private func siteCandidate(
    _ anchor: Int, without: HypothesisFit, from plain: HypothesisFit
  ) -> Candidate? {
    guard usualError(of: anchor, in: without) > Self.leastTrace * max(without.sigma, told),
      let site = site(of: anchor, in: without)
    else { return nil }
    var hypothesis = without.hypothesis
    hypothesis.isUsed[anchor] = true
    hypothesis.sites[anchor] = site
    var fit = HypothesisFit(
      without.epochs, hypothesis, told: told, extent: extent, from: without.positions)
    fit.fit(.site(anchor, isSpace: false))
    let which = Double.log(Double(heard.count))
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
  private func odds(_ cause: Cause, _ fit: HypothesisFit) -> Double {
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
  private var usualDistance: Double {
    let sorted = epochs.distances.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  private func heightCandidate(from plain: HypothesisFit) -> Candidate? {
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
          plain.epochs, hypothesis, told: told, extent: extent, from: plain.positions)
        if fit.logLikelihood > best?.logLikelihood ?? -.infinity { best = fit }
      }
    }
    guard var fit = best else { return nil }
    fit.fit(.height)
    let cost = price(fit, within: [2 * extent])
    return scored(.height, fit, price: cost)
  }

  /// Returns the logarithm of how much a fit narrows the values of its parameter, nats.
  private func price(_ fit: HypothesisFit, within widths: [Double]) -> Double {
    var sum = 0.0
    for (index, width) in widths.enumerated() {
      let variance = fit.covariance.indices.contains(index) ? fit.covariance[index][index] : 0
      guard variance > 0 else { return .infinity }
      // A normal distribution is as narrow as 2.5 standard deviations.
      sum += max(0, .log(width / (2.5 * variance.squareRoot())))
    }
    return sum
  }

  /// Returns the same for an error with Student's distribution, three degrees of freedom, of a usual
  /// size.
  private func price(_ fit: HypothesisFit, within size: Double, from error: Double) -> Double {
    let scaled = error / size
    return price(fit, within: [2.72 * size]) + 2 * .log(1 + scaled * scaled / 3)
  }

  /// The usual size of a bias of all ranges, metres: that of antenna delays which nobody calibrated.
  private static let usualBias = 0.5
  /// The usual size of a scale of all ranges: clocks err by a hundred-thousandth, but errors that grow
  /// with the distance were seen to be some hundredths.
  private static let usualScale = 0.02

  /// Returns the candidate fitted to all epochs.
  private func refitted(_ candidate: Candidate) -> Candidate {
    self.candidate(candidate.cause, from: base) ?? candidate
  }

  private var meanHeight: Double {
    heard.reduce(0) { $0 + base.hypothesis.sites[$1].z } / Double(max(1, heard.count))
  }

  /// Returns whether an anchor is elsewhere by at least five standard deviations.
  private func isApart(_ fit: HypothesisFit, _ plain: HypothesisFit, _ anchor: Int) -> Bool {
    let variance = fit.covariance.indices.reduce(0) { $0 + fit.covariance[$1][$1] }
    let moved = fit.hypothesis.sites[anchor] - plain.hypothesis.sites[anchor]
    return (moved * moved).sum() >= Self.leastSize * Self.leastSize * variance
  }

  /// Returns where the other anchors put an anchor.
  private func site(of anchor: Int, in fit: HypothesisFit) -> SIMD3<Double>? {
    var (ranges, places): ([Double], [Vector<3>]) = ([], [])
    for index in 0..<fit.epochs.count {
      for range in fit.epochs.ranges(of: index) where fit.epochs.anchors[range] == anchor {
        let place = fit.positions[index]
        ranges.append(
          max(0, (fit.epochs.distances[range] - fit.hypothesis.bias) / fit.hypothesis.gain))
        places.append(Vector([place.x, place.y, place.z]))
      }
    }
    let told = fit.hypothesis.sites[anchor]
    var options = PositionOptions()
    options.zeroIsDistance = true
    options.height = told.z
    let found = try? Trilateration.squaredRangeMinimum(
      ranges: ranges, anchors: places, options: options)
    let sites = (found ?? []).map { SIMD3($0[0], $0[1], $0[2]) }
    return sites.min { (($0 - told) * ($0 - told)).sum() < (($1 - told) * ($1 - told)).sum() }
  }

  // MARK: Findings

  private func finding(_ best: Candidate, _ others: [Int]) -> Finding? {
    let fit = best.fit
    let size = Self.leastSize * max(fit.sigma, told)
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
      let variance = fit.covariance.indices.reduce(0) { $0 + fit.covariance[$1][$1] }
      guard distance >= size else { return nil }
      return .misplaced(
        anchor: anchor, at: place, sigma: variance.squareRoot(), distance: distance)
    case .exchanged(let one, let other):
      return .exchanged(
        one, other, before: consistentShare(base, fit.sigma),
        after: consistentShare(fit, fit.sigma), or: others)
    case .height:
      guard let height = fit.hypothesis.height, let before = base.hypothesis.height,
        let variance = fit.covariance.first?.first
      else { return nil }
      let sigma = variance.squareRoot()
      let middle = meanHeight
      guard (height - before).magnitude >= Self.leastSize * max(sigma, base.hypothesis.heightSigma ?? 0)
      else { return nil }
      var other = fit.hypothesis
      other.height = 2 * middle - height
      let mirror = HypothesisFit(epochs, other, told: told, extent: extent, from: fit.positions)
      return .height(
        meters: height, sigma: sigma, anchors: middle,
        isMirrored: mirror.logLikelihood > fit.logLikelihood - Self.preferred)
    case .unit(let ofAnchors, let factor): return .unit(ofAnchors: ofAnchors, factor: factor)
    }
  }

  /// Returns the share of epochs in which every range fits within four standard deviations.
  private func consistentShare(_ fit: HypothesisFit, _ sigma: Double) -> Double {
    var count = 0
    for index in 0..<fit.epochs.count {
      let fits = fit.epochs.ranges(of: index).allSatisfy {
        !fit.hypothesis.isUsed[fit.epochs.anchors[$0]] || fit.residuals[$0].magnitude <= 4 * sigma
      }
      if fits { count += 1 }
    }
    return Double(count) / Double(max(1, fit.epochs.count))
  }

  private func errors(of anchor: Int, in fit: HypothesisFit) -> [(value: Double, weight: Double)] {
    var result: [(Double, Double)] = []
    for index in 0..<fit.epochs.count {
      for range in fit.epochs.ranges(of: index) where fit.epochs.anchors[range] == anchor {
        result.append((fit.residuals[range], fit.epochs.weights[index]))
      }
    }
    return result
  }

  private func median(of anchor: Int, in fit: HypothesisFit) -> Double {
    weightedMedian(errors(of: anchor, in: fit))
  }

  /// Returns the median of the sizes of an anchor's residuals, metres.
  private func usualError(of anchor: Int, in fit: HypothesisFit) -> Double {
    weightedMedian(errors(of: anchor, in: fit).map { ($0.value.magnitude, $0.weight) })
  }

  /// Returns the usual size of each anchor's residuals, metres.
  private func anchorErrors(_ fit: HypothesisFit) -> [Double] {
    (0..<anchorCount).map { usualError(of: $0, in: fit) }
  }

  private func weightedMedian(_ values: [(value: Double, weight: Double)]) -> Double {
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
