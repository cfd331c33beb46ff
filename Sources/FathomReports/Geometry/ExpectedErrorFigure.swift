import Fathom
import FathomEvaluation
import FathomRecordings

extension RecordedResults {
  /// Number of cells of a recording's map; enough for an overview.
  private static let cells = 2500

  /// The expected error of single fixes over the plan, with the positions.
  ///
  /// Nil without anchors, and without positions in the world frame.
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
        content: .absent(
          "A fix is undetermined everywhere on the plan, so there is no map to draw."))
    }
    var layers = LevelMap(shown, grid).layers
    for tag in positions.tags {
      layers.append(
        Plot.Layer(
          name: trackName, colour: .fixes, mark: isTrack ? .line(1.4) : .sign(.disc, 0.2),
          points: view.curve(of: tag, in: positions)))
    }
    layers.append(
      Plot.Layer(
        name: "anchor", colour: .anchors, mark: .sign(.square, 1),
        points: anchors.sorted { $0.key < $1.key }.map { view.point($0.value.position) }))
    let panel = view.panel(x: grid.area.x, y: grid.area.y, heights: 170...360, layers: layers)
    return Figure(
      name: "geometry", heading: heading,
      caption:
        "Cramér-Rao lower bound of the horizontal error (root mean square) of a fix from one range"
        + " per anchor, for range errors of \(summary.settings.rangeSigmaM.text(decimals: 2)) m."
        + " Averaging gives a track smaller errors; wrong ranges cause greater ones.",
      content: .plot(Plot(panels: [panel])))
  }

  /// Returns the map over the anchors and the central 99 % of the positions per axis.
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
    // The median height of the tag when no height is given.
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
