import Fathom
import FathomRecordings

/// The projection of positions onto a plan, in the world or the device frame.
struct PlanView: Sendable, Equatable {
  /// Number of anchors up to which their names are drawn.
  static let mostNames = 200

  /// Whether positions are relative to the device: x right, -z ahead.
  var isRelative: Bool

  /// The coordinates shown: x and y in the world, x and z in the device frame.
  var axes: [Int] { isRelative ? [0, 2] : [0, 1] }

  /// Labels of the plan's axes.
  var labels: (x: String, y: String) {
    isRelative ? ("to the right of the device, m", "ahead, m") : ("x, m", "y, m")
  }

  /// Returns the point of `position` on the plan.
  func point(_ position: Vector<3>) -> Plot.Point {
    isRelative
      ? Plot.Point(x: position[0], y: -position[2]) : Plot.Point(x: position[0], y: position[1])
  }

  /// Returns the curve of the determined positions of a tag.
  func curve(of tag: String, in positions: PositionColumns) -> [Plot.Point] {
    let rows = positions.rows(of: tag, determined: axes)
    return Decimation.points(
      Curve.broken(
        rows.map { point(positions.position[$0]) }, at: rows.map { positions.time[$0] }))
  }

  /// Returns the layer of the true path of a tag.
  func layer(of truth: PositionTrack) -> Plot.Layer {
    .curve(
      name: "truth", colour: .truth, mark: .line(1.2), truth.positions.map(point),
      at: truth.times)
  }

  /// Returns the ellipse of `covariance` on the plan; nil when undetermined.
  func ellipse(_ covariance: Matrix<3, 3>) -> ErrorEllipse? {
    isRelative
      ? ErrorEllipse(xx: covariance[0, 0], xy: -covariance[0, 2], yy: covariance[2, 2])
      : ErrorEllipse(xx: covariance[0, 0], xy: covariance[0, 1], yy: covariance[1, 1])
  }

  /// Returns a panel with equal scales that shows `core` and as much of `others` as
  /// ``range(core:others:reach:)`` permits; nil without points.
  func panel(
    core: [Plot.Point], others: [Plot.Point], layers: [Plot.Layer], labels: [Plot.Label]
  ) -> Plot.Panel? {
    guard let x = Self.range(core: core.map(\.x), others: others.map(\.x)),
      let y = Self.range(core: core.map(\.y), others: others.map(\.y))
    else { return nil }
    return panel(x: x, y: y, layers: layers, labels: labels)
  }

  /// Returns a panel with equal scales that shows the intervals `x` and `y`.
  func panel(
    x: ClosedRange<Double>, y: ClosedRange<Double>, heights: ClosedRange<Double> = usualHeights,
    layers: [Plot.Layer], labels: [Plot.Label] = []
  ) -> Plot.Panel {
    let frame = Self.frame(
      x: x, y: y, width: GnuplotScript.panelWidth(in: 560), heights: heights)
    return Plot.Panel(
      height: frame.height, xLabel: self.labels.x, yLabel: self.labels.y, x: frame.x, y: frame.y,
      layers: layers, labels: labels)
  }

  /// Minimum and maximum height of a panel.
  static let usualHeights = 170.0...480

  /// Returns the ends of both axes and the height of the panel for equal scales.
  ///
  /// The intervals `x` and `y` must be visible; `width` is the length of the horizontal axis in the
  /// drawing. An axis that is too short for the minimum and maximum height of the panel is widened
  /// about its middle.
  static func frame(
    x: ClosedRange<Double>, y: ClosedRange<Double>, width: Double,
    heights: ClosedRange<Double> = usualHeights
  ) -> (x: ClosedRange<Double>, y: ClosedRange<Double>, height: Double) {
    let spanX = x.upperBound - x.lowerBound
    let spanY = y.upperBound - y.lowerBound
    let natural = width * spanY / spanX
    let height = min(max(natural, heights.lowerBound), heights.upperBound)
    if natural > height {
      return (widened(x, to: spanY * width / height), y, height)
    }
    return (x, widened(y, to: spanX * height / width), height)
  }

  private static func widened(_ range: ClosedRange<Double>, to span: Double) -> ClosedRange<Double>
  {
    let middle = (range.lowerBound + range.upperBound) / 2
    return Ticks.interval(middle - span / 2, middle + span / 2)
  }

  /// Returns the interval that an axis shows.
  ///
  /// It contains all of `core` and extends towards `others` by at most `reach` times the core's
  /// span.
  static func range(
    core: [Double], others: [Double], reach: Double = 0.25
  ) -> ClosedRange<Double>? {
    // Without anchors and truth, the central 99 % of the track are the core.
    var core = core.filter(\.isFinite)
    if core.count < 2 {
      core += [0.005, 0.995].compactMap { Ticks.quantile($0, of: others) }
    }
    guard let inner = Ticks.range(of: core, margin: 0, least: 0.5) else { return nil }
    let span = inner.upperBound - inner.lowerBound
    let outer = Ticks.interval(inner.lowerBound - reach * span, inner.upperBound + reach * span)
    let seen = others.filter { $0.isFinite }.map {
      min(max($0, outer.lowerBound), outer.upperBound)
    }
    return Ticks.range(of: core + seen, margin: 0.05)
  }
}
