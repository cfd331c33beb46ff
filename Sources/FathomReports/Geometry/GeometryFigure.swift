import Fathom
import FathomEvaluation
import FathomRecordings

extension GeometrySurvey {
  /// Maps of the horizontal error, and of the height error when the height is estimated.
  func figures(walls: [FloorPlan.Wall] = []) -> [Figure] {
    var figures = [
      map(
        "horizontal", "Expected horizontal error", errors.horizontal, walls, hasPlaces: true,
        caption: "Cramér-Rao lower bound of the horizontal error (root mean square), in plan view."
          + " Numbers mark the worst places, letters where one more anchor helps most.")
    ]
    if !situation.isHeightKnown {
      figures.append(
        map(
          "vertical", "Expected error of the height", errors.vertical, walls, hasPlaces: false,
          caption: "Cramér-Rao lower bound of the standard deviation of the height."))
    }
    return figures
  }

  private func map(
    _ name: String, _ heading: String, _ values: [Double], _ walls: [FloorPlan.Wall],
    hasPlaces: Bool, caption: String
  ) -> Figure {
    let figure = Figure(name: name, heading: heading, content: .absent(""))
    guard values.contains(where: \.isFinite) else {
      var figure = figure
      figure.content = .absent(
        "The error is undetermined everywhere on the plan, so there is no map to draw.")
      return figure
    }
    var layers = LevelMap(values, grid).layers
    if !walls.isEmpty {
      let ends = walls.flatMap { wall in
        [
          Plot.Point(x: wall.from[0], y: wall.from[1], beginsAnew: true),
          Plot.Point(x: wall.to[0], y: wall.to[1]),
        ]
      }
      layers.append(Plot.Layer(name: "wall", colour: .ink, mark: .line(2), points: ends))
    }
    var labels: [Plot.Label] = []
    let places = anchors.map { Plot.Point(x: $0.position[0], y: $0.position[1]) }
      .filter { grid.area.x.contains($0.x) && grid.area.y.contains($0.y) }
    layers.append(
      Plot.Layer(name: "anchor", colour: .anchors, mark: .sign(.square, 1), points: places))
    // More names would cover each other, and take gnuplot minutes.
    for (name, anchor) in zip(names, anchors) where anchors.count <= PlanView.mostNames {
      labels.append(Plot.Label(x: anchor.position[0], y: anchor.position[1], text: name))
    }
    if hasPlaces {
      layers.append(
        Plot.Layer(
          name: "worst places", colour: .rejected, mark: .sign(.cross, 1),
          points: worst.map { Plot.Point(x: $0.x, y: $0.y) }))
      layers.append(
        Plot.Layer(
          name: "one more anchor", colour: .fixes, mark: .sign(.triangle, 1.2),
          points: additions.map { Plot.Point(x: $0.position[0], y: $0.position[1]) }))
      for (place, number) in zip(worst, 1...) {
        labels.append(Plot.Label(x: place.x, y: place.y, text: "\(number)"))
      }
      for (addition, letter) in zip(additions, "abcdefgh") {
        labels.append(
          Plot.Label(
            x: addition.position[0], y: addition.position[1], text: String(letter)))
      }
    }
    // A margin for the signs and texts on the border.
    let margin = 0.05 * max(grid.area.width, grid.area.depth)
    var panel = PlanView(isRelative: false).panel(
      x: Ticks.interval(grid.area.x.lowerBound - margin, grid.area.x.upperBound + margin),
      y: Ticks.interval(grid.area.y.lowerBound - margin, grid.area.y.upperBound + margin),
      layers: layers)
    panel.labels = labels.filter { panel.x.contains($0.x) && panel.y.contains($0.y) }
    let missing = anchors.count - places.count
    let outside =
      missing == 0
      ? "" : " Outside the axes: \(Figure.counted(missing, "anchor", "anchors"))."
    return Figure(
      name: name, heading: heading, caption: caption + outside,
      content: .plot(Plot(panels: [panel])))
  }
}
