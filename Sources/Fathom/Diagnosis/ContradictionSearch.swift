/// A search for what makes the ranges of a recording contradict its anchors or its height.
///
/// Every cause is a hypothesis that explains all epochs anew. It is named if it is 400 times as
/// likely as the input as given, and 20 times as likely as every other cause. All epochs of one place
/// together count as one measurement, so that persistent errors are not evidence. What was found
/// then belongs to the input, and the search goes on.
struct ContradictionSearch {
  /// A contradiction that was found.
  enum Finding: Equatable {
    /// The ranges of an anchor err all the time.
    case offset(anchor: Int, meters: Double, sigma: Double, share: Double)
    /// The ranges of `anchors` come from those of `sites`, the same ones in another order; the shares of
    /// consistent epochs, as given and in that order.
    /// In layouts that are nearly symmetric, exchanging another pair explains the ranges as well.
    case renamed(anchors: [Int], sites: [Int], before: Double, after: Double, or: [Int])
    /// An anchor stands elsewhere.
    case misplaced(anchor: Int, at: SIMD3<Double>, sigma: Double, distance: Double)
    /// The tags have another height; mirrored if it may as well be as far on the other side of the
    /// anchors, whose mean height is given.
    case height(meters: Double, sigma: Double, anchors: Double, isMirrored: Bool)
    /// The positions of the anchors, or else the ranges, are to be divided by a factor.
    case unit(ofAnchors: Bool, factor: Double)
  }

  /// A hypothesis with its cause.
  struct Candidate {
    var cause: Cause
    var fit: HypothesisFit
    /// The logarithm of the likelihood, less what the freedom of the hypothesis costs, nats.
    var score: Double
  }

  enum Cause: Equatable {
    case bias
    case gain
    case height
    case without(Int)
    case offset(Int)
    case misplaced(Int)
    /// The sites from which the ranges of all anchors come.
    case renamed([Int])
    /// The positions of the anchors, or else the ranges, are too large by a factor.
    case unit(ofAnchors: Bool, factor: Double)

    /// Whether two causes do not rule each other out: they blame the same.
    func agrees(with other: Cause) -> Bool {
      if let anchor, anchor == other.anchor { return true }
      switch (self, other) {
      case (.renamed, .renamed): return true
      case (.unit, .gain), (.gain, .unit): return true
      case (_, _) where isCommon && other.isCommon: return true
      default: return false
      }
    }

    /// Whether it is an error of all ranges, which a calibration corrects.
    var isCommon: Bool { self == .bias || self == .gain }

    var anchor: Int? {
      switch self {
      case .without(let anchor), .offset(let anchor), .misplaced(let anchor): anchor
      default: nil
      }
    }
  }

  let epochs: WeighedEpochs
  let screened: WeighedEpochs
  let givenSigma: Double
  let extent: Double
  /// The anchors, by their place among those that occur.
  let ranged: [Int]
  private(set) var findings: [Finding] = []
  /// The fit with all findings.
  private(set) var base: HypothesisFit

  /// The logarithm of the odds at which a cause is named: 400 to 1.
  static let decisive = 6.0
  /// The logarithm of the odds at which it is preferred to another: 20 to 1.
  static let preferred = 3.0
  /// The prior odds of a kind of mistake: one recording in a hundred has it.
  static let fault = -4.6
  /// The least size of a mistake that is named, in standard deviations of ranges.
  ///
  /// Smaller errors are for the calibration.
  static let leastSize = 5.0
  /// The least usual residual of an anchor that is searched for a cause, in standard deviations.
  static let leastTrace = 2.0
  /// The most standard deviations that ranges scatter by if nothing is wrong.
  static let mostNoise = 2.0
  static let mostRounds = 5
  static let screenedEpochs = 16
  /// By how much what is in another unit than metres is too large: feet, decimetres, inches, centimetres,
  /// millimetres.
  static let units = [1 / 0.3048, 10, 1 / 0.0254, 100, 1000]
  /// By how much ranges are too large that are times there and back, or were halved once too often.
  static let roundTrips = [2, 0.5]
  /// The most that the scale of ranges may differ from such a factor, and its standard deviation.
  private static let mostDeparture = 0.1

