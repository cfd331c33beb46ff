import FathomEvaluation

/// A map of errors as rectangles, one layer per level.
///
/// Each layer contains the cells of its level and of all greater ones, and covers the layers below
/// it. The background is therefore never visible between cells at any scale, and long runs stay one
/// rectangle.
struct LevelMap: Sendable, Equatable {
  private let grid: PlanGrid
  private let levels: [Int?]
  private let scale: ErrorLevels

  /// Creates the map of `errors`, metres, in the cells of `grid`; non-finite errors are
  /// undetermined.
  init(_ errors: [Double], _ grid: PlanGrid) {
    self.grid = grid
    let scale = ErrorLevels(of: errors)
    self.scale = scale
    levels = errors.map { $0.isFinite ? scale.level(of: $0) : nil }
  }

  /// The layers from the lowest level, then the undetermined cells.
  var layers: [Plot.Layer] {
    var layers: [Plot.Layer] = []
    for (level, name) in scale.names.enumerated() {
      // The first level covers the whole map.
      let points = rectangles { level == 0 || ($0 ?? -1) >= level }
      layers.append(
        Plot.Layer(name: name, colour: scale.colour(of: level), mark: .boxes, points: points))
    }
    layers.append(
      Plot.Layer(
        name: "undetermined", colour: .unknown, mark: .boxes, points: rectangles { $0 == nil }))
    return layers
  }

  /// Returns rectangles around all cells whose levels are `wanted`.
  ///
  /// Runs along x are joined when they repeat from row to row.
  private func rectangles(of wanted: (Int?) -> Bool) -> [Plot.Point] {
    var points: [Plot.Point] = []
    // Open runs by first column, with the column after their last and their first row.
    var open: [Int: (end: Int, row: Int)] = [:]
    func close(_ start: Int, _ run: (end: Int, row: Int), at row: Int) {
      let (left, lower) = (grid.area.x.lowerBound, grid.area.y.lowerBound)
      points.append(
        Plot.Point(
          x: left + Double(start) * grid.stepX, y: lower + Double(run.row) * grid.stepY,
          upper: lower + Double(row) * grid.stepY, right: left + Double(run.end) * grid.stepX))
    }
    for row in 0..<grid.rows {
      var next: [Int: (end: Int, row: Int)] = [:]
      var column = 0
      while column < grid.columns {
        guard wanted(levels[row * grid.columns + column]) else {
          column += 1
          continue
        }
        let start = column
        while column < grid.columns, wanted(levels[row * grid.columns + column]) { column += 1 }
        let before = open[start].flatMap { $0.end == column ? $0 : nil }
        next[start] = (column, before?.row ?? row)
      }
      for (start, run) in open.sorted(by: { $0.key < $1.key }) where next[start]?.row != run.row {
        close(start, run, at: row)
      }
      open = next
    }
    for (start, run) in open.sorted(by: { $0.key < $1.key }) { close(start, run, at: grid.rows) }
    return points
  }
}
