import Fathom

/// The effect of removing or adding one anchor.
extension GeometrySurvey {
  /// Returns the errors of the plan without each of `anchors`.
  ///
  /// Every case is a sum over its anchors: subtracting a dominant anchor would leave mostly rounding
  /// errors. Cases share the sums of what they have in common, so that the cost grows with
  /// n log n for n anchors. Very many anchors are compared on a coarser map.
  static func losses(
    of anchors: [Anchor], _ situation: Situation, _ grid: PlanGrid
  ) throws(TrilaterationError) -> [Loss] {
    var grid = grid
    if anchors.count * grid.count > mostCases {
      grid = PlanGrid(grid.area, about: max(fewestCells, mostCases / anchors.count)) ?? grid
    }
    var losses: [Loss] = []
    /// Appends the losses of `part` of the anchors; `others` has the information of all other ones.
    func append(_ part: Range<Int>, _ others: BoundColumns) throws(TrilaterationError) {
      guard part.count > 1 else {
        losses.append(
          Loss(horizontal: ErrorSpread(others.horizontalErrors, limit: grid.area.diagonal)))
        return
      }
      let middle = (part.lowerBound + part.upperBound) / 2
      let halves = [part.lowerBound..<middle, middle..<part.upperBound]
      for (half, other) in zip(halves, halves.reversed()) {
        var more = others
        for index in other { try more.add(anchors[index], measuring: situation.measuring) }
        try append(half, more)
      }
    }
    try append(anchors.indices, grid.bounds([], situation))
    return losses
  }

  /// Anchors times cells from which on the map for the loss of anchors is coarser.
  private static let mostCases = 20_000_000
  /// Cells of the coarsest map.
  private static let fewestCells = 400

  /// Number of candidate positions along the longer side of the area.
  private static let candidates = 24
  /// Number of cells of the map on which candidates are compared.
  private static let coarseCells = 2500

  /// Returns the positions where one more anchor helps most.
  ///
  /// Candidates form a grid from border to border and are compared on a coarse map. The errors of
  /// the returned positions are those on the full map.
  static func additions(
    to anchors: [Anchor], _ situation: Situation, _ grid: PlanGrid, now: ErrorSpread
  ) throws(TrilaterationError) -> [Addition] {
    let area = grid.area
    let coarse = grid.count <= coarseCells ? grid : PlanGrid(area, about: coarseCells) ?? grid
    let limit = area.diagonal
    let bounds = try coarse.bounds(anchors, situation)
    let before = ErrorSpread(bounds.horizontalErrors, limit: limit)
    let placement = anchors.compactMap(\.positionSigma).max()
    func anchor(_ place: Vector<3>) -> Anchor {
      Anchor(position: place, positionSigma: placement)
    }

    var tried: [Addition] = []
    var errors: [Double] = []
    for (place, isOnBorder) in places(in: area, height: situation.newAnchorHeight) {
      try bounds.horizontalErrors(
        with: anchor(place), measuring: situation.measuring, into: &errors)
      let spread = ErrorSpread(errors, limit: limit)
      guard spread.isBetter(than: before) else { continue }
      tried.append(Addition(position: place, isOnBorder: isOnBorder, horizontal: spread))
    }
    let order = tried.indices.sorted { one, other in
      let (first, second) = (tried[one].horizontal, tried[other].horizontal)
      // Ties keep the order of the grid, so that the result is deterministic.
      return first.isBetter(than: second) || (!second.isBetter(than: first) && one < other)
    }.map { tried[$0] }
    var chosen = distinct(order, in: area) { ($0.position[0], $0.position[1]) }
    if !chosen.contains(where: \.isOnBorder), let wall = order.first(where: \.isOnBorder) {
      chosen.append(wall)
    }
    let full = try grid.bounds(anchors, situation)
    for index in chosen.indices {
      try full.horizontalErrors(
        with: anchor(chosen[index].position), measuring: situation.measuring, into: &errors)
      chosen[index].horizontal = ErrorSpread(errors, limit: limit)
    }
    return chosen.filter { $0.horizontal.isBetter(than: now) }
  }

  /// Returns the candidates: a grid over the area whose outer points lie on the border.
  private static func places(
    in area: FloorArea, height: Double
  ) -> [(position: Vector<3>, isOnBorder: Bool)] {
    let step = max(area.width, area.depth) / Double(candidates)
    let columns = max(1, Int((area.width / step).rounded()))
    let rows = max(1, Int((area.depth / step).rounded()))
    return (0...rows).flatMap { row in
      (0...columns).map { column in
        (
          position: Vector([
            area.x.lowerBound + area.width * Double(column) / Double(columns),
            area.y.lowerBound + area.depth * Double(row) / Double(rows), height,
          ]),
          isOnBorder: row == 0 || row == rows || column == 0 || column == columns
        )
      }
    }
  }
}
