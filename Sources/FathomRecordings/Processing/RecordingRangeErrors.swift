import Fathom

extension Recording {
  /// Returns the errors of the ranges for the method `fix`, found from epochs spread over the
  /// recording.
  ///
  /// All tags count together, because a bias and the noise belong to the radios and the room. Ranges
  /// with a standard deviation of their own tell nothing about those without and are left out. A
  /// told bias, of all ranges or of an anchor, leaves only the noise to be found.
  ///
  /// - Parameters:
  ///   - settings: the completed settings.
  ///   - timeline: the order of ranges.
  ///   - excluded: indices of anchors whose ranges are not used.
  /// - Returns: The errors; nil for other methods, and if too few epochs are redundant.
  func rangeErrors(
    _ settings: ProcessingSettings, timeline: Timeline, excluding excluded: Set<Int> = []
  ) -> RangeErrorEstimate? {
    guard settings.method == .fix, !anchors.isEmpty, ranges.count > 0 else { return nil }
    let tellsBias =
      settings.rangeBiasM != nil || anchors.contains { $0.bias != 0 || $0.scale != 1 }
    if tellsBias, settings.rangeSigmaIsGiven == true { return nil }
    var options = PositionOptions()
    options.height = settings.heightM
    options.heightSigma = settings.heightM == nil ? nil : settings.heightSigmaM
    options.rangeSigma = settings.rangeSigmaM
    let unknowns = settings.heightM == nil || settings.heightSigmaM != nil ? 3 : 2
    var sample = SpreadEpochs(
      tags: tagNames.count, anchors: anchors.count, window: settings.epochWindowS ?? 0,
      fewest: unknowns + 1)
    let bias = settings.rangeBiasM ?? 0
    for case .range(let index) in timeline.entries {
      if let sigma = ranges.sigma?[index], !sigma.isNaN { continue }
      let anchor = Int(ranges.anchor[index])
      if !excluded.isEmpty, excluded.contains(anchor) { continue }
      sample.add(
        anchors[anchor].corrected(ranges.distance[index]) - bias, tag: Int(ranges.tag[index]),
        anchor: anchor, at: ranges.time[index])
    }
    return RangeErrorEstimate.estimated(
      from: sample.finished(), anchors: anchors.map(\.position),
      within: settings.boundsM.flatMap(TagBounds.box), options: options,
      searchesForCommonErrors: !tellsBias)
  }
}

extension ProcessingSettings {
  /// Returns the standard deviation of ranges without their own, metres: the given one, or that of
  /// `errors`.
  func rangeSigma(_ errors: RangeErrorEstimate?) -> Double {
    rangeSigmaIsGiven == true ? rangeSigmaM : errors?.sigma ?? rangeSigmaM
  }
}

/// Redundant epochs spread evenly over a recording, in bounded memory.
///
/// Each instant of a tag with enough ranges ends an epoch. When too many are kept, every second is
/// dropped, and from then on twice as many are skipped.
private struct SpreadEpochs {
  private var newest: [[(time: Timestamp, distance: Double)?]]
  private var pending: [Timestamp?]
  private var kept: [RangeErrorEstimate.Epoch] = []
  private var stride = 1
  private var seen = 0
  private let window: Double
  private let fewest: Int

  /// The number of epochs at which every second is dropped.
  private static let most = 384

  init(tags: Int, anchors: Int, window: Double, fewest: Int) {
    newest = Array(repeating: Array(repeating: nil, count: anchors), count: tags)
    pending = Array(repeating: nil, count: tags)
    self.window = window
    self.fewest = fewest
  }

  mutating func add(_ distance: Double, tag: Int, anchor: Int, at time: Timestamp) {
    if let instant = pending[tag], instant < time { take(tag, at: instant) }
    pending[tag] = time
    newest[tag][anchor] = (time, distance)
  }

  /// Returns the epochs, in order of time; call once.
  mutating func finished() -> [RangeErrorEstimate.Epoch] {
    for tag in pending.indices {
      if let instant = pending[tag] { take(tag, at: instant) }
    }
    return kept
  }

  private mutating func take(_ tag: Int, at time: Timestamp) {
    // Counts what is in the window without allocation: most epochs are skipped.
    let limit = time.advanced(bySeconds: -window)
    var count = 0
    for sample in newest[tag] {
      if let sample, sample.time >= limit { count += 1 }
    }
    guard count >= fewest else { return }
    defer { seen += 1 }
    guard seen % stride == 0 else { return }
    var epoch = RangeErrorEstimate.Epoch(anchors: [], distances: [])
    for (anchor, sample) in newest[tag].enumerated() {
      guard let sample, sample.time >= limit else { continue }
      epoch.anchors.append(anchor)
      epoch.distances.append(sample.distance)
    }
    kept.append(epoch)
    guard kept.count >= Self.most else { return }
    kept = kept.indices.filter { $0.isMultiple(of: 2) }.map { kept[$0] }
    stride *= 2
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
        "ranges read \(Self.pair(bias.value, bias.sigma)) m too \(bias.value > 0 ? "long" : "short")"
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
