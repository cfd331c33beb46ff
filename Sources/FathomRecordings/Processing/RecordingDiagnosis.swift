import Fathom

extension RecordingOutline {
  /// Diagnoses the recording, and leaves out the ranges that are wrong all the time or cannot be.
  ///
  /// All methods and both ways of processing exclude ranges here, before anything else uses ranges.
  /// `settings` are completed.
  mutating func diagnose(_ sample: RangeSample, _ settings: ProcessingSettings) {
    var options = RangeDiagnosis.Options()
    options.height = settings.heightM
    options.heightSigma = settings.heightM == nil ? nil : settings.heightSigmaM
    options.side = settings.side
    options.knowsSide = settings.boundsM != nil
    options.hasDirections = usableAttitudes != nil
    options.rangeSigma = settings.rangeSigmaM
    let found = RangeDiagnosis(
      of: sample, anchors: anchors, names: anchorNames, tagNames: tagNames, options: options)
    diagnoses = found.diagnoses + reversedSigns(settings)
    isLayoutWrong = found.isLayoutWrong
    let kept = Set(settings.keptAnchors ?? [])
    excluded = ExcludedRanges(
      anchors: Set(found.unusableAnchors.filter { !kept.contains(anchorNames[$0]) }),
      reach: found.reach, mostRepeats: found.mostRepeats)
  }
}

extension RecordingOutline {
  /// Returns the diagnosis of time differences with the opposite sign; empty without one.
  ///
  /// A tracker predicts the differences of the tag that has most, and those with the opposite sign. Its model of
  /// time-correlated errors absorbs a part of a wrong sign, but not where the tag moves or stands off the middle.
  private func reversedSigns(_ settings: ProcessingSettings) -> [Diagnosis] {
    let most = sensors.differences.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
    guard let most,
      let gain = TrackerCalibration.gainOfOppositeSigns(
        settings.tracker(height: settings.heightM), of: most.value, anchors: anchors),
      gain.mean > Self.leastGain.mean, gain.sum > Self.leastGain.sum
    else { return [] }
    return [
      Diagnosis(
        .signsReversed, "time differences fit the anchors with the opposite sign only",
        evidence: ["log_likelihood_gain": gain.sum],
        suggestion:
          "exchange the two anchors of each difference (--columns anchor_a=anchor_b,anchor_b=anchor_a)"
      )
    ]
  }

  /// Evidence of exp(50) to 1, if errors had the distribution of the model; they do not quite, hence a mean that
  /// long recordings of small contradictions do not reach.
  private static let leastGain = (sum: 50.0, mean: 0.1)

  /// Returns the outline after ``diagnose(_:_:)``.
  func diagnosed(_ sample: RangeSample, _ settings: ProcessingSettings) -> Self {
    var result = self
    result.diagnose(sample, settings)
    return result
  }
}

extension Recording {
  /// Returns a sample of all ranges, for a diagnosis.
  func rangeSample(_ timeline: Timeline) -> RangeSample {
    var sample = RangeSample()
    sample.addRows(ranges)
    for case .range(let index) in timeline.entries { sample.add(ranges, at: index, anchors) }
    return sample
  }
}

extension Recording {
  /// Returns what the ranges contradict, for positions of its epochs that are computed without a
  /// pipeline: warnings, and when positions are wrong; nil for never.
  ///
  /// `settings` state what is known of the positions, and the standard deviation of ranges.
  package func contradictions(
    _ settings: ProcessingSettings
  ) -> (warnings: [String], wrongTimes: ClosedRange<Timestamp>?) {
    var outline = RecordingOutline(self)
    outline.diagnose(rangeSample(Timeline(self)), settings)
    let warnings = outline.diagnoses.inOrder.map { diagnosis in
      let action = diagnosis.code.invalidatesPositions ? "; positions are inconsistent" : ""
      return "\(diagnosis.message)\(action): \(diagnosis.remedy)"
    }
    return (warnings, outline.wrongTimes)
  }
}

