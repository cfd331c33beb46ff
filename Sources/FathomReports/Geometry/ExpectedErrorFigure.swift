import Fathom
import FathomEvaluation
import FathomRecordings

extension RecordedResults {
  /// How many cells the map of a recording has: it shows the lie of the land, not every detail.
  private static let cells = 2500

  /// The expected error of single fixes over the plan with the positions on it; nil where there are no
  /// anchors or no positions in the world.
  var geometryFigure: Figure? {
    guard hasWorldPositions, !anchors.isEmpty else { return nil }
    let heading = "Expected error of fixes"
    let view = PlanView(isRelative: false)
    let rows = positions.tags.flatMap { positions.rows(of: $0, determined: view.axes) }
    guard !rows.isEmpty, let bounds = expectation(rows) else { return nil }
    let (grid, errors) = bounds
    let limit = grid.area.diagonal
    let shown = errors.map { $0 <= limit ? $0 : .infinity }
    guard shown.contains(where: \.isFinite) else {
      return Figure(
        name: "geometry", heading: heading,
        content: .absent("Nowhere on the plan is a fix determined, so there is no map to draw."))
    }
    var layers = LevelMap(shown, grid).layers
    for tag in positions.tags {
      let rows = positions.rows(of: tag, determined: view.axes)
      let points = Curve.broken(
        rows.map { view.point(positions.position[$0]) }, at: rows.map { positions.time[$0] })
      layers.append(
        Plot.Layer(
          name: trackName, colour: .fixes, mark: isTrack ? .line(1.4) : .sign(.disc, 0.2),
          points: Decimation.points(points)))
    }
    layers.append(
      Plot.Layer(
        name: "anchor", colour: .anchors, mark: .sign(.square, 1),
        points: anchors.sorted { $0.key < $1.key }.map { view.point($0.value.position) }))
    let frame = PlanView.frame(
      x: grid.area.x, y: grid.area.y, width: GnuplotScript.panelWidth(in: 560),
      heights: 170...360)
    let panel = Plot.Panel(
      height: frame.height, xLabel: view.labels.x, yLabel: view.labels.y, x: frame.x, y: frame.y,
      layers: layers)
    return Figure(
      name: "geometry", heading: heading,
      caption: "Root mean square of the horizontal error that a fix of one range per anchor has at"
        + " least, for ranges with errors of \(summary.settings.rangeSigmaM.text(decimals: 2)) m"
        + " (Cramér-Rao); a track has less where it averages, more where ranges are wrong.",
      content: .plot(Plot(panels: [panel])))
  }

  /// The map over anchors and positions, but for the one per cent of these that is furthest out.
  private func expectation(_ rows: [Int]) -> (grid: PlanGrid, errors: [Double])? {
    func range(_ axis: Int) -> ClosedRange<Double>? {
      PlanView.range(
        core: anchors.values.map { $0.position[axis] }
          + [0.005, 0.995].compactMap { share in
            Ticks.quantile(share, of: rows.map { positions.position[$0][axis] })
          }, others: [])
    }
    guard let x = range(0), let y = range(1),
      let grid = PlanGrid(FloorArea(x: x, y: y), about: Self.cells)
    else { return nil }
    var measuring = ExpectedMeasurements(.range)
    measuring.rangeSigma = summary.settings.rangeSigmaM
    // The height that the tag mostly has, where it was not given.
    let height =
      summary.settings.heightM
      ?? Ticks.quantile(0.5, of: rows.map { positions.position[$0][2] })
    let centres = (0..<grid.count).map(grid.centre)
    let bounds = try? BoundColumns(
      x: centres.map(\.x), y: centres.map(\.y), height: height ?? 0,
      anchors: anchors.sorted { $0.key < $1.key }.map(\.value), measuring: measuring,
      isHeightKnown: isHorizontal)
    return bounds.map { (grid, $0.horizontalErrors) }
  }
}
