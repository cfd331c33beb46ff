import Fathom

/// An axis-aligned rectangle of the floor, metres.
public struct FloorArea: Sendable, Equatable {
  /// Extent along x, from left to right.
  public var x: ClosedRange<Double>
  /// Extent along y, from bottom to top.
  public var y: ClosedRange<Double>

  /// Creates the rectangle with these extents.
  public init(x: ClosedRange<Double>, y: ClosedRange<Double>) {
    self.x = x
    self.y = y
  }

  /// Creates the smallest rectangle around `anchors`, with a margin; nil without anchors.
  ///
  /// The margin is a tenth of the longer side and at least 1 m. Anchors hang on walls and masts,
  /// and tags move about an arm's length beyond them. Around a single position the margin is 5 m,
  /// the size of a room.
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

  /// Length along x, metres.
  public var width: Double { x.upperBound - x.lowerBound }
  /// Length along y, metres.
  public var depth: Double { y.upperBound - y.lowerBound }
  /// Length of the diagonal, metres.
  public var diagonal: Double { (width * width + depth * depth).squareRoot() }
}

/// A grid of equal cells over an area, with a point at the centre of each cell.
public struct PlanGrid: Sendable, Equatable {
  /// The covered area.
  public let area: FloorArea
  /// Number of cells along x.
  public let columns: Int
  /// Number of cells along y.
  public let rows: Int

  /// Creates a grid of cells at most `step` wide and deep; nil for more than ``limit`` cells.
  ///
  /// - Parameters:
  ///   - area: the area to cover; width and depth must be above zero.
  ///   - step: the longest side of a cell, metres; above zero.
  public init?(_ area: FloorArea, step: Double) {
    // An excess of 1e-9 over a whole number of steps is a rounding error and adds no cell.
    let columns = (area.width / step - 1e-9).rounded(.up)
    let rows = (area.depth / step - 1e-9).rounded(.up)
    guard columns * rows <= Double(Self.limit) else { return nil }
    self.area = area
    self.columns = max(1, Int(columns))
    self.rows = max(1, Int(rows))
  }

  /// Creates a grid of about `count` nearly square cells.
  public init?(_ area: FloorArea, about count: Int) {
    self.init(area, step: (area.width * area.depth / Double(count)).squareRoot())
  }

  /// Maximum number of cells.
  public static let limit = 1_000_000

  /// Number of cells.
  public var count: Int { columns * rows }
  /// Width of a cell, metres.
  public var stepX: Double { area.width / Double(columns) }
  /// Depth of a cell, metres.
  public var stepY: Double { area.depth / Double(rows) }

  /// Returns the centre of the cell at `index`; cells are counted along x first.
  public func centre(_ index: Int) -> (x: Double, y: Double) {
    (
      area.x.lowerBound + (Double(index % columns) + 0.5) * stepX,
      area.y.lowerBound + (Double(index / columns) + 0.5) * stepY
    )
  }

  /// Computes the bounds at the centres of all cells.
  func bounds(
    _ anchors: [Anchor], _ survey: GeometrySurvey.Situation
  ) throws(TrilaterationError) -> BoundColumns {
    try BoundColumns(
      x: (0..<count).map { centre($0).x }, y: (0..<count).map { centre($0).y },
      height: survey.height, anchors: anchors, measuring: survey.measuring,
      isHeightKnown: survey.isHeightKnown)
  }
}
