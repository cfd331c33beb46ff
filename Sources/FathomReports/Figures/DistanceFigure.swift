import Fathom
import FathomRecordings

extension RecordedResults {
  /// Measured and smoothed distances per link over time, for recordings without anchors.
  var distanceFigure: Figure {
    let figure = Figure(name: "distances", heading: "Distances", content: .absent(""))
    let chosen = summary.links.sorted { $0.ranges > $1.ranges }.prefix(Self.mostLinks)
    let links = summary.links.filter(chosen.contains)
    var panels = links.compactMap { distancePanel($0.tag, $0.anchor) }
    guard !panels.isEmpty else {
      return absent(figure, "The results have no distances.")
    }
    panels[panels.count - 1].xLabel = "time since the start, s"
    var drawn = figure
    drawn.caption =
      "Measured and smoothed distances, with a 95 % band where the smoother states a"
      + " standard deviation." + Figure.thinned(distances.time.count)
      + Figure.shown(links.count, of: summary.links.count)
    drawn.content = .plot(Plot(panels: panels))
    return drawn
  }

  private func distancePanel(_ tag: String, _ anchor: String) -> Plot.Panel? {
    let rows = distances.time.indices.filter {
      distances.tag[$0] == tag && distances.anchor[$0] == anchor
    }
    let seconds = { (row: Int) in distances.time[row].seconds(since: start) }
    let measured = rows.map { Plot.Point(x: seconds($0), y: distances.distance[$0]) }
    let smoothed = rows.filter { distances.smoothed[$0].isFinite }
    let times = smoothed.map { distances.time[$0] }
    let line = smoothed.map { Plot.Point(x: seconds($0), y: distances.smoothed[$0]) }
    let band = smoothed.map { row in
      let half = distances.sigma[row].isFinite ? 1.96 * distances.sigma[row] : 0
      return Plot.Point(
        x: seconds(row), y: distances.smoothed[row] - half, upper: distances.smoothed[row] + half)
    }
    guard let y = Ticks.range(of: (measured + line).map(\.y), least: 0.2) else { return nil }
    return Plot.Panel(
      height: 150, heading: linkName(tag, anchor), yLabel: "distance, m",
      x: 0...max(duration, 1e-3), y: y,
      layers: [
        Plot.Layer(
          name: "measured", colour: .fixes, mark: .sign(.disc, 0.25),
          points: Decimation.points(measured)),
        .curve(name: "95 %", colour: .track, mark: .band, band, at: times),
        .curve(name: "smoothed", colour: .track, mark: .line(1.6), line, at: times),
      ])
  }
}
