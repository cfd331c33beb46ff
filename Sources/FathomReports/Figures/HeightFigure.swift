import Fathom

extension RecordedResults {
  /// The height over time; nil when the height is given or positions are relative.
  var heightFigure: Figure? {
    guard !isHorizontal, !isRelative else { return nil }
    var layers: [Plot.Layer] = []
    var values: [Double] = []
    var core: [Double] = []
    if let fixes {
      let rows = fixes.tags.flatMap { fixes.rows(of: $0, determined: [2]) }
      let points = rows.map {
        Plot.Point(x: fixes.time[$0].seconds(since: start), y: fixes.position[$0][2])
      }
      values += points.map(\.y)
      layers.append(
        Plot.Layer(
          name: "raw fixes", colour: .fixes, mark: .sign(.disc, 0.22),
          points: Decimation.points(points)))
    }
    for (number, tag) in positions.tags.enumerated() {
      let rows = positions.rows(of: tag, determined: [2])
      guard !rows.isEmpty else { continue }
      let times = rows.map { positions.time[$0] }
      let track = rows.map { row in
        let height = positions.position[row][2]
        // 95 % of a normal distribution lie within 1.96 standard deviations.
        let half = 1.96 * positions.covariance[row][2, 2].squareRoot()
        return Plot.Point(
          x: positions.time[row].seconds(since: start), y: height - (half.isNaN ? 0 : half),
          upper: height + (half.isNaN ? 0 : half))
      }
      layers.append(
        .curve(name: "95 %", colour: .series(number), mark: .band, track, at: times))
      if let truth = truth?.track(of: tag) {
        let points = zip(truth.times, truth.positions).map {
          Plot.Point(x: $0.seconds(since: start), y: $1[2])
        }
        core += points.map(\.y)
        layers.append(
          .curve(name: "truth", colour: .truth, mark: .line(1.2), points, at: truth.times))
      }
      let line = track.map { Plot.Point(x: $0.x, y: ($0.y + $0.upper) / 2) }
      values += line.map(\.y)
      layers.append(
        .curve(
          name: name(of: tag), colour: .series(number),
          mark: isTrack ? .line(1.6) : .sign(.disc, 0.3), line, at: times))
    }
    guard let y = PlanView.range(core: core, others: values) else { return nil }
    let panel = Plot.Panel(
      height: 200, xLabel: "time since the start, s", yLabel: "height, m",
      x: 0...max(duration, 1e-3), y: y, layers: layers)
    return Figure(
      name: "height", heading: "Height",
      caption:
        "Height over time, with the band that contains it with 95 % probability if the variance"
        + " is right." + Figure.thinned(positions.count),
      content: .plot(Plot(panels: [panel])))
  }
}
