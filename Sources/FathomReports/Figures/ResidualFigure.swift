import Fathom
import FathomRecordings

extension RecordedResults {
  /// Maximum number of links with a panel of their own.
  static let mostLinks = 12

  /// Residuals of the ranges per link over time: after the fit, and relative to truth when
  /// available.
  ///
  /// The first figure marks `changes`, those of the level of links.
  func residualFigures(_ changes: [LinkChange]) -> [Figure] {
    let fit = Figure(name: "residuals", heading: "Residuals after the fit", content: .absent(""))
    var figures: [Figure] = []
    if let sentence = absences[.anchors] {
      figures.append(absent(fit, sentence))
    } else if !anchors.isEmpty {
      figures.append(
        residualFigure(
          fit, fitResiduals,
          "Measured distance, without the errors that were found, minus the distance from the"
            + " estimated position at that time to the anchor.", changes,
          reason: "No range has a position at its time, so there are no residuals."))
    }
    if trueDistances != nil || truth != nil && !anchors.isEmpty {
      figures.append(
        residualFigure(
          Figure(name: "range-errors", heading: "Errors of the ranges", content: .absent("")),
          rangeErrors, "Measured distance minus true distance. The median of a link is its bias.",
          reason: "No range has truth at its time, so the range errors are unknown."))
    }
    return figures
  }

  private func residualFigure(
    _ figure: Figure, _ links: [LinkResidualSeries], _ what: String, _ changes: [LinkChange] = [],
    reason: String
  ) -> Figure {
    let known = links.flatMap(\.known)
    guard let most = Ticks.quantile(0.98, of: known.map(\.magnitude)) else {
      return absent(figure, reason)
    }
    // The axis contains all but the largest residuals, which are drawn at its edge.
    let whole = min(1.5 * most, 1.05 * (known.map(\.magnitude).max() ?? most))
    let limit = Self.reach(max(min(whole, Self.robustReach(links)), 0.05))
    let chosen = links.indices.sorted { links[$0].rows.count > links[$1].rows.count }
    let shown = chosen.prefix(Self.mostLinks).sorted().map { links[$0] }
    var panels = shown.map { link in
      residualPanel(
        link, limit: limit, changes.filter { $0.tag == link.tag && $0.anchor == link.anchor })
    }
    panels[panels.count - 1].xLabel = "time since the start, s"
    var caption = what
    let beyond = shown.flatMap(\.known).count { $0.magnitude > limit }
    if beyond > 0 {
      caption +=
        " \(Figure.counted(beyond, "range lies", "ranges lie")) beyond the axis and"
        + " \(beyond == 1 ? "is marked at its edge" : "are marked at its edge and counted per link")."
    }
    if !changes.isEmpty {
      caption += " A dashed line marks a level shift of a link."
    }
    caption += Figure.shown(shown.count, of: links.count)
    caption += Figure.thinned(shown.map(\.rows.count).max() ?? 0)
    var figure = figure
    figure.caption = caption
    figure.content = .plot(Plot(panels: panels))
    return figure
  }

  private static let panelHeight = 74.0

  /// Returns the axis for ±`limit`, with a small margin.
  private static func axis(_ limit: Double) -> ClosedRange<Double> {
    Ticks.interval(-1.08 * limit, 1.08 * limit)
  }

  /// Returns the limit of an axis that contains `limit` and at least its first number.
  static func reach(_ limit: Double) -> Double {
    max(
      limit, Ticks.step(axis(limit), in: panelHeight, apart: Ticks.apart(in: panelHeight)))
  }

  /// Returns the reach of an axis on which the typical link fills at least a quarter.
  ///
  /// The 98 % quantile of the magnitudes is the reach of a link, and the lower median of all links
  /// that of the typical one. An anchor that reads 20 m too much changes the median of no other link.
  static func robustReach(_ links: [LinkResidualSeries]) -> Double {
    let reaches = links.compactMap { Ticks.quantile(0.98, of: $0.known.map(\.magnitude)) }.sorted()
    return reaches.isEmpty ? .infinity : 4 * reaches[(reaches.count - 1) / 2]
  }

  private func residualPanel(
    _ link: LinkResidualSeries, limit: Double, _ changes: [LinkChange]
  ) -> Plot.Panel {
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
    var beyond: [Plot.Point] = []
    for (name, colour, mark, decisions) in groups {
      let points = link.rows.indices.compactMap { index -> Plot.Point? in
        let row = link.rows[index]
        guard decisions.contains(distances.decision[row]), !link.values[index].isNaN else {
          return nil
        }
        let time = distances.time[row].seconds(since: start)
        guard link.values[index].magnitude <= limit else {
          beyond.append(Plot.Point(x: time, y: link.values[index] > 0 ? limit : -limit))
          return nil
        }
        return Plot.Point(x: time, y: link.values[index])
      }
      layers.append(
        Plot.Layer(
          name: name, colour: colour, mark: mark, points: Decimation.points(points, limit: 1200)))
    }
    layers.append(
      Plot.Layer(
        name: "beyond the axis", colour: .ink, mark: .sign(.plus, 0.5),
        points: Decimation.points(beyond, limit: 400)))
    layers.append(
      Plot.Layer(
        name: "change of level", colour: .ink, mark: .dashes,
        points: changes.flatMap { change in
          let time = change.time.seconds(since: start)
          return [-limit, limit].map { Plot.Point(x: time, y: $0, beginsAnew: $0 < 0) }
        }))
    var heading = linkName(link.tag, link.anchor)
    if let median = link.median, let sigma = link.robustSigma {
      heading += ": median \(median.text(decimals: 3)) m, robust sigma \(sigma.text(decimals: 3)) m"
    }
    if !beyond.isEmpty { heading += ", \(beyond.count) beyond the axis" }
    return Plot.Panel(
      height: Self.panelHeight, heading: heading, yLabel: "m", x: 0...max(duration, 1e-3),
      y: Self.axis(limit), layers: layers)
  }

