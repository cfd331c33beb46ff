import Fathom

/// What a live stream tells its user while it runs and at its end.
extension LivePipeline {
  private var isDiagnosed: Bool {
    guard case .running = options.calibration else { return false }
    return !outline.anchors.isEmpty
  }

  /// Adds a range to the sample that is diagnosed.
  mutating func addToSample(_ ranges: RangeColumns, at index: Int) {
    guard isDiagnosed else { return }
    sample.addRow(ranges, at: index)
    sample.add(ranges, at: index, outline.anchors)
  }

  /// Returns how many of the next entries come before a diagnosis starts or takes effect.
  ///
  /// Batches are divided there, so that the results do not depend on how the lines arrive.
  func countUntilDiagnosis(_ entries: ArraySlice<LiveTagBatch.Entry>) -> Int {
    guard isDiagnosed else { return entries.count }
    var missing = (diagnosis.effect ?? diagnosis.start) - rangeCount
    var count = 0
    for entry in entries {
      count += 1
      guard case .range = entry else { continue }
      missing -= 1
      if missing <= 0 { break }
    }
    return count
  }

  /// Diagnoses the ranges so far and finds what the tags have in common, at doubling numbers of
  /// ranges.
  mutating func diagnoseIfDue() {
    guard isDiagnosed else { return }
    if let effect = diagnosis.effect {
      guard rangeCount >= effect else { return }
      diagnosis.end()
      guard let found = pendingDiagnosis?.wait() else { return }
      pendingDiagnosis = nil
      common = found.common
      adopt(diagnosed: found.outline)
    } else if rangeCount >= diagnosis.start {
      diagnosis.begin()
      let (outline, sample, settings) = (outline, sample, settings)
      let isCommon = tags.count > 1 && rangeCount >= Self.firstCommonCalibration
      let drawn = isCommon ? CommonCalibration.drawn(of: tags.count) : []
      let ranges = drawn.map { tags[$0].calibrationRanges }
      pendingDiagnosis = PendingCalibration {
        LiveFindings(of: sample, ranges, outline, settings)
      }
    }
  }

  private mutating func adopt(diagnosed found: RecordingOutline) {
    let hasChanged =
      found.excluded != outline.excluded
      || found.isLayoutWrong != outline.isLayoutWrong || found.wrongTimes != outline.wrongTimes
    outline.diagnoses = found.diagnoses
    outline.excluded = found.excluded
    outline.isLayoutWrong = found.isLayoutWrong
    for diagnosis in found.diagnoses {
      let key = "\(diagnosis.code.rawValue) \(diagnosis.anchors.joined(separator: " "))"
      if said.updateValue(diagnosis.message, forKey: key) == nil {
        let action = found.consequence(of: diagnosis).map { "; \($0)" } ?? ""
        messages.append("warning: \(diagnosis.message)\(action): \(diagnosis.remedy)")
      }
    }
    guard hasChanged else { return }
    if !found.excluded.anchors.isEmpty {
      let names = found.excluded.anchors.sorted().map { outline.anchorNames[$0] }
      messages.append("not used from now on: \(Excerpt.list(names))")
    }
    for tag in tags.indices { tags[tag].calibrateAgain(stageMaker(of: tag)) }
  }

  /// Reports the calibration of a tag, if it differs from the one reported last.
  ///
  /// Of many tags only the first are reported, since each is calibrated again and again.
  mutating func noteCalibration(of tag: Int) {
    guard tag < Self.mostReported else {
      if said.updateValue("", forKey: "calibrations") == nil {
        messages.append("the calibrations of further tags are not listed")
      }
      return
    }
    let name = outline.tagNames[tag]
    guard let found = tags[tag].calibrationSummary(anchorNames: outline.anchorNames) else { return }
    let text = Self.text(of: found)
    guard said.updateValue(text, forKey: "calibration \(name)") != text else { return }
    messages.append(
      "calibration of \(Excerpt.quoted(name)) from \(tags[tag].calibrationRanges.count) ranges: \(text)"
    )
  }

  /// The greatest number of tags whose calibrations are reported.
  private static let mostReported = 8

