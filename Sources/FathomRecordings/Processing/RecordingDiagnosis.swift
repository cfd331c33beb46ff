import Fathom

extension RecordingOutline {
  /// Diagnoses the recording, and leaves out the anchors whose ranges are wrong all the time.
  ///
  /// All methods and both ways of processing exclude anchors here, before anything else uses ranges.
  ///
  /// - Parameters:
  ///   - sample: the sample of all ranges.
  ///   - settings: the completed settings.
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
    diagnoses = found.diagnoses
    isLayoutWrong = found.isLayoutWrong
    let kept = Set(settings.keptAnchors ?? [])
    excludedAnchors = Set(found.unusableAnchors.filter { !kept.contains(anchorNames[$0]) })
  }
}

extension RecordingOutline {
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

extension RangeSample {
  /// Adds the rows of a file, in its order.
  mutating func addRows(_ ranges: RangeColumns) {
    for index in 0..<ranges.count {
      addRow(
        tag: Int(ranges.tag[index]), anchor: Int(ranges.anchor[index]), at: ranges.time[index],
        line: ranges.line[index])
    }
  }

  /// Adds the range at an index, without the known errors of its anchor.
  mutating func add(_ ranges: RangeColumns, at index: Int, _ anchors: [Anchor]) {
    let anchor = Int(ranges.anchor[index])
    let distance = ranges.distance[index]
    add(
      anchors.indices.contains(anchor) ? anchors[anchor].corrected(distance) : distance,
      sigma: ranges.sigma?[index], tag: Int(ranges.tag[index]), anchor: anchor,
      at: ranges.time[index], line: ranges.line[index])
  }
}

extension RecordingSummary {
  /// The errors of all ranges that were corrected, each of the tag that shows it most clearly.
  private var commonErrorsOfTags: [Diagnosis] {
    let corrected = (calibration ?? []).flatMap { $0.models ?? [] }.filter {
      $0.decision == RangeErrorEstimate.Decision.corrected.rawValue
    }
    func clearest(_ model: String) -> (value: Double, sigma: Double)? {
      corrected.filter { $0.model == model }.compactMap { found in
        found.value.flatMap { value in found.sigma.map { (value, $0) } }
      }.max { ($0.0 / $0.1).magnitude < ($1.0 / $1.1).magnitude }
    }
    return [
      clearest("bias").map { Diagnosis(rangeBias: $0.value, sigma: $0.sigma) },
      clearest("scale").map { Diagnosis(rangeScale: $0.value, sigma: $0.sigma) },
    ].compactMap { $0 }
  }

  /// Adds the diagnoses, and warnings that say what was done about them.
  ///
  /// - Parameters:
  ///   - outline: the diagnosed outline.
  ///   - errors: the errors that the method `fix` corrected.
  ///   - settings: the completed settings.
  mutating func add(
    _ outline: RecordingOutline, _ errors: RangeErrorEstimate?, _ settings: ProcessingSettings
  ) {
    let common = errors.map(Diagnosis.commonErrors) ?? commonErrorsOfTags
    let found = (outline.diagnoses + common).inOrder
    diagnoses = found
    let excluded = Set(outline.excludedAnchors.map { outline.anchorNames[$0] })
    for diagnosis in found {
      // For single fixes, the errors of all ranges are reported with their correction.
      let isCommon = diagnosis.code == .rangeBias || diagnosis.code == .rangeScale
      if isCommon, errors != nil { continue }
      var action = isCommon ? "; corrected" : ""
      if diagnosis.code == .anchorOffset, let name = diagnosis.anchors.first {
        action =
          excluded.contains(name)
          ? "; they are not used (--keep \(name) uses them)" : "; they are used, as requested"
      }
      warnings.append("\(diagnosis.message)\(action): \(diagnosis.suggestion)")
    }
    for name in settings.keptAnchors ?? [] where !outline.anchorNames.contains(name) {
      warnings.append("--keep \(name): there is no anchor of this name")
    }
  }
}
