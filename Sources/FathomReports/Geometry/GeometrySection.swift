import Fathom
import FathomEvaluation

extension GeometrySurvey {
  /// The plan in a few figures.
  var facts: [ReportPage.Fact] {
    let measuring = situation.measuring
    var facts = [
      ReportPage.Fact(term: "measured", value: measured.joined(separator: ", ")),
      ReportPage.Fact(
        term: "height of the tag",
        value: "\(situation.height.text(decimals: 2)) m"
          + (situation.isHeightKnown ? "" : ", estimated")),
    ]
    if !measuring.kinds.intersection([.range, .arrival]).isEmpty {
      var noise = "\(measuring.rangeSigma.text(decimals: 3)) m"
      if measuring.rangeSigmaPerMetre > 0 {
        noise += ", \(measuring.rangeSigmaPerMetre.text(decimals: 4)) m per metre"
      }
      facts.append(ReportPage.Fact(term: "error of ranges", value: noise))
    }
    if !measuring.kinds.intersection(.angles).isEmpty {
      facts.append(
        ReportPage.Fact(
          term: "error of angles", value: "\(measuring.azimuthSigma.degrees.text(decimals: 1))°"))
    }
    if let reach = measuring.maximumRange {
      facts.append(ReportPage.Fact(term: "heard within", value: "\(reach.text(decimals: 1)) m"))
    }
    facts.append(
      ReportPage.Fact(term: "horizontal, 95 % of the plan", value: metres(horizontal.p95)))
    if let vertical {
      facts.append(ReportPage.Fact(term: "height, 95 % of the plan", value: metres(vertical.p95)))
    }
    facts.append(
      ReportPage.Fact(term: "undetermined", value: percent(horizontal.undetermined)))
    return facts
  }

  private var measured: [String] {
    let kinds = situation.measuring.kinds
    let names: [(ExpectedMeasurements.Kinds, String)] = [
      (.range, "ranges"), (.arrival, "time differences"), (.azimuth, "azimuths"),
      (.elevation, "elevations"),
    ]
    return names.compactMap { kinds.contains($0.0) ? $0.1 : nil }
  }

  /// What a reader should know before the numbers.
  var messages: [ReportPage.Message] {
    var messages = [
      ReportPage.Message(
        kind: "note",
        text: "The least that any unbiased method can reach with normal errors of this size;"
          + " obstructed paths and biases come on top.")
    ]
    if unchecked > 0 {
      messages.append(
        ReportPage.Message(
          kind: "warning",
          text: "On \(percent(unchecked)) of the plan no measurement is to spare: a wrong one goes"
            + " unnoticed there, and two positions may fit."))
    }
    if hasMirrorImages {
      messages.append(
        ReportPage.Message(
          kind: "warning",
          text: "The anchors lie in a \(situation.isHeightKnown ? "line" : "plane"): positions on"
            + " both sides of it look the same."))
    }
    return messages
  }

  /// The tables of the plan.
  var tables: [ReportPage.Table] {
    [spreadTable, worstTable, lossTable] + (additions.isEmpty ? [] : [additionTable])
  }

  private var spreadTable: ReportPage.Table {
    func row(_ name: String, _ spread: ErrorSpread) -> [String] {
      [name] + [spread.median, spread.p95, spread.worst].map { $0.text(decimals: 3) }
    }
    var rows = [
      row("horizontal, RMS", horizontal),
      row("half of all within", median),
      row("95 % of all within", radius95),
    ]
    if let vertical { rows.append(row("height, sigma", vertical)) }
    return ReportPage.Table(
      "Expected error over the plan", ["error", "median, m#", "95 %, m#", "worst, m#"], rows,
      remark: "What is not determined counts as the largest error in median and 95 %.")
  }

  private var worstTable: ReportPage.Table {
    var headings = ["place", "x, m#", "y, m#", "error, m#", "95 % within, m#"]
    if vertical != nil { headings.append("height, m#") }
    let rows = zip(worst, 1...).map { place, number in
      var row = [
        "\(number)", place.x.text(decimals: 2), place.y.text(decimals: 2),
        errors.horizontal[place.cell].text(decimals: 3),
        errors.radius95[place.cell].text(decimals: 3),
      ]
      if vertical != nil { row.append(errors.vertical[place.cell].text(decimals: 3)) }
      return row + ["\(errors.measurements[place.cell])"]
    }
    return ReportPage.Table("Worst places", headings + ["measurements#"], rows)
  }

  private var lossTable: ReportPage.Table {
    ReportPage.Table(
      "Without one anchor",
      ["anchor", "95 %, m#", "change, m#", "undetermined#"],
      zip(names, losses).map { [$0] + changes($1.horizontal) },
      remark:
        "The horizontal error that 95 % of the plan stay below, and the share of the plan where"
        + " there is no position.")
  }

  private var additionTable: ReportPage.Table {
    ReportPage.Table(
      "One more anchor",
      ["place", "x, m#", "y, m#", "z, m#", "95 %, m#", "change, m#", "undetermined#"]
        + ["where"],
      zip(additions, "abcdefgh").map { addition, letter in
        [String(letter)] + addition.position.array.map { $0.text(decimals: 2) }
          + changes(addition.horizontal) + [addition.isOnBorder ? "on the border" : "inside"]
      })
  }

  /// What 95 % of the plan stay below, by how much more that is than now, and the undetermined share.
  private func changes(_ spread: ErrorSpread) -> [String] {
    var change = "–"
    if let p95 = spread.p95, let now = horizontal.p95 {
      change = (p95 < now ? "" : "+") + (p95 - now).text(decimals: 3)
    }
    return [spread.p95.text(decimals: 3), change, percent(spread.undetermined)]
  }

  private func metres(_ value: Double?) -> String {
    value.map { "\($0.text(decimals: 3)) m" } ?? "not determined"
  }
  private func percent(_ share: Double) -> String { (100 * share).text(decimals: 1) + " %" }
}