  private static func text(of found: RecordingSummary.Calibration) -> String {
    func rounded(_ value: Double, _ digits: Double) -> Double {
      (value * digits).rounded() / digits
    }
    var text =
      "range sigma \(rounded(found.rangeSigmaM, 1000)) m, acceleration"
      + " \(rounded(found.accelerationDensity, 100)) (m/s²)/√Hz"
    if let bias = found.biasM, rounded(bias, 100) != 0 { text += ", bias \(rounded(bias, 100)) m" }
    if let scale = found.scale, scale != 0 { text += ", scale \(rounded(100 * scale, 100)) %" }
    if found.offsetsM != nil { text += ", offsets of anchors" }
    if found.signals != nil { text += ", bias by signal level" }
    return text
  }

  /// Tells that the clock of a tag has stepped back.
  mutating func noteClockStep(of tag: Int) {
    if let time = tags[tag].newest { clock.restart(tag, at: time) }
    messages.append(
      "warning: the clock of \(Excerpt.quoted(outline.tagNames[tag])) stepped back; its track starts again"
    )
  }

  /// A few lines about the whole stream, for its end.
  package var summary: [String] {
    func sum(_ value: (LiveTag.Counts) -> Int) -> Int {
      tags.reduce(value(forgottenCounts)) { $0 + value($1.counts) }
    }
    var parts = ["\(outline.rangeCount) ranges of \(tagCount) tags"]
    let decisions = [DistanceColumns.Decision.discounted, .duplicate, .unused].map {
      ($0.word, counts.decisions[$0.word] ?? 0)
    }
    for (name, count) in decisions + [
      ("sorted in", sum(\.reordered)), ("late", sum(\.late)),
    ] where count > 0 { parts.append("\(count) \(name)") }
    var lines = ["ranges: " + parts.joined(separator: ", ")]
    let positions = counts.positions
    let listed = positions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }
    if !listed.isEmpty { lines.append("positions: " + listed.joined(separator: ", ")) }
    if outline.rejected.total > 0 {
      var text = "rejected rows: \(outline.rejected.total)"
      if let first = outline.rejected.first {
        text += "; line \(first.line): \(first.reason)"
      }
      lines.append(text)
    }
    if let message = self.lines.undeclaredMessage { lines.append("warning: \(message)") }
    if let message = self.lines.tagRangeMessage { lines.append("warning: \(message)") }
    lines += self.lines.objectNotes
    let unused = sum(\.unusedReadings)
    if unused > 0 {
      lines.append("warning: \(unused) other measurements came too late, or long before the ranges")
    }
    let count = unaddressed.count + unaddressedCount
    if count > 0 {
      let names = Set(unaddressed.map(\.tag)).sorted()
      let whose =
        names.contains("") && tagCount > 1
        ? "they name no tag, and the stream has several"
        : "there are no ranges of \(Excerpt.list(names))"
      lines.append("warning: \(count) other measurements are not used: \(whose)")
    }
    if roster.forgottenCount > 0 {
      lines.append("tags forgotten after silence: \(roster.forgottenCount)")
    }
    if self.lines.cutLines > 0 { lines.append("lines cut off: \(self.lines.cutLines)") }
    let steps = sum(\.clockSteps)
    if steps > 0 { lines.append("steps of the clock: \(steps)") }
    return lines + self.lines.logNotes.dropFirst()
  }
}

/// The counts of a whole stream, for programs; ``LivePipeline/summary`` has the same as text.
package struct LiveSummary: Sendable, Encodable {
  /// Usable ranges.
  package var ranges: Int
  package var tags: Int
  /// Ranges by decision, such as `used` and `discounted`.
  package var decisions: [String: Int]
  /// Positions by status.
  package var positions: [String: Int]
  package var rejected: Int
  /// Ranges that came too late to be used.
  package var late: Int
  /// Lines that were lost because they came faster than they were processed.
  package var dropped = 0
}

extension LivePipeline {
  /// The counts so far.
  package var counted: LiveSummary {
    LiveSummary(
      ranges: outline.rangeCount, tags: tagCount, decisions: counts.decisions,
      positions: counts.positions, rejected: outline.rejected.total,
      late: tags.reduce(forgottenCounts.late) { $0 + $1.counts.late })
  }
}
