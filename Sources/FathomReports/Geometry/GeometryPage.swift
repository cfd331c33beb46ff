import Fathom
import FathomEvaluation
import FathomRecordings
import Mustache

/// The survey of a floor plan as one page with its maps.
public struct GeometryPage: Sendable {
  private let survey: GeometrySurvey
  private let name: String

  /// The page of `survey`, of a layout called `name`.
  public init(_ survey: GeometrySurvey, name: String) {
    self.survey = survey
    self.name = name
  }

  /// Draws the maps and renders the page: one self-contained HTML file, well-formed as XML, without
  /// scripts; the same survey gives the same text.
  ///
  /// - Parameter gnuplot: what draws.
  /// - Returns: the page.
  /// - Throws: ``ReportError/noGnuplot(searched:)``, ``ReportError/gnuplotFailed(figure:reason:)`` or
  ///   ``ReportError/pageFailed(reason:)``.
  public func rendered(
    by gnuplot: () throws(ReportError) -> Gnuplot = { () throws(ReportError) in try .found() }
  ) throws(ReportError) -> String {
    var section = ReportPage.Section(
      identifier: "survey", heading: name, facts: survey.facts, messages: survey.messages,
      tables: survey.tables)
    for figure in survey.figures {
      var drawing: String?
      var caption = figure.caption
      let identifier = "survey-\(figure.name)"
      switch figure.content {
      case .absent(let sentence): caption = sentence
      case .plot(let plot):
        let title = "\(figure.heading) of \(name)"
        drawing = try Drawing(plot, figure: title, by: gnuplot()).element(
          identifier: identifier, title: title, description: caption)
      }
      section.figures.append(
        ReportPage.PageFigure(
          identifier: identifier, heading: figure.heading, drawing: drawing, caption: caption))
    }
    let page = ReportPage(
      title: "Geometry: \(name)",
      subtitle: Figure.counted(survey.anchors.count, "anchor", "anchors"), sections: [section],
      footer: "Made by fathom \(FathomVersion.current). Distances in metres.")
    do {
      return try MustacheTemplate(string: PageTemplate.page).render(page.context)
    } catch {
      throw .pageFailed(reason: "\(error)")
    }
  }
}

extension GeometrySurvey {
  /// The plan in a few figures.
  fileprivate var facts: [ReportPage.Fact] {
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

  fileprivate var messages: [ReportPage.Message] {
    var messages = [
      ReportPage.Message(
        kind: "note",
        text: "The least that any unbiased method can reach with normal errors of this size;"
          + " obstructed paths and biases come on top. Mirror images are not part of it.")
    ]
    if unchecked > 0 {
      messages.append(
        ReportPage.Message(
          kind: "warning",
          text: "On \(percent(unchecked)) of the plan no measurement is to spare: a wrong one goes"
            + " unnoticed there, and two positions may fit."))
    }
    return messages
  }

  fileprivate var tables: [ReportPage.Table] {
    [spreadTable, worstTable, lossTable] + (additions.isEmpty ? [] : [additionTable])
  }

  private var spreadTable: ReportPage.Table {
    func row(_ name: String, _ spread: ErrorSpread) -> [String] {
      [name] + [spread.median, spread.p95, spread.worst].map { $0.text(decimals: 3) }
    }
    var rows = [
      row("horizontal, root mean square", horizontal),
      row("horizontal, half of all positions within", median),
      row("horizontal, 95 % of all positions within", radius95),
    ]
    if let vertical { rows.append(row("height, standard deviation", vertical)) }
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
