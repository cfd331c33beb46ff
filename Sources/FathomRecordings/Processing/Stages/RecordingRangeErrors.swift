import Fathom

extension RecordingOutline {
  /// Returns the errors of the ranges, which all methods share; nil with too few redundant epochs, and if
  /// the settings tell all that the method needs.
  ///
  /// - Parameters:
  ///   - settings: the completed settings.
  ///   - sample: the sample of all ranges, by which the outline was diagnosed.
  func rangeErrors(
    _ settings: ProcessingSettings, _ sample: RangeSample
  ) -> RangeErrorEstimate? {
    let plan = errorPlan(settings)
    let isKnown =
      settings.method == .fix && settings.rangeSigmaIsGiven == true
      && (settings.rangeBiasM != nil || anchors.contains { $0.bias != 0 || $0.scale != 1 })
    return anchors.isEmpty || isKnown
      ? nil : .estimated(from: sample, anchors: anchors, plan)
  }

  /// Returns what is known of the errors of the ranges besides them.
  ///
  /// A contradiction of the layout leaves only the noise to be found, because a bias or a scale would
  /// imitate it.
  func errorPlan(_ settings: ProcessingSettings) -> RangeErrorEstimate.Plan {
    var plan = RangeErrorEstimate.Plan().with(settings.tracker(height: settings.heightM))
    (plan.offsets, plan.excluded) = (anchorOffsets, excludedAnchors)
    plan.searchesForCommonErrors = !isLayoutWrong
    guard settings.method == .fix else { return plan }
    plan.includesMotion = true
    if let bias = settings.rangeBiasM {
      (plan.bias, plan.searchesForCommonErrors) = (bias, false)
    }
    return plan
  }
}

/// The limit on the ranges in an epoch of the method `fix`.
struct EpochLimit {
  private let outline: RecordingOutline
  private let window: Double
  /// The time of the newest range to each anchor, by tag; without old ones where there are too many.
  private var newest: [[Int32: Timestamp]]
  private var isExceeded = false

  /// Creates the limit of epochs with a `window` in seconds; nil with so few anchors that none exceeds it.
  init?(_ outline: RecordingOutline, window: Double) {
    guard outline.anchors.count > RecordingLimits.mostEpochRanges else { return nil }
    (self.outline, self.window) = (outline, window)
    newest = Array(repeating: [:], count: outline.tagNames.count)
  }

  /// Adds the range at `index` of `ranges`; ranges must be added in order of time.
  mutating func add(_ ranges: RangeColumns, at index: Int) {
    // A log can name anchors without a position.
    guard outline.anchors.indices.contains(Int(ranges.anchor[index])) else { return }
    let (tag, time) = (Int(ranges.tag[index]), ranges.time[index])
    newest[tag][ranges.anchor[index]] = time
    guard newest[tag].count > RecordingLimits.mostEpochRanges else { return }
    newest[tag] = newest[tag].filter { time.seconds(since: $0.value) <= window }
    if newest[tag].count > RecordingLimits.mostEpochRanges { isExceeded = true }
  }

  /// Throws if an epoch so far has too many ranges.
  func check() throws(RecordingError) {
    guard isExceeded else { return }
    throw .badData(
      path: outline.sources.first?.path ?? outline.name, line: nil,
      reason: "an epoch of \(window) s has ranges of more than"
        + " \(RecordingLimits.mostEpochRanges) anchors; use a shorter --epoch-window or"
        + " --method filter")
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
  /// Adds the errors of the ranges to anchors of the given names, and for the method `fix` warnings about
  /// those that were corrected; tracks subtract what is certain of them.
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
    guard settings.method == .fix else {
      let own = (calibration ?? []).filter { $0.signals != nil }.map(\.tag)
      if !own.isEmpty {
        notes.append(
          "the errors of the ranges of \(Excerpt.list(own)) were found again without their RSSI-dependent"
            + " bias, and can differ from those of other tags and of the method fix")
      }
      return
    }
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
