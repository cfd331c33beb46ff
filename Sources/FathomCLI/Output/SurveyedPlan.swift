import Fathom
import FathomEvaluation
import Foundation

/// A survey of a floor plan, as text or JSON.
struct SurveyedPlan {
  /// The name of the layout.
  let name: String
  let measure: Measure
  let survey: GeometrySurvey

  /// Returns the survey as text with tables.
  func text() -> String {
    let (grid, situation) = (survey.grid, survey.situation)
    let area = grid.area
    var lines = [
      "\(name): \(survey.anchors.count.counted("anchor")), \(noise)",
      "area         x \(area.x.lowerBound.text(decimals: 2)) to"
        + " \(area.x.upperBound.text(decimals: 2)), y \(area.y.lowerBound.text(decimals: 2)) to"
        + " \(area.y.upperBound.text(decimals: 2)) m, in \(grid.columns) x \(grid.rows) cells",
      "height       \(situation.height.text(decimals: 2)) m, "
        + (situation.isHeightKnown ? "known" : "estimated as well"),
    ]
    if survey.horizontal.undetermined > 0 {
      var line = "undetermined \(percent(survey.horizontal.undetermined)) of the plan"
      if let place = survey.undetermined {
        line += ", as at \(place.x.text(decimals: 2)), \(place.y.text(decimals: 2))"
      }
      lines.append(line)
    }
    if survey.unchecked > 0 {
      lines.append(
        "unchecked    \(percent(survey.unchecked)) of the plan: no redundant measurement, two"
          + " positions may fit")
    }
    if survey.hasMirrorImages {
      lines.append(
        "mirrored     the anchors lie in a \(situation.isHeightKnown ? "line" : "plane"): positions"
          + " on both sides of it are indistinguishable")
      if let side = survey.helpfulSide {
        lines.append("             give --side \(side.rawValue) or a height")
      }
    }
    var tables = [spreads, worst, losses]
    if !survey.additions.isEmpty { tables.append(additions) }
    return ([lines.joined(separator: "\n")] + tables.map(\.text)).joined(separator: "\n\n")
  }

  private var noise: String {
    let measuring = survey.situation.measuring
    var parts: [String] = []
    if !measuring.kinds.intersection([.range, .arrival]).isEmpty {
      parts.append("\(measuring.rangeSigma.plainText) m")
      if measuring.rangeSigmaPerMetre > 0 {
        parts.append("\(measuring.rangeSigmaPerMetre.plainText) m per metre")
      }
    }
    if !measuring.kinds.intersection(.angles).isEmpty {
      parts.append("\(measuring.azimuthSigma.degrees.text(decimals: 2)) degrees")
    }
    var text = "\(measure.rawValue) with errors of \(parts.joined(separator: " and "))"
    if let reach = measuring.maximumRange { text += ", received within \(reach.plainText) m" }
    return text
  }

  private var spreads: TextTable {
    var rows = [
      ("horizontal, root mean square", survey.horizontal),
      ("horizontal, 50 % within", survey.median),
      ("horizontal, 95 % within", survey.radius95),
    ]
    if let vertical = survey.vertical { rows.append(("height, standard deviation", vertical)) }
    return TextTable(
      ["expected error, m", "median#", "95 %#", "worst#"],
      rows: rows.map { [$0, metres($1.median), metres($1.p95), metres($1.worst)] })
  }

  private var worst: TextTable {
    let hasHeight = survey.vertical != nil
    let errors = survey.errors
    return TextTable(
      ["worst places", "x m#", "y m#", "error m#", "95 % within m#"]
        + (hasHeight ? ["height m#"] : []) + ["measured#"],
      rows: zip(survey.worst, 1...).map { place, number in
        [
          "\(number)", place.x.text(decimals: 2), place.y.text(decimals: 2),
          metres(errors.horizontal[place.cell]), metres(errors.radius95[place.cell]),
        ] + (hasHeight ? [metres(errors.vertical[place.cell])] : [])
          + ["\(errors.measurements[place.cell])"]
      })
  }

  private var losses: TextTable {
    TextTable(
      ["without", "95 % of the plan m#", "change m#", "undetermined#"],
      rows: zip(survey.names, survey.losses).map { [$0] + changes($1.horizontal) })
  }

  private var additions: TextTable {
    TextTable(
      [
        "new anchor", "x m#", "y m#", "z m#", "95 % of the plan m#", "change m#", "undetermined#",
        "",
      ],
      rows: zip(survey.additions, "abcdefgh").map { addition, letter in
        [String(letter)] + addition.position.array.map { $0.text(decimals: 2) }
          + changes(addition.horizontal) + [addition.isOnBorder ? "on the border" : "inside"]
      })
  }

  /// Returns the error that 95 % of the plan stay below, its change, and the undetermined share.
  private func changes(_ spread: ErrorSpread) -> [String] {
    var change = "-"
    if let p95 = spread.p95, let now = survey.horizontal.p95 {
      change = (p95 < now ? "" : "+") + metres(p95 - now)
    }
    return [metres(spread.p95), change, percent(spread.undetermined)]
  }

  private func metres(_ value: Double?) -> String { (value ?? .nan).text(decimals: 3) }
  private func percent(_ share: Double) -> String { (100 * share).text(decimals: 1) + " %" }

  /// Returns the survey as one JSON object; undetermined values are null.
  func json() throws -> String {
    let figures = SurveyedFigures(survey, name: name, measure: measure.rawValue)
    return try Console.json(figures, isPretty: true)
  }
}
