import Fathom
import FathomRecordings

extension RecordedResults {
  /// Number of ellipses in a plan.
  private static let ellipseCount = 24

  /// The plan view: anchors, truth, raw fixes, track and 95 % ellipses, with equal scales.
  var planFigure: Figure {
    let figure = Figure(name: "plan", heading: "Plan", content: .absent(""))
    let view = PlanView(isRelative: isRelative)
    let layers = planLayers(view)
    let track = layers.filter { $0.isEstimate }.flatMap(\.points)
    guard !track.isEmpty else {
      return absent(figure, "The results have no positions, so there is no plan to draw.")
    }
    let fixes = layers.first { $0.colour == .fixes }?.points ?? []
    let core = layers.filter { $0.colour == .anchors || $0.colour == .truth }.flatMap(\.points)
    let others = track + fixes
    let panel = view.panel(core: core, others: others, layers: layers, labels: planLabels(view))
    guard let panel else { return figure }
    let outside = others.count { !panel.x.contains($0.x) || !panel.y.contains($0.y) }
    var caption =
      isRelative
      ? "Positions of the accessory in the device frame, in plan view; the device is at 0, 0."
      : "Plan view with equal scales on both axes."
    caption += " Ellipses contain the position with 95 % probability if the covariance is right."
    if outside > 0 {
      caption += " Outside the axes: \(Figure.counted(outside, "position", "positions"))."
    }
    caption += Figure.thinned(positions.count, fixes.isEmpty ? 0 : self.fixes?.count ?? 0)
    let tagCount = Set(positions.tag).count
    if tagCount > PositionColumns.mostTags {
      caption +=
        " Figures show the \(PositionColumns.mostTags) tags with the most positions of \(tagCount)."
    }
    for part in [Part.anchors, .truth, .fixes] {
      if let sentence = absences[part] { caption += " \(sentence)" }
    }
    return Figure(
      name: "plan", heading: "Plan", caption: caption, content: .plot(Plot(panels: [panel])))
  }

  /// Returns the layers of the plan, from back to front.
  private func planLayers(_ view: PlanView) -> [Plot.Layer] {
    var layers: [Plot.Layer] = []
    if let fixes {
      let rows = fixes.tags.flatMap { fixes.rows(of: $0, determined: view.axes) }
      layers.append(
        Plot.Layer(
          name: "raw fixes", colour: .fixes, mark: .sign(.disc, 0.22),
          points: Decimation.points(rows.map { view.point(fixes.position[$0]) })))
    }
    for tag in positions.tags {
      if let truth = truth?.track(of: tag) { layers.append(view.layer(of: truth)) }
    }
    for (number, tag) in positions.tags.enumerated() {
      let rows = positions.rows(of: tag, determined: view.axes)
      let colour = Palette.series(number)
      layers.append(
        Plot.Layer(
          name: "95 % ellipse", colour: colour, mark: .line(1), points: ellipses(rows, view)))
      layers.append(
        Plot.Layer(
          name: name(of: tag), colour: colour, mark: isTrack ? .line(2) : .sign(.disc, 0.3),
          points: view.curve(of: tag, in: positions), isEstimate: true))
    }
    let places = anchors.sorted { $0.key < $1.key }.map { view.point($0.value.position) }
    layers.append(
      Plot.Layer(
        name: isRelative ? "device" : "anchor", colour: .anchors, mark: .sign(.square, 1),
        points: isRelative ? [Plot.Point(x: 0, y: 0)] : places))
    return layers
  }

  /// Returns ellipses of the given rows, evenly spaced in time.
  private func ellipses(_ rows: [Int], _ view: PlanView) -> [Plot.Point] {
    guard duration > 0 else { return [] }
    let step = duration / Double(Self.ellipseCount)
    var next = step / 2
    var points: [Plot.Point] = []
    for row in rows {
      let time = positions.time[row].seconds(since: start)
      guard time >= next else { continue }
      next = ((time - step / 2) / step).rounded(.down) * step + 1.5 * step
      guard let ellipse = view.ellipse(positions.covariance[row]) else { continue }
      let centre = view.point(positions.position[row])
      points += ellipse.outline(x: centre.x, y: centre.y)
    }
    return points
  }

  /// Returns the names of anchors, and of tags when there are several.
  private func planLabels(_ view: PlanView) -> [Plot.Label] {
    var labels: [Plot.Label] = []
    if !isRelative, anchors.count <= PlanView.mostNames {
      labels = anchors.sorted { $0.key < $1.key }.map { name, anchor in
        let point = view.point(anchor.position)
        return Plot.Label(x: point.x, y: point.y, text: name)
      }
    }
    let tags = positions.tags
    guard tags.count > 1 else { return labels }
    for (number, tag) in tags.enumerated() {
      guard let row = positions.rows(of: tag, determined: view.axes).last else { continue }
      let point = view.point(positions.position[row])
      labels.append(Plot.Label(x: point.x, y: point.y, text: tag, colour: .series(number)))
    }
    return labels
  }

  /// The name of the positions of `tag` in the keys of figures: the tag's own if several have colours
  /// of their own.
  func name(of tag: String) -> String {
    (2...8).contains(positions.tags.count) ? tag : trackName
  }

  /// Whether the positions form a track rather than independent fixes.
  var isTrack: Bool { summary.settings.method != .fix && !isRelative }

  /// Name of the positions in the keys of figures.
  var trackName: String { isTrack ? "track" : isRelative ? "positions" : "fixes" }

  /// Returns `figure` without a drawing, with the given reason.
  func absent(_ figure: Figure, _ reason: String) -> Figure {
    var figure = figure
    figure.content = .absent(reason)
    return figure
  }
}