extension Diagnosis {
  /// The suggestion, with the option that follows it if there is one.
  package var remedy: String {
    guard code == .unitSuspect, evidence["factor_of_anchors"] == 1,
      let ratio = evidence["range_ratio"]
    else { return suggestion }
    let units: [DistanceUnit] = [.centimetres, .millimetres]
    let unit = units.first { unit in
      (ratio / unit.perMetre - 1).magnitude < 0.2
    }
    return suggestion + (unit.map { " (--distance-unit \($0.rawValue))" } ?? "")
  }
}

extension RangeSample {
  /// Adds the rows of a file, in its order.
  mutating func addRows(_ ranges: RangeColumns) {
    for index in 0..<ranges.count { addRow(ranges, at: index) }
  }

  /// Adds the row at an index.
  mutating func addRow(_ ranges: RangeColumns, at index: Int) {
    addRow(
      tag: Int(ranges.tag[index]), anchor: Int(ranges.anchor[index]), at: ranges.time[index],
      line: ranges.line[index])
  }

  /// Adds the range at an index, without the known errors of its anchor.
  mutating func add(_ ranges: RangeColumns, at index: Int, _ anchors: [Anchor]) {
    let anchor = Int(ranges.anchor[index])
    let distance = ranges.distance[index]
    add(
      anchors.indices.contains(anchor) ? anchors[anchor].corrected(distance) : distance,
      sigma: ranges[.sigma]?[index], tag: Int(ranges.tag[index]), anchor: anchor,
      at: ranges.time[index], line: ranges.line[index])
  }
}

extension RecordingSummary {
  /// The error of all ranges that the calibrations of the tags show, of the tag that shows it most
  /// clearly.
  private var commonErrorsOfTags: [Diagnosis] {
    typealias Evidence = (value: Double, sigma: Double, decision: RangeErrorEstimate.Decision)
    func clearest(_ model: String) -> Evidence? {
      var best: Evidence?
      for found in (calibration ?? []).flatMap({ $0.models ?? [] }) where found.model == model {
        guard let value = found.value, let sigma = found.sigma, sigma > 0,
          let decision = RangeErrorEstimate.Decision(rawValue: found.decision)
        else { continue }
        let ratio = (value / sigma).magnitude
        if let best, ratio <= (best.value / best.sigma).magnitude { continue }
        best = (value, sigma, decision)
      }
      return best
    }
    return Diagnosis.commonErrors(bias: clearest("bias"), scale: clearest("scale"))
  }

  /// Adds the diagnoses of `outline`, and warnings that say what was done about them.
  ///
  /// `errors` are those that the method `fix` corrected.
  mutating func add(
    _ outline: RecordingOutline, _ errors: RangeErrorEstimate?, _ settings: ProcessingSettings
  ) {
    let common = errors.map(Diagnosis.commonErrors) ?? commonErrorsOfTags
    let found = (outline.diagnoses + common).inOrder
    diagnoses = found
    let excluded = Set(outline.excluded.anchors.map { outline.anchorNames[$0] })
    for diagnosis in found {
      // For single fixes, the errors that are corrected are reported with their correction.
      if diagnosis.code == .rangeBias, errors?.bias?.isCorrected == true { continue }
      if diagnosis.code == .rangeScale, errors?.scale?.isCorrected == true { continue }
      // Tracks subtract what a bias most likely is, and a scale that is certain.
      var action =
        diagnosis.code == .rangeBias && errors == nil ? "; corrected as far as it is certain" : ""
      if let consequence = outline.consequence(of: diagnosis) { action = "; \(consequence)" }
      if diagnosis.code == .anchorOffset, let name = diagnosis.anchors.first {
        action =
          excluded.contains(name)
          ? "; they are not used (--keep \(name) uses them)" : "; they are used, as requested"
      }
      warnings.append("\(diagnosis.message)\(action): \(diagnosis.remedy)")
    }
    for name in settings.keptAnchors ?? [] where !outline.anchorNames.contains(name) {
      warnings.append("--keep \(name): there is no anchor of this name")
    }
  }
}

extension RecordingOutline {
  /// Returns what is done about a contradiction, whatever the settings; nil if nothing is.
  func consequence(of diagnosis: Diagnosis) -> String? {
    switch diagnosis.code {
    case .rangeImpossible: "they are not used"
    case .linkStuck: excluded.mostRepeats == nil ? nil : "repeated values are not used"
    case let code: code.invalidatesPositions ? "positions are inconsistent" : nil
    }
  }
}
