import Fathom

/// A rectangle of the floor along the axes of the world, metres.
public struct FloorArea: Sendable, Equatable {
  /// From its left to its right edge.
  public var x: ClosedRange<Double>
  /// From its lower to its upper edge.
  public var y: ClosedRange<Double>

  /// The rectangle between these ends.
  public init(x: ClosedRange<Double>, y: ClosedRange<Double>) {
    self.x = x
    self.y = y
  }

  /// The smallest rectangle around `anchors`, with a margin; nil without anchors.
  ///
  /// The margin is a tenth of the longer side and at least 1 m: anchors hang on walls and masts, and
  /// tags go an arm's length around those, not far beyond. Around a single place it is 5 m, a room.
  public init?(around anchors: [Anchor]) {
    guard let first = anchors.first else { return nil }
    var (low, high) = (first.position, first.position)
    for anchor in anchors {
      for axis in 0..<2 {
        low[axis] = min(low[axis], anchor.position[axis])
        high[axis] = max(high[axis], anchor.position[axis])
      }
    }
    let longer = max(high[0] - low[0], high[1] - low[1])
    let margin = longer > 0 ? max(1, 0.1 * longer) : 5
    self.init(x: low[0] - margin...high[0] + margin, y: low[1] - margin...high[1] + margin)
  }

  /// Length along x.
  public var width: Double { x.upperBound - x.lowerBound }
  /// Length along y.
  public var depth: Double { y.upperBound - y.lowerBound }
  /// From corner to corner.
  public var diagonal: Double { (width * width + depth * depth).squareRoot() }
}

/// Equal cells that cover an area, with a point in the middle of each.
public struct PlanGrid: Sendable, Equatable {
  /// What is covered.
  public let area: FloorArea
  /// Cells from left to right.
  public let columns: Int
  /// Cells from the lower to the upper edge.
  public let rows: Int

  /// Cells at most `step` wide and deep; nil for more than ``limit`` of them.
  ///
  /// - Parameters:
  ///   - area: what to cover, with a width and a depth above zero.
  ///   - step: the longest side of a cell, metres, positive.
  public init?(_ area: FloorArea, step: Double) {
    // A hair's breadth more than a whole number of steps is rounding, not another cell.
    let columns = (area.width / step - 1e-9).rounded(.up)
    let rows = (area.depth / step - 1e-9).rounded(.up)
    guard columns * rows <= Double(Self.limit) else { return nil }
    self.area = area
    self.columns = max(1, Int(columns))
    self.rows = max(1, Int(rows))
  }

  /// About as many cells as `count`, nearly square.
  public init?(_ area: FloorArea, about count: Int) {
    self.init(area, step: (area.width * area.depth / Double(count)).squareRoot())
  }

  /// The most cells that there may be.
  public static let limit = 1_000_000

  /// Number of cells.
  public var count: Int { columns * rows }
  /// Width of a cell, metres.
  public var stepX: Double { area.width / Double(columns) }
  /// Depth of a cell, metres.
  public var stepY: Double { area.depth / Double(rows) }

  /// The middle of the cell at `index`; cells are counted along x first.
  public func centre(_ index: Int) -> (x: Double, y: Double) {
    (
      area.x.lowerBound + (Double(index % columns) + 0.5) * stepX,
      area.y.lowerBound + (Double(index / columns) + 0.5) * stepY
    )
  }

  /// The bounds in the middle of all cells.
  func bounds(
    _ anchors: [Anchor], _ survey: GeometrySurvey.Situation
  ) throws(TrilaterationError) -> BoundColumns {
    try BoundColumns(
      x: (0..<count).map { centre($0).x }, y: (0..<count).map { centre($0).y },
      height: survey.height, anchors: anchors, measuring: survey.measuring,
      isHeightKnown: survey.isHeightKnown)
  }
}
