import Fathom

/// The search for the errors of the ranges for the method `fix`, from epochs spread over the recording.
///
/// All tags count together, because a bias and the noise belong to the radios and the room. Ranges
/// with a standard deviation of their own tell nothing about those without and are left out. A given
/// bias, of all ranges or of an anchor, leaves only the noise to be found. So does a contradiction of
/// the layout, which a bias or a scale would imitate.
struct RangeErrorSearch {
  private let anchors: [Anchor]
  private let settings: ProcessingSettings
  private let tellsBias: Bool
  private let isLayoutWrong: Bool
  private let isNeeded: Bool
  private let bias: Double
  private var filters: [RangeFilter]
  private var sample: SpreadEpochs

  /// Creates the search for a number of tags, of the diagnosed `outline`.
  ///
  /// `settings` are completed, with the window of an epoch.
  init(tags: Int, _ settings: ProcessingSettings, of outline: RecordingOutline) {
    filters = Array(repeating: RangeFilter(outline.excluded), count: tags)
    anchors = outline.anchors
    isLayoutWrong = outline.isLayoutWrong
    self.settings = settings
    tellsBias = settings.rangeBiasM != nil || anchors.contains { $0.bias != 0 || $0.scale != 1 }
    isNeeded = !(tellsBias && settings.rangeSigmaIsGiven == true)
    bias = settings.rangeBiasM ?? 0
    let unknowns = settings.heightM == nil || settings.heightSigmaM != nil ? 3 : 2
    sample = SpreadEpochs(
      tags: tags, window: settings.epochWindowS ?? 0, fewest: unknowns + 1)
  }

  /// Greatest number of ranges in one epoch so far, of ranges without a standard deviation.
  var largestEpoch: Int { sample.largest }

  /// Adds the range at `index` of `ranges`; ranges must be added in order of time.
  mutating func add(_ ranges: RangeColumns, at index: Int) {
    if let sigma = ranges[.sigma]?[index], !sigma.isNaN { return }
    let anchor = Int(ranges.anchor[index])
    // A log can name anchors without a position.
    let (distance, tag) = (ranges.distance[index], Int(ranges.tag[index]))
    guard anchors.indices.contains(anchor), filters[tag].admits(distance, to: anchor) else {
      return
    }
    sample.add(
      anchors[anchor].corrected(distance) - bias, tag: tag, anchor: anchor, at: ranges.time[index])
  }

  /// Throws if an epoch so far has too many ranges.
  func requireShortEpochs(
    of outline: RecordingOutline, window: Double
  ) throws(RecordingError) {
    guard largestEpoch > RecordingLimits.mostEpochRanges else { return }
    throw .badData(
      path: outline.sources.first?.path ?? outline.name, line: nil,
      reason: "an epoch of \(window) s has ranges of more than"
        + " \(RecordingLimits.mostEpochRanges) anchors; use a shorter --epoch-window or"
        + " --method filter")
  }

  /// Returns the errors; nil if too few epochs are redundant.
  ///
  /// Call once, after the last range.
  mutating func estimate() -> RangeErrorEstimate? {
    let epochs = sample.finished()
    guard isNeeded else { return nil }
    var options = PositionOptions()
    options.height = settings.heightM
    options.heightSigma = settings.heightM == nil ? nil : settings.heightSigmaM
    options.rangeSigma = settings.rangeSigmaM
    return RangeErrorEstimate.estimated(
      from: epochs, anchors: anchors.map(\.position),
      within: settings.boundsM.flatMap(TagBounds.box), options: options,
      searchesForCommonErrors: !tellsBias && !isLayoutWrong, includesMotion: true)
  }
}

extension Recording {
  /// Returns the errors of the ranges for the method `fix`; see ``RangeErrorSearch``.
  ///
  /// Nil for other methods, and if too few epochs are redundant. `settings` are completed,
  /// `outline` is diagnosed.
  func rangeErrors(
    _ settings: ProcessingSettings, timeline: Timeline, of outline: RecordingOutline
  ) -> RangeErrorEstimate? {
    guard settings.method == .fix, !anchors.isEmpty, ranges.count > 0 else { return nil }
    var search = RangeErrorSearch(tags: tagNames.count, settings, of: outline)
    for case .range(let index) in timeline.entries { search.add(ranges, at: index) }
    return search.estimate()
  }
}

extension ProcessingSettings {
  /// Returns the standard deviation of ranges without their own, metres: the given one, or that of
  /// `errors`.
  func rangeSigma(_ errors: RangeErrorEstimate?) -> Double {
    rangeSigmaIsGiven == true ? rangeSigmaM : errors?.sigma ?? rangeSigmaM
  }
}

extension RecordingSummary {
  /// Adds the errors of the ranges to anchors of the given names, and warnings about those that were
  /// corrected.
  mutating func add(
    _ errors: RangeErrorEstimate, _ settings: ProcessingSettings, anchorNames: [String]
  ) {
    let offsets = errors.offsets.map { found in
      zip(anchorNames, zip(found.values, found.sigmas)).map {
        RangeErrors.Offset(anchor: $0, offsetM: $1.0, sigmaM: $1.1)
      }
    }
    rangeErrors = RangeErrors(
      rangeSigmaM: errors.sigma, wholeSigmaM: errors.wholeSigma, lateShare: errors.outliers.late,
      earlyShare: errors.outliers.early, epochs: errors.epochs, biasM: errors.bias?.value,
      biasSigmaM: errors.bias?.sigma, biasDecision: errors.bias?.decision.rawValue,
      scale: errors.scale?.value, scaleSigma: errors.scale?.sigma,
      scaleDecision: errors.scale?.decision.rawValue, offsets: offsets,
      offsetDecision: errors.offsets?.decision.rawValue)
    let remedy = ": corrected; --range-bias 0 keeps them as they are"
    if let bias = errors.bias, bias.isCorrected {
      warnings.append(
        "ranges read \(Self.pair(bias.mean, bias.sigma)) m too \(bias.mean > 0 ? "long" : "short")"
          + remedy)
    }
    if let scale = errors.scale, scale.isCorrected {
      warnings.append(
        "ranges read \(Self.pair(100 * scale.value, 100 * scale.sigma)) % too"
          + " \(scale.value > 0 ? "long" : "short")" + remedy)
    }
    if errors.offsets?.decision == .corrected,
      let most = offsets?.max(by: { $0.offsetM.magnitude < $1.offsetM.magnitude })
    {
      warnings.append(
        "ranges of the anchors differ by an offset each, to \(most.anchor)"
          + " \(Self.pair(most.offsetM, most.sigmaM)) m too"
          + " \(most.offsetM > 0 ? "long" : "short")" + remedy)
    }
  }

  /// Returns the size of a value with its standard deviation, both to hundredths.
  private static func pair(_ value: Double, _ sigma: Double) -> String {
    "\((100 * value.magnitude).rounded() / 100) ± \((100 * sigma).rounded(.up) / 100)"
  }
}
