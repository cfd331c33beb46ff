import Fathom

/// The effect of removing or adding one anchor.
extension GeometrySurvey {
  /// Returns the errors of the plan without each of `anchors`.
  ///
  /// The information is summed again for each case. Subtracting a dominant anchor would leave
  /// mostly rounding errors.
  static func losses(
    of anchors: [Anchor], _ situation: Situation, _ grid: PlanGrid
  ) throws(TrilaterationError) -> [Loss] {
    var losses: [Loss] = []
    for index in anchors.indices {
      var rest = anchors
      rest.remove(at: index)
      let errors = try grid.bounds(rest, situation).horizontalErrors
      losses.append(Loss(horizontal: ErrorSpread(errors, limit: grid.area.diagonal)))
    }
    return losses
  }

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
