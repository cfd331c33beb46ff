/// What contradicts what in a recording: ranges, anchors, a known height, units and times.
///
/// An error common to all ranges is found by ``RangeErrorEstimate``, and becomes a diagnosis by
/// ``Diagnosis/commonErrors(of:)``.
///
/// It works from a sample of the ranges and the anchors alone, before and independently of any
/// tracking. Every cause is a hypothesis that explains the sampled epochs anew, with Student's
/// distribution for range errors. Range errors persist, so all epochs in one place of a tag count as one
/// independent measurement. A cause is named if it is 400 times as likely as the input as given, and 20
/// times as likely as another cause.
///
/// ## Edge cases
/// With fewer than ten epochs that have more ranges than unknowns, only links, times and the layout
/// are diagnosed.
///
/// ## Cost
/// At most 96 epochs are used, whatever the length of the recording: some tenths of a millisecond if
/// they agree, and some milliseconds if they do not. Where the residuals of an anchor change, each half of
/// the recording is searched too, which takes up to three times as long.
public struct RangeDiagnosis: Sendable, Equatable {
  /// The diagnoses, in the order of ``Diagnosis/Code``.
  public private(set) var diagnoses: [Diagnosis] = []
  /// Indices of the anchors whose ranges are wrong by more than a correction should remove.
  ///
  /// Positions are better without them. They are always fewer than half of the anchors.
  public private(set) var unusableAnchors: [Int] = []

  /// Whether positions of anchors, a height or a unit were found wrong.
  ///
  /// An error of all ranges imitates them, so that a calibration should not search for one.
  public private(set) var isLayoutWrong = false

  /// The distance beyond which ranges cannot be, metres; infinite if the sample does not show it.
  ///
  /// Positions are better without such ranges, for example of a counter that overflowed.
  public private(set) var reach = Double.infinity

  /// The number of repetitions of the value of a link from which on its ranges are no measurements; nil if
  /// repetitions are usual.
  public internal(set) var mostRepeats: Int?

  /// What is known besides the ranges.
  public struct Options: Sendable, Equatable {
    /// The known height of the tags, metres.
    public var height: Double?
    /// Standard deviation of ``height``, metres; nil for an exact height.
    public var heightSigma: Double?
    /// The side of the anchors on which the tags are.
    public var side: AnchorSide?
    /// Whether something else selects between mirror images, such as a box that contains the tags.
    public var knowsSide = false
    /// Whether ranges have directions of a known attitude, so that one anchor gives a position.
    public var hasDirections = false
    /// Standard deviation of ranges without their own, metres.
    public var rangeSigma = RangingDefaults.rangeSigma

    /// Creates options that know nothing.
    public init() {}
  }

  /// Diagnoses a recording.
  ///
  /// - Parameters:
  ///   - sample: the sample of its ranges.
  ///   - anchors: the anchors, by the indices of the sample.
  ///   - names: their names.
  ///   - tagNames: the names of the tags, by the indices of the sample.
  ///   - options: what else is known.
  public init(
    of sample: RangeSample, anchors: [Anchor], names: [String], tagNames: [String],
    options: Options = Options()
  ) {
    let sample = sample.completed().withoutStuckRanges()
    self.names = (0..<max(anchors.count, names.count)).map {
      names.indices.contains($0) ? names[$0] : "\($0)"
    }
    let isSpace = options.height == nil || options.heightSigma != nil
    let (epochs, sigma) = sample.epochs(usual: options.rangeSigma)
    let sites = anchors.map { SIMD3($0.position[0], $0.position[1], $0.position[2]) }
    // Logs name anchors without a position.
    func located(_ epochs: [RangeEpoch]) -> [RangeEpoch] {
      epochs.filter { $0.anchors.allSatisfy(sites.indices.contains) }
    }
    func contradictions(_ epochs: [RangeEpoch]) -> ContradictionSearch? {
      ContradictionSearch(
        located(epochs), anchors: sites, height: options.height, heightSigma: options.heightSigma,
        side: options.side, givenSigma: sigma)
    }
    let search = contradictions(epochs)
    var found = links(sample, tagNames, declared: anchors.count, sigma: search?.base.sigma)
    found += times(sample) + impossibleRanges(sample, anchors)
    found += mixedTags(sample, tagNames, sigma: options.rangeSigma)
    if let search {
      found += search.findings.map { diagnosis($0, options, sites) }
      unusableAnchors = search.findings.compactMap {
        if case .offset(let anchor, _, _, _) = $0 { anchor } else { nil }
      }.sorted()
      isLayoutWrong = search.isLayoutWrong
    }
    if !isLayoutWrong, search?.hasAnchorThatChanges == true {
      found += movedAnchors(sample, sites, usual: options.rangeSigma, contradictions)
    }
    found += geometry(
      located(epochs), search, sites, options, isSpace: isSpace,
      mostTogether: sample.instantCount < Self.fewestInstants ? 0 : sample.mostTogether)
    // Ranges near the limits of numbers overflow.
    found.removeAll { !$0.evidence.values.allSatisfy(\.isFinite) }
    diagnoses = found.inOrder
  }