  /// Returns the name of a link: the anchor, preceded by the tag when there are several tags.
  func linkName(_ tag: String, _ anchor: String) -> String {
    Set(summary.links.map(\.tag)).count > 1 ? "\(tag) – \(anchor)" : anchor
  }
}

/// The ranges of one link and their residuals.
struct LinkResidualSeries: Sendable, Equatable {
  var tag: String
  var anchor: String
  /// Rows of the distances that belong to the link.
  var rows: [Int] = []
  /// Measured distance minus distance to the anchor, metres, parallel to ``rows``; NaN when the
  /// position is unknown.
  var values: [Double] = []

  /// The known values.
  var known: [Double] { values.filter { !$0.isNaN } }

  /// Median of the known values, metres: the bias of the link's ranges.
  var median: Double? { Ticks.quantile(0.5, of: values) }

  /// Robust standard deviation, metres: 1.4826 times the median absolute deviation from the median.
  ///
  /// It equals the standard deviation of normal values and is insensitive to outliers [Rousseeuw &
  /// Croux 1993].
  var robustSigma: Double? {
    guard let median else { return nil }
    return Ticks.quantile(0.5, of: values.map { ($0 - median).magnitude }).map { 1.4826 * $0 }
  }
}

extension RecordedResults {
  /// Returns the residuals of every link with an anchor and ranges, in the order of the summary.
  ///
  /// Positions are interpolated over at most `longestGap` seconds. With `areCorrected`, the errors
  /// that the method found are taken off the ranges first.
  func residuals(
    from tracks: [String: PositionTrack], longestGap: Double, areCorrected: Bool
  ) -> [LinkResidualSeries] {
    var corrected: [String: [String: (anchor: Anchor, offset: Double)]] = [:]
    for tag in Set(summary.links.map(\.tag)) {
      corrected[tag] =
        areCorrected ? correctedAnchors(of: tag) : anchors.mapValues { ($0, offset: 0) }
    }
    var links: [LinkResidualSeries] = []
    var places: [String: [String: Int]] = [:]
    for link in summary.links {
      places[link.tag, default: [:]][link.anchor] = links.count
      links.append(LinkResidualSeries(tag: link.tag, anchor: link.anchor))
    }
    for row in distances.time.indices {
      guard let place = places[distances.tag[row]]?[distances.anchor[row]],
        let (anchor, offset) = corrected[distances.tag[row]]?[distances.anchor[row]]
      else { continue }
      let position = tracks[distances.tag[row]]?.position(
        at: distances.time[row], longestGap: longestGap)
      links[place].rows.append(row)
      links[place].values.append(
        position.map {
          anchor.corrected(distances.distance[row]) - offset - ($0 - anchor.position).length
        } ?? .nan)
    }
    return links.filter { !$0.rows.isEmpty }
  }

  /// Residuals after the fit, relative to the estimated positions.
  var fitResiduals: [LinkResidualSeries] {
    var tracks: [String: PositionTrack] = [:]
    for tag in positions.tags {
      let rows = positions.rows(of: tag, determined: [0, 1, 2])
      tracks[tag] = PositionTrack(
        times: rows.map { positions.time[$0] }, positions: rows.map { positions.position[$0] })
    }
    return residuals(from: tracks, longestGap: 1.5, areCorrected: true)
  }

  /// Range errors relative to truth, or to the true distances in the ranges file; empty without.
  var rangeErrors: [LinkResidualSeries] {
    if let trueDistances {
      var links: [LinkResidualSeries] = []
      var places: [[String]: Int] = [:]
      for row in distances.time.indices {
        let (tag, anchor) = (distances.tag[row], distances.anchor[row])
        let place = places[[tag, anchor]] ?? links.count
        if place == links.count {
          places[[tag, anchor]] = place
          links.append(LinkResidualSeries(tag: tag, anchor: anchor))
        }
        links[place].rows.append(row)
        links[place].values.append(distances.distance[row] - trueDistances[row])
      }
      return links
    }
    guard let truth else { return [] }
    var tracks: [String: PositionTrack] = [:]
    for link in summary.links { tracks[link.tag] = truth.track(of: link.tag) }
    return residuals(from: tracks, longestGap: 1.5, areCorrected: false)
  }
}
