import Fathom
import FathomEvaluation
import FathomRecordings

/// Several estimates of one recording, such as of two methods, side by side.
struct EstimateComparison: Sendable {
  /// Name of the recording.
  var name: String
  /// The results, each with a name of its own.
  var estimates: [(name: String, results: RecordedResults)]

  /// Returns the comparisons of `recordings` of which there are several results.
  ///
  /// Results are of one recording if they come from the same ranges file.
  static func all(of recordings: [RecordedResults]) -> [EstimateComparison] {
    var order: [String] = []
    var groups: [String: [RecordedResults]] = [:]
    for results in recordings where results.hasWorldPositions {
      guard let path = results.summary.sources.first?.path, path != "-" else { continue }
      if groups[path] == nil { order.append(path) }
      groups[path, default: []].append(results)
    }
    return order.compactMap { path in
      guard let group = groups[path], group.count > 1 else { return nil }
      let methods = group.map(\.summary.settings.method.rawValue)
      let isDistinct = Set(methods).count == methods.count
      return EstimateComparison(
        name: group[0].name,
        estimates: zip(methods, group).map { (isDistinct ? $0 : "\($0), \($1.origin)", $1) })
    }
  }

  /// The plan with all estimates, and their errors where there is truth.
  var figures: [Figure] {
    [planFigure] + (estimates.contains { $0.results.evaluation != nil } ? [errorFigure] : [])
  }

  private var planFigure: Figure {
    let view = PlanView(isRelative: false)
    let first = estimates[0].results
    var layers: [Plot.Layer] = []
    for tag in first.positions.tags {
      if let truth = first.truth?.track(of: tag) { layers.append(view.layer(of: truth)) }
    }
    for (number, estimate) in estimates.enumerated() {
      let positions = estimate.results.positions
      for tag in positions.tags {
        layers.append(
          Plot.Layer(
            name: estimate.name, colour: .series(number),
            mark: estimate.results.isTrack ? .line(1.6) : .sign(.disc, 0.3),
            points: view.curve(of: tag, in: positions), isEstimate: true))
      }
    }
    let anchors = first.anchors.sorted { $0.key < $1.key }
    let places = anchors.map { view.point($0.value.position) }
    layers.append(
      Plot.Layer(name: "anchor", colour: .anchors, mark: .sign(.square, 1), points: places))
    let core = layers.filter { !$0.isEstimate }.flatMap(\.points)
    let others = layers.filter(\.isEstimate).flatMap(\.points)
    var figure = Figure(name: "plan", heading: "Plan", content: .absent("There are no positions."))
    let labels =
      anchors.count > PlanView.mostNames
      ? [] : zip(anchors, places).map { Plot.Label(x: $1.x, y: $1.y, text: $0.key) }
    let panel = view.panel(core: core, others: others, layers: layers, labels: labels)
    guard let panel else { return figure }
    figure.caption = "All estimates in plan view, with equal scales on both axes."
    figure.content = .plot(Plot(panels: [panel]))
    return figure
  }

  private var errorFigure: Figure {
    let errors = estimates.map { estimate in
      estimate.results.evaluation.map { $0.matched.errors($0.settings) } ?? []
    }
    let reach = errors.compactMap { Ticks.quantile(0.99, of: $0) }.max() ?? 1
    let limit = max(1.2 * reach, 0.01)
    let layers = zip(estimates, errors).enumerated().map { number, pair in
      Plot.Layer(
        name: pair.0.name, colour: .series(number), mark: .line(2),
        points: RecordedResults.distribution(pair.1, to: limit))
    }
    let panel = Plot.Panel(
      height: 220, xLabel: "error, m", yLabel: "share of positions, %", x: Ticks.interval(0, limit),
      y: 0...100, layers: layers)
    return Figure(
      name: "error-distribution", heading: "Distribution of the errors",
      caption: "Cumulative distributions of the errors; the further left, the better.",
      content: .plot(Plot(panels: [panel])))
  }
}