  /// Searches the epochs; nil if fewer than ten are redundant.
  init?(
    _ epochs: [RangeEpoch], anchors: [SIMD3<Double>], height: Double?,
    heightSigma: Double?, side: AnchorSide?, givenSigma: Double
  ) {
    let redundant = epochs.filter { $0.anchors.count >= (height == nil ? 4 : 3) }
    guard redundant.count >= 10 else { return nil }
    // Only the anchors that occur, since a recording may declare thousands.
    let given = Set(redundant.flatMap(\.anchors)).sorted()
    var places = [Int](repeating: 0, count: anchors.count)
    for (place, anchor) in given.enumerated() { places[anchor] = place }
    let compact = redundant.map {
      RangeEpoch(anchors: $0.anchors.map { places[$0] }, distances: $0.distances)
    }
    let sites = given.map { anchors[$0] }
    var hypothesis = RangeHypothesis(
      sites: sites, height: height, heightSigma: heightSigma)
    hypothesis.prefersLower = side != .above
    self.epochs = WeighedEpochs(compact, anchorCount: given.count, reach: 4 * givenSigma)
    screened = self.epochs.every(max(1, redundant.count / Self.screenedEpochs))
    self.givenSigma = givenSigma
    ranged = Array(given.indices)
    var (least, most) = (sites[0], sites[0])
    for site in sites {
      least = pointwiseMin(least, site)
      most = pointwiseMax(most, site)
    }
    let width = ((most - least) * (most - least)).sum().squareRoot()
    let sorted = self.epochs.distances.sorted()
    extent = max(width + sorted[sorted.count / 2], 1e-3)
    base = HypothesisFit(self.epochs, hypothesis, givenSigma: givenSigma, extent: extent)
    for _ in 0..<Self.mostRounds {
      // A wrong height contradicts the ranges less than an anchor does.
      if isClean, base.sigma <= givenSigma || hypothesis.height == nil || heightSigma != nil {
        break
      }
      guard goesOn(onlyHeight: isClean) else { break }
    }
    findings = findings.map { $0.naming(given) }
  }

  /// Whether the ranges fit about as they are stated to, each anchor's for itself.
  var isClean: Bool {
    if base.sigma > Self.mostNoise * givenSigma { return false }
    let limit = 2 * max(base.sigma, givenSigma)
    let errors = usualErrors(base)
    return ranged.allSatisfy { !base.hypothesis.isUsed[$0] || errors[$0] <= limit }
  }

  /// Searches once more; returns whether something was found.
  mutating func goesOn(onlyHeight: Bool) -> Bool {
    var plain = HypothesisFit(screened, base.hypothesis, givenSigma: givenSigma, extent: extent)
    let candidates = candidates(from: plain, onlyHeight: onlyHeight).sorted { $0.score > $1.score }
    var finalists: [Candidate] = []
    // The best of each cause.
    for candidate in candidates.prefix(5) where candidate.score > plain.logLikelihood {
      finalists.append(refitted(candidate))
    }
    // Any mix-up of names is searched for where no other cause explains the ranges.
    if !onlyHeight, finalists.allSatisfy({ $0.fit.sigma > Self.mostNoise * givenSigma }) {
      let renamed = renamings(from: plain).compactMap { candidate(.renamed($0), from: plain) }
        .sorted { $0.score > $1.score }
      finalists += renamed.prefix(3).map(refitted)
    }
    finalists.removeAll {
      guard case .unit(false, let factor) = $0.cause, Self.roundTrips.contains(factor) else {
        return false
      }
      return !isConfirmed(factor, $0.fit)
    }
    plain = base
    finalists.sort { $0.score > $1.score }
    guard var best = finalists.first, best.score >= plain.logLikelihood + needed(best) else {
      return false
    }
    let competing = finalists.dropFirst().filter {
      !$0.cause.agrees(with: best.cause) && $0.score > best.score - Self.preferred
    }
    // A height and a bias are hard to distinguish: what fits best is named.
    if best.cause != .height, !best.cause.isCommon, let other = competing.first {
      // Without an error of all ranges, the cause may be clear.
      guard other.cause.isCommon else { return false }
      base = other.fit
      return true
    }
    if best.cause == .gain {
      let scale = best.fit.hypothesis.gain
      let unit = finalists.first {
        guard case .unit(let ofAnchors, let factor) = $0.cause else { return false }
        return ((ofAnchors ? 1 / factor : factor) / scale - 1).magnitude < 0.1
      }
      if let unit { best = unit }
    }
    var others: [Int] = []
    if case .renamed = best.cause {
      for candidate in finalists.dropFirst() where candidate.score > best.score - Self.preferred {
        if case .renamed(let sites) = candidate.cause, candidate.cause != best.cause,
          others.isEmpty
        {
          others = sites.indices.filter { sites[$0] != $0 }
        }
      }
    }
    if let finding = finding(best, others) { findings.append(finding) }
    base = best.fit
    return true
  }

  /// Whether the ranges, asked for their scale, say about `factor` and not another one.
  ///
  /// Other errors of all ranges are more usual than this one, and may fit it better than none.
  func isConfirmed(_ factor: Double, _ fit: HypothesisFit) -> Bool {
    var free = fit
    free.fit(.gain)
    let ratio = free.hypothesis.gain / factor - 1
    let sigma = (free.covariance?[0, 0] ?? .infinity).squareRoot() / factor
    return ratio.magnitude < Self.mostDeparture && sigma < Self.mostDeparture
  }

  /// Returns the odds that a cause needs against the input as given.
  func needed(_ best: Candidate) -> Double {
    switch best.cause {
    // Where an anchor errs all the time, the input as given explains it by ranges that are wrong all
    // the time: that is the same, and the odds are only to distinguish it from other causes.
    case .without, .offset: finding(best, []) == nil ? Self.decisive : 0
    default: Self.decisive
    }
  }

  /// The median dilution of precision of horizontal positions and of heights.
  var dilutions: (horizontal: Double, vertical: Double) { base.dilutions }
}
