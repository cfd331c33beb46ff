import Fathom
import FathomRecordings

extension RecordedResults {
  /// The most links that have a panel of their own.
  static let mostLinks = 12

  /// Residuals of the ranges per link over time: after the fit, and against truth where there is one.
  var residualFigures: [Figure] {
    let fit = Figure(name: "residuals", heading: "Residuals after the fit", content: .absent(""))
    if let sentence = absences[.anchors] { return [absent(fit, sentence)] }
    var figures = [
      residualFigure(
        fit, fitResiduals,
        "Measured distance minus distance from the position at that instant to"
          + " the anchor.",
        reason: "No range has a position at its instant, so there are no residuals.")
    ]
    if truth != nil {
      figures.append(
        residualFigure(
          Figure(name: "range-errors", heading: "Errors of the ranges", content: .absent("")),
          rangeErrors, "Measured distance minus true distance. The median of a link is its bias.",
          reason: "No range has truth at its instant, so its error is not known."))
    }
    return figures
  }

  private func residualFigure(
    _ figure: Figure, _ links: [LinkResidualSeries], _ what: String, reason: String
  ) -> Figure {
    let known = links.flatMap(\.known)
    guard let most = Ticks.quantile(0.98, of: known.map(\.magnitude)) else {
      return absent(figure, reason)
    }
    // Room for all but the worst, which stand at the edge.
    let limit = Self.reach(
      max(min(1.5 * most, 1.05 * (known.map(\.magnitude).max() ?? most)), 0.05))
    let chosen = links.indices.sorted { links[$0].rows.count > links[$1].rows.count }
    let shown = chosen.prefix(Self.mostLinks).sorted().map { links[$0] }
    var panels = shown.map { residualPanel($0, limit: limit) }
    panels[panels.count - 1].xLabel = "time since the beginning, s"
    var caption = what
    let beyond = shown.flatMap(\.known).count { $0.magnitude > limit }
    if beyond > 0 {
      caption +=
        " \(Figure.counted(beyond, "range lies", "ranges lie")) beyond the axis and"
        + " \(beyond == 1 ? "stands" : "stand") at its edge."
    }
    if shown.count < links.count {
      caption += " Shown are the \(shown.count) links with the most ranges of \(links.count)."
    }
    caption += Figure.thinned(shown.map(\.rows.count).max() ?? 0)
    var figure = figure
    figure.caption = caption
    figure.content = .plot(Plot(panels: panels))
    return figure
  }

  private static let panelHeight = 74.0

  /// The axis that is to show ±`limit`, with a little room behind it.
  private static func axis(_ limit: Double) -> ClosedRange<Double> { -1.08 * limit...1.08 * limit }

  /// How far the axis has to go that is to show `limit`: at least to its first number.
  static func reach(_ limit: Double) -> Double {
    max(
      limit, Ticks.step(axis(limit), in: panelHeight, apart: Ticks.apart(in: panelHeight)))
  }

  private func residualPanel(_ link: LinkResidualSeries, limit: Double) -> Plot.Panel {
    let groups: [(String, Palette, Plot.Mark, Set<DistanceColumns.Decision>)] = [
      ("used", .track, .sign(.disc, 0.25), [.used]),
      ("starting", .unknown, .sign(.disc, 0.4), [.starting]),
      ("discounted", .discounted, .sign(.triangle, 0.55), [.discounted, .nonLineOfSight]),
      ("not used", .rejected, .sign(.cross, 0.5), [.duplicate, .unused]),
    ]
    var layers = [
      Plot.Layer(
        name: nil, colour: .muted, mark: .line(1),
        points: [Plot.Point(x: 0, y: 0), Plot.Point(x: max(duration, 1e-3), y: 0)])
    ]
    for (name, colour, mark, decisions) in groups {
      let points = link.rows.indices.compactMap { index -> Plot.Point? in
        let row = link.rows[index]
        guard decisions.contains(distances.decision[row]), !link.values[index].isNaN else {
          return nil
        }
        return Plot.Point(
          x: distances.time[row].seconds(since: start),
          y: min(max(link.values[index], -limit), limit))
      }
      layers.append(
        Plot.Layer(
          name: name, colour: colour, mark: mark, points: Decimation.points(points, limit: 1200)))
    }
    var heading = linkName(link.tag, link.anchor)
    if let median = link.median, let sigma = link.robustSigma {
      heading += ": median \(median.text(decimals: 3)) m, robust sigma \(sigma.text(decimals: 3)) m"
    }
    return Plot.Panel(
      height: Self.panelHeight, heading: heading, yLabel: "m", x: 0...max(duration, 1e-3),
      y: Self.axis(limit), layers: layers)
  }

  /// What a link is called: the anchor, with the tag before it where there are several.
  func linkName(_ tag: String, _ anchor: String) -> String {
    Set(summary.links.map(\.tag)).count > 1 ? "\(tag) – \(anchor)" : anchor
  }
}
