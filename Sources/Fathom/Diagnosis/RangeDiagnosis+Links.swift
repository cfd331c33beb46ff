/// Diagnoses of links and times, which need no positions.
extension RangeDiagnosis {
  /// Looks for what is wrong with links, and notes the repetitions that are no measurements.
  ///
  /// `declared` is the number of declared anchors; `sigma` is the standard deviation of ranges by
  /// their redundancy in metres, nil if it is unknown.
  mutating func links(
    _ sample: RangeSample, _ tagNames: [String], declared: Int, sigma: Double?
  ) -> [Diagnosis] {
    var found: [Diagnosis] = []
    var isRanged = Array(repeating: false, count: names.count)
    for (tag, activity) in sample.activities.enumerated() {
      let name = tagNames.indices.contains(tag) ? tagNames[tag] : "\(tag)"
      let links = activity.links.filter { names.indices.contains($0.anchor) }
        .sorted { $0.anchor < $1.anchor }
      guard let start = links.map(\.first).min(), let end = links.map(\.last).max() else {
        continue
      }
      if let stuck = sigma.flatMap({ activity.stillRanges(sigma: $0) }) {
        noteRepeats(stuck)
        let (count, line) = activity.longestStill
        found.append(
          Diagnosis(
            .linkStuck,
            "all links of \(name) repeat their values \(count) times, \(percent(stuck.share)) of the"
              + " ranges, from line \(line)",
            evidence: [
              "repeats": Double(count), "share": stuck.share, "first_line": Double(line),
            ],
            suggestion: "remove these rows, and check why the device repeats them"))
      }
      for link in links {
        let anchor = link.anchor
        isRanged[anchor] = true
        if let stuck = link.stuck {
          noteRepeats(stuck)
          found.append(
            Diagnosis(
              .linkStuck,
              "the link from \(name) to \(names[anchor]) repeats one value"
                + " \(link.longestRun.count) times, \(percent(stuck.share)) of its ranges, from line"
                + " \(link.longestRun.line)",
              evidence: [
                "repeats": Double(link.longestRun.count), "share": stuck.share,
                "first_line": Double(link.longestRun.line),
              ],
              suggestion: "remove these rows", anchors: [names[anchor]]))
        }
        if let share = link.silentShare(from: start, to: end) {
          found.append(
            Diagnosis(
              .linkSilent,
              "the link from \(name) to \(names[anchor]) ends at"
                + " \(metres(link.last.seconds)) s and is silent for the last \(percent(share)) of the"
                + " recording",
              evidence: ["share": share, "last_s": link.last.seconds],
              suggestion: "check its power and whether it was moved", anchors: [names[anchor]]))
        }
      }
    }
    guard isRanged.contains(true) else { return found }
    let unranged = (0..<declared).filter { !isRanged[$0] }.map { names[$0] }
    if !unranged.isEmpty {
      let list = unranged.prefix(5).joined(separator: ", ")
      let more = unranged.count > 5 ? " and \(unranged.count - 5) more" : ""
      found.append(
        Diagnosis(
          .linkSilent, "there are no ranges to \(list)\(more)",
          evidence: ["anchors": Double(unranged.count)],
          suggestion: "check names and power of these anchors", anchors: unranged))
    }
    return found
  }

  private mutating func noteRepeats(_ stuck: StuckRanges) {
    guard let most = stuck.mostRepeats else { return }
    mostRepeats = max(mostRepeats ?? 0, most)
  }

  /// Returns the tags whose ranges are those of several devices.
  func mixedTags(
    _ sample: RangeSample, _ tagNames: [String], sigma: Double
  ) -> [Diagnosis] {
    sample.activities.enumerated().compactMap { tag, activity in
      guard let jump = activity.jumpToAndFro(sigma: sigma) else { return nil }
      let name = tagNames.indices.contains(tag) ? tagNames[tag] : "\(tag)"
      return Diagnosis(
        .tagsMixed,
        "the ranges of \(name) jump to and fro by \(metres(jump)) m, as those of two tags that take turns",
        evidence: ["jump_m": jump], suggestion: "give each tag a name of its own")
    }
  }

  /// Returns what is wrong with times.
  func times(_ sample: RangeSample) -> [Diagnosis] {
    var found: [Diagnosis] = []
    let steps = sample.clock
    if (1...Self.mostSteps).contains(steps.count) {
      let more = steps.count == 1 ? "" : ", and \(steps.count - 1) more times"
      found.append(
        Diagnosis(
          .clockStep,
          "the clock steps back by \(metres(steps.firstSeconds)) s at line \(steps.firstLine)\(more)",
          evidence: [
            "steps": Double(steps.count), "step_s": steps.firstSeconds,
            "first_line": Double(steps.firstLine),
          ],
          suggestion: "divide the file there, or correct the times"))
    }
    var (repeated, count, line) = (0, 0, Int.max)
    for link in sample.activities.flatMap(\.links) {
      count += link.count
      repeated += link.atSameInstant
      if link.atSameInstant > 0 { line = min(line, link.firstAtSameInstant) }
    }
    let share = Double(repeated) / Double(max(1, count))
    if repeated >= 10, share >= Self.leastRepeated {
      found.append(
        Diagnosis(
          .timesRepeat,
          "\(percent(share)) of the ranges have the time of an earlier range of their link, first in"
            + " line \(line)",
          evidence: ["share": share, "ranges": Double(repeated), "first_line": Double(line)],
          suggestion: "use times of a finer resolution, or the rate of the ranges"))
    }
    if found.isEmpty, sample.repetitions.count >= 10 {
      let share = Double(sample.repetitions.count) / Double(sample.repetitions.count + count)
      if share >= Self.leastRepeated {
        found.append(
          Diagnosis(
            .timesRepeat,
            "\(percent(share)) of the ranges repeat one of their link a moment before, first in line"
              + " \(sample.repetitions.line): they are used once",
            evidence: [
              "share": share, "ranges": Double(sample.repetitions.count),
              "first_line": Double(sample.repetitions.line),
            ],
            suggestion: "check whether two programs write one file"))
      }
    }
    return found
  }

  /// The most steps of a clock; a file with more is out of order.
  private static let mostSteps = 10
  /// The least share of repeated times that is named.
  private static let leastRepeated = 0.05
}