  /// The names of the anchors.
  private(set) var names: [String] = []

  // MARK: Ranges and anchors

  private func diagnosis(
    _ finding: ContradictionSearch.Finding, _ options: Options, _ sites: [SIMD3<Double>]
  ) -> Diagnosis {
    switch finding {
    case .offset(let anchor, let value, let sigma, let share):
      let sign = value > 0 ? "much" : "little"
      return Diagnosis(
        .anchorOffset,
        "anchor \(names[anchor]) reads \(metres(value.magnitude)) ± \(metres(sigma)) m too \(sign) in"
          + " \(percent(share)) of its ranges",
        evidence: ["offset_m": value, "offset_sigma_m": sigma, "share": share],
        suggestion: "check its antenna delay, what obstructs it, and its position",
        anchors: [names[anchor]])
    case .renamed(let anchors, let places, let before, let after, let others):
      let (ours, theirs) = (anchors.map { names[$0] }, places.map { names[$0] })
      let or =
        others.count == 2 ? " (or \(names[others[0]]) and \(names[others[1]]))" : ""
      let change =
        anchors.count == 2
        ? "exchanging \(ours[0]) and \(ours[1])\(or) makes"
        : "names are mixed up: ranges to \(ours.joined(separator: ", ")) come from"
          + " \(theirs.joined(separator: ", ")), in this order, which makes"
      return Diagnosis(
        .anchorsExchanged,
        "\(change) \(percent(after)) of the epochs consistent (now \(percent(before)))",
        evidence: ["consistent_share": before, "consistent_share_exchanged": after],
        suggestion: "exchange their names or their positions", anchors: ours)
    case .misplaced(let anchor, let place, let sigma, let distance):
      return misplaced(
        anchor, place, sigma: sigma, distance: distance, isFlat: sites[anchor].z == place.z)
    case .height(let height, let sigma, let level, let isMirrored):
      let below = level - height
      let side = isMirrored ? "above or below" : below > 0 ? "below" : "above"
      let size = "\(metres(below.magnitude)) ± \(metres(sigma)) m"
      return Diagnosis(
        .heightContradicted,
        "ranges fit a height of \(metres(height)) ± \(metres(sigma)) m (\(size) \(side) the anchors),"
          + " not the known \(metres(options.height ?? 0)) m",
        evidence: [
          "height_m": height, "height_sigma_m": sigma, "known_height_m": options.height ?? 0,
          "below_anchors_m": below,
        ],
        suggestion: "correct the height, or the heights of the anchors, or leave the height open")
    case .unit(let ofAnchors, let factor):
      return unit(ofAnchors: ofAnchors, factor: factor)
    }
  }

  /// Returns the diagnosis of positions of anchors, or else of ranges, that are too large by a factor.
  private func unit(ofAnchors: Bool, factor: Double) -> Diagnosis {
    let ratio = ofAnchors ? 1 / factor : factor
    let times = max(factor, 1 / factor)
    let size =
      times < 5 && times != 2 ? metres(times) : times > 10 && times < 60 ? "39.4" : "\(Int(times))"
    let question: String
    switch times {
    case 2: question = factor > 1 ? "are they there and back" : "were they halved twice"
    default:
      let unit =
        times < 5 ? "feet" : times < 20 ? "dm" : times < 60 ? "inches" : times < 500 ? "cm" : "mm"
      question = "are the \(ofAnchors ? "anchors" : "ranges") in \(unit)"
    }
    return Diagnosis(
      .unitSuspect,
      "ranges are about \(size) times \(ratio > 1 ? "larger" : "smaller") than the distances between"
        + " anchors: \(question)?",
      evidence: [
        "range_ratio": ratio, "factor_of_anchors": ofAnchors ? 1 / factor : 1,
        "factor_of_ranges": ofAnchors ? 1 : 1 / factor,
      ],
      suggestion: times == 2 ? "give the distance itself" : "give both in metres")
  }

  /// How many times as far as the anchors are apart and as the usual range ranges can be.
  ///
  /// Farther away, the layout turns an error of a range into one of the position a hundred times as large.
  private static let mostReach = 100.0

