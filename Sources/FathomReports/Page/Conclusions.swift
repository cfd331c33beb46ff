import Fathom
import FathomEvaluation
import FathomRecordings

extension RecordedResults {
  /// Returns three sentences: how accurate the positions are, what not to trust, and what to do.
  func conclusions(_ changes: [LinkChange]) -> [ReportPage.Fact] {
    let doubts = doubts(changes)
    let named = doubts.prefix(Self.mostDoubts).joined(separator: "; ")
    let more = doubts.count > Self.mostDoubts ? "; and \(doubts.count - Self.mostDoubts) more" : ""
    return [
      ReportPage.Fact(term: "How accurate", value: accuracySentence),
      ReportPage.Fact(
        term: "What not to trust",
        value: doubts.isEmpty ? "Ranges and positions agree." : "\(named)\(more).".capitalisedFirst),
      ReportPage.Fact(term: "What to do", value: advice(changes)),
    ]
  }

  /// Doubts that a sentence names; of more it states the number.
  private static let mostDoubts = 4
  /// Share of consistent ranges below which a link is not to be trusted.
  ///
  /// At one half, most of its ranges contradict the track.
  private static let leastConsistent = 0.5
  /// Share of uncertain positions from which they are mentioned.
  private static let fewUncertain = 0.01

  private var accuracySentence: String {
    let kind = isHorizontal ? "horizontal" : "spatial"
    if let accuracy = evaluation?.accuracy {
      var text =
        "The \(kind) error has an RMSE of \(accuracy.rmseM.text(decimals: 2)) m; 95 % of"
        + " \(Figure.counted(accuracy.n, "position", "positions")) are within"
        + " \(accuracy.p95M.text(decimals: 2)) m of truth."
      // 0.8 of the errors in their 95 % region: standard deviations about a third too small.
      if let share = evaluation?.consistency?.shareInside95, share < 0.8 {
        text +=
          " The stated covariances are too small: they contain only"
          + " \((100 * share).text(decimals: 0)) % of the errors instead of 95 %."
      }
      return text
    }
    let claims = positions.position.indices.compactMap { row -> Double? in
      guard positions.position[row].array.allSatisfy(\.isFinite) else { return nil }
      return ClaimedError.radius(positions.covariance[row], isHorizontal: isHorizontal)
    }
    guard let claim = Ticks.quantile(0.5, of: claims) else {
      return "There are no positions with a covariance, so nothing is known about accuracy."
    }
    var text =
      "There is no truth; by the covariances, the \(kind) error of a usual position is within"
      + " \(claim.text(decimals: 2)) m with 95 % probability."
    // 0.455 for a consistent filter; twice as much is a standard deviation 1.4 times too small.
    if let median = summary.consistency?.medianNormalizedSquare, median > 0.91 {
      text += " The ranges scatter more than the filter assumes, so it is probably larger."
    }
    return text
  }

  /// What contradicts the rest, the worst first.
  private func doubts(_ changes: [LinkChange]) -> [String] {
    var doubts: [String] = []
    var named: Set<String> = []
    for diagnosis in summary.diagnoses ?? [] {
      doubts.append(diagnosis.message)
      if diagnosis.code == .anchorOffset { named.formUnion(diagnosis.anchors) }
    }
    let links = summary.links.filter { !named.contains($0.anchor) }
      .compactMap { link in link.consistent.map { (link: link, share: $0) } }
      .filter { $0.share < Self.leastConsistent }.sorted { $0.share < $1.share }
    for (link, share) in links {
      doubts.append(
        "only \((100 * share).text(decimals: 0)) % of the ranges of"
          + " \(linkName(link.tag, link.anchor)) agree with the track")
    }
    for change in changes where !named.contains(change.anchor) {
      let size = change.level.size
      doubts.append(
        "\(anchorName(change)) reads \(size.magnitude.text(decimals: 2)) m \(size > 0 ? "more" : "less")"
          + " from second \(change.time.seconds(since: start).text(decimals: 0)) on")
    }
    let located = summary.positions.filter { $0.key != PositionColumns.Status.starting.word }
    let count = located.values.reduce(0, +)
    let uncertain = [PositionColumns.Status.inconsistent, .ambiguous].reduce(0) {
      $0 + (located[$1.word] ?? 0)
    }
    if count > 0, Double(uncertain) > Self.fewUncertain * Double(count) {
      let share = 100 * Double(uncertain) / Double(count)
      doubts.append("\(share.text(decimals: 0)) % of the positions are ambiguous or inconsistent")
    }
    return doubts
  }

  private func anchorName(_ change: LinkChange) -> String {
    let name = linkName(change.tag, change.anchor)
    return name == change.anchor ? "anchor \(name)" : "the link \(name)"
  }

  private func advice(_ changes: [LinkChange]) -> String {
    if let diagnosis = summary.diagnoses?.first {
      let anchors = diagnosis.anchors.prefix(Self.mostDoubts).joined(separator: ", ")
      let about = anchors.isEmpty ? "" : "for \(anchors): "
      return "\(about)\(diagnosis.suggestion).".capitalisedFirst
    }
    if let change = changes.first {
      return "Find out what happened to \(anchorName(change)) at second"
        + " \(change.time.seconds(since: start).text(decimals: 0)): it was moved, its view was blocked,"
        + " or the tag stands where the signal takes another path."
    }
    if let warning = summary.warnings.first { return "\(warning).".capitalisedFirst }
    if evaluation?.accuracy == nil, hasWorldPositions {
      return
        "Measure some positions by other means and give them as truth (--truth), to know the error"
        + " itself."
    }
    return "Nothing needs to be done."
  }
}

extension String {
  /// The text with its first letter in upper case.
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
