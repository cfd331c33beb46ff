import Fathom
import FathomEvaluation

extension GeometrySurvey {
  /// The key figures of the plan.
  var facts: [ReportPage.Fact] {
    let measuring = situation.measuring
    var facts = [
      ReportPage.Fact(term: "measured", value: measured.joined(separator: ", ")),
      ReportPage.Fact(
        term: "height of the tag",
        value: "\(situation.height.text(decimals: 2)) m"
          + (situation.isHeightKnown ? "" : ", estimated")),
    ]
    if let side = situation.side {
      facts.append(ReportPage.Fact(term: "side of the anchors", value: side.rawValue))
    }
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
      facts.append(ReportPage.Fact(term: "maximum range", value: "\(reach.text(decimals: 1)) m"))
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

  /// The notes and warnings above the tables.
  var messages: [ReportPage.Message] {
    var messages = [
      ReportPage.Message(
        kind: "note",
        text: "Lower bounds for any unbiased method with normal errors of this size;"
          + " obstructed paths and biases add to them.")
    ]
    if unchecked > 0 {
      messages.append(
        ReportPage.Message(
          kind: "warning",
          text:
            "On \(percent(unchecked)) of the plan there are no redundant measurements: a wrong one"
            + " is undetectable there, and two positions may fit equally well."))
    }
    if hasMirrorImages {
      messages.append(
        ReportPage.Message(
          kind: "warning",
          text:
            "The anchors lie \(situation.isHeightKnown ? "on a line" : "in a plane"): positions on"
            + " both sides of it are indistinguishable."
            + (helpfulSide.map { " Give --side \($0.rawValue) or a height." } ?? "")))
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
      row("50 % radius", median),
      row("95 % radius", radius95),
    ]
    if let vertical { rows.append(row("height, sigma", vertical)) }
    return ReportPage.Table(
      "Expected error over the plan", ["error", "median, m#", "95 %, m#", "worst, m#"], rows,
      remark:
        "Undetermined cells count as the largest errors in the median and the 95th percentile.")
  }

  private var worstTable: ReportPage.Table {
    var headings = ["place", "x, m#", "y, m#", "error, m#", "95 % radius, m#"]
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
        "95th percentile of the horizontal error over the plan, and the share of the plan without"
        + " a position.")
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

  /// Returns the 95th percentile, its change from the present plan, and the undetermined share.
  private func changes(_ spread: ErrorSpread) -> [String] {
    var change = "–"
    if let p95 = spread.p95, let now = horizontal.p95 {
      change = (p95 < now ? "" : "+") + (p95 - now).text(decimals: 3)
    }
    return [spread.p95.text(decimals: 3), change, percent(spread.undetermined)]
  }

  private func metres(_ value: Double?) -> String {
    value.map { "\($0.text(decimals: 3)) m" } ?? "undetermined"
  }
  private func percent(_ share: Double) -> String { (100 * share).text(decimals: 1) + " %" }
}