  /// Sets ``reach``, and says which ranges exceed it.
  private mutating func impossibleRanges(_ sample: RangeSample, _ anchors: [Anchor]) -> [Diagnosis]
  {
    guard let usual = sample.usualDistance, let first = anchors.first?.position else { return [] }
    var (least, most) = (first, first)
    for anchor in anchors {
      for axis in 0..<3 {
        least[axis] = min(least[axis], anchor.position[axis])
        most[axis] = max(most[axis], anchor.position[axis])
      }
    }
    let extent = (most - least).length
    let limit = Self.mostReach * (usual + extent)
    guard sample.longest.distance > limit, limit > 0 else { return [] }
    reach = limit
    return [
      Diagnosis(
        .rangeImpossible,
        "ranges of up to \(metres(sample.longest.distance)) m, that in line \(sample.longest.line), cannot"
          + " be: the anchors are within \(metres(extent)) m, and ranges are usually \(metres(usual)) m",
        evidence: [
          "longest_m": sample.longest.distance, "line": Double(sample.longest.line),
          "extent_m": extent, "usual_m": usual, "limit_m": limit,
        ],
        suggestion: "check what the device writes when a measurement fails")
    ]
  }

  /// Returns the diagnosis of an anchor that the ranges put elsewhere.
  func misplaced(
    _ anchor: Int, _ place: SIMD3<Double>, sigma: Double, distance: Double, isFlat: Bool
  ) -> Diagnosis {
    let coordinates = isFlat ? [place.x, place.y] : [place.x, place.y, place.z]
    return Diagnosis(
      .anchorMisplaced,
      "ranges put anchor \(names[anchor]) at (\(coordinates.map(metres).joined(separator: ", "))),"
        + " \(metres(distance)) ± \(metres(sigma)) m from where it is said to be",
      evidence: [
        "x_m": place.x, "y_m": place.y, "z_m": place.z, "distance_m": distance,
        "distance_sigma_m": sigma,
      ],
      suggestion: "check its position", anchors: [names[anchor]])
  }

  // MARK: Layout

  /// The dilution of precision, in metres of error per metre of range error, from which on a
  /// coordinate is called open.
  private static let weakDilution = 10.0
  /// The fewest instants with ranges from which on too few anchors are a matter of the layout.
  private static let fewestInstants = 10

  private func geometry(
    _ epochs: [RangeEpoch], _ search: ContradictionSearch?,
    _ sites: [SIMD3<Double>], _ options: Options, isSpace: Bool, mostTogether most: Int
  ) -> [Diagnosis] {
    // Without anchors, distances are all that is asked for.
    guard !sites.isEmpty, !options.hasDirections else { return [] }
    let needed = isSpace && options.heightSigma == nil ? 3 : 2
    if (1..<needed).contains(most) {
      return [
        Diagnosis(
          .geometryWeak,
          "at most \(most == 1 ? "1 anchor is" : "\(most) anchors are") in range at a time, and a position"
            + " needs \(needed)",
          evidence: ["ranges": Double(most), "needed": Double(needed)],
          suggestion: isSpace ? "give a height, or use more anchors" : "use more anchors")
      ]
    }
    let ranged = Set(epochs.flatMap(\.anchors)).sorted()
    if isSpace, options.heightSigma == nil, options.side == nil, !options.knowsSide,
      AnchorPlane(nearlyHorizontal: ranged.map { Vector([sites[$0].x, sites[$0].y, sites[$0].z]) })
        != nil
    {
      return [
        Diagnosis(
          .geometryWeak,
          "heights above and below the anchors are indistinguishable: all anchors lie nearly in one"
            + " plane",
          suggestion: "give the side of the anchors, or a height")
      ]
    }
    guard let search else { return [] }
    let (horizontal, vertical) = search.dilutions
    if horizontal > Self.weakDilution {
      return [
        Diagnosis(
          .geometryWeak,
          "horizontal positions err \(metres(horizontal)) times as much as the ranges: the anchors are"
            + " too close together or on one line",
          evidence: ["horizontal_dilution": horizontal], suggestion: "spread the anchors")
      ]
    }
    if isSpace, options.heightSigma == nil, vertical > Self.weakDilution {
      return [
        Diagnosis(
          .geometryWeak,
          "heights err \(metres(vertical)) times as much as the ranges: the anchors differ too little"
            + " in height",
          evidence: ["vertical_dilution": vertical],
          suggestion: "give a height, or put anchors at different heights")
      ]
    }
    return []
  }

  // MARK: Text

  func metres(_ value: Double) -> String { value.hundredths }

  func percent(_ share: Double) -> String { "\(Int((100 * share).rounded())) %" }
}
