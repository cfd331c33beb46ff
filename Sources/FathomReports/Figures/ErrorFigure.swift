import Fathom
import FathomEvaluation
import FathomRecordings

extension RecordedResults {
  /// The error over time with the 95 % bound of the covariance, and the distribution of the errors.
  var errorFigures: [Figure] {
    let figure = Figure(name: "error", heading: "Error over time", content: .absent(""))
    guard let evaluation, !evaluation.matched.poses.isEmpty else {
      return [
        absent(figure, absences[.truth] ?? "There is no truth, so there are no errors to show.")
      ]
    }
    return [errorFigure(figure, evaluation), errorDistributionFigure(evaluation)]
  }

  /// The kind of error as text: horizontal or spatial.
  private var errorName: String { isHorizontal ? "horizontal error" : "spatial error" }

  private func errorFigure(_ figure: Figure, _ evaluation: TrajectoryEvaluation) -> Figure {
    let errors = evaluation.matched.errors(evaluation.settings)
    let poses = evaluation.matched.poses
    let claims = poses.map { pose in
      pose.covariance.flatMap { ClaimedError.radius($0, isHorizontal: isHorizontal) } ?? .nan
    }
    let seen = Ticks.quantile(0.995, of: errors) ?? 1
    let claimed = Ticks.quantile(0.95, of: claims) ?? 0
    let limit = max(
      min(1.3 * seen, 1.05 * (errors.max() ?? seen)), min(1.2 * claimed, 3 * seen), 0.02)
    var bands: [Plot.Layer] = []
    var lines: [Plot.Layer] = []
    var tags: [String] = []
    for pose in poses where tags.last != pose.tag { tags.append(pose.tag) }
    let shown = positions.tags
    for tag in tags {
      guard let number = shown.firstIndex(of: tag) else { continue }
      let mine = poses.indices.filter { poses[$0].tag == tag }
      let times = mine.map { poses[$0].time }
      let seconds = times.map { $0.seconds(since: start) }
      let band = zip(seconds, mine).map {
        Plot.Point(x: $0, y: 0, upper: min(claims[$1].isNaN ? 0 : claims[$1], limit))
      }
      let line = zip(seconds, mine).map { Plot.Point(x: $0, y: min(errors[$1], limit)) }
      bands.append(
        .curve(name: "95 % bound", colour: .series(number), mark: .band, band, at: times))
      lines.append(
        .curve(
          name: shown.count > 1 ? name(of: tag) : errorName,
          colour: shown.count > 1 ? .series(number) : .ink, mark: .line(1.2), line, at: times))
    }
    let panel = Plot.Panel(
      height: 200, xLabel: "time since the start, s", yLabel: "error, m",
      x: 0...max(duration, 1e-3), y: Ticks.interval(0, limit), layers: bands + lines)
    var drawn = figure
    let known = claims.indices.filter { !claims[$0].isNaN }
    let inside = known.count { errors[$0] <= claims[$0] }
    drawn.caption = "Distance between position and truth."
    if !known.isEmpty {
      let share = 100 * Double(inside) / Double(known.count)
      drawn.caption +=
        " The band shows the bound that, according to the covariance, holds with 95 %"
        + " probability; \(share.text(decimals: 1)) % of the errors lie within it."
    }
    let beyond = errors.count { $0 > limit }
    if beyond > 0 {
      drawn.caption +=
        " \(Figure.counted(beyond, "error lies", "errors lie")) beyond the axis, the largest at"
        + " \((errors.max() ?? 0).text(decimals: 2)) m."
    }
    drawn.caption += Figure.thinned(poses.count)
    drawn.content = .plot(Plot(panels: [panel]))
    return drawn
  }

  /// The percentages marked in the distribution.
  private static let shares = [50.0, 68, 95]

  private func errorDistributionFigure(_ evaluation: TrajectoryEvaluation) -> Figure {
    let errors = evaluation.matched.errors(evaluation.settings)
    var layers: [Plot.Layer] = []
    var labels: [Plot.Label] = []
    let reach = Ticks.quantile(0.99, of: errors) ?? 1
    let limit = max(min(1.6 * reach, 1.02 * (errors.max() ?? reach)), 0.01)
    for share in Self.shares {
      let value = Ticks.quantile(share / 100, of: errors) ?? 0
      layers.append(
        Plot.Layer(
          name: nil, colour: .muted, mark: .dashes,
          points: [
            Plot.Point(x: 0, y: share), Plot.Point(x: value, y: share), Plot.Point(x: value, y: 0),
          ]))
      labels.append(
        Plot.Label(
          x: 0, y: share,
          text: "\(share.text(decimals: 0)) %: \(value.text(decimals: 3)) m"))
    }
    if let fixes, let truth {
      let others = TrajectoryEvaluation(
        EstimatedTrack.tracks(of: fixes), truth: truth, settings: evaluation.settings)
      layers.append(
        Plot.Layer(
          name: "raw fixes", colour: .fixes, mark: .line(1.6),
          points: Self.distribution(others.matched.errors(evaluation.settings), to: limit)))
    }
    layers.append(
      Plot.Layer(
        name: trackName, colour: .track, mark: .line(2.2),
        points: Self.distribution(errors, to: limit)))
    let panel = Plot.Panel(
      height: 220, xLabel: "\(errorName), m", yLabel: "share of positions, %",
      x: Ticks.interval(0, limit),
      y: 0...100, layers: layers, labels: labels)
    var caption =
      "Cumulative distribution of the errors of \(errors.count) positions; the lines are"
      + " at 50, 68 and 95 %."
    let greatest = errors.max() ?? 0
    if greatest > limit { caption += " The maximum error is \(greatest.text(decimals: 2)) m." }
    return Figure(
      name: "error-distribution", heading: "Distribution of the errors", caption: caption,
      content: .plot(Plot(panels: [panel])))
  }

  /// Returns the cumulative distribution of `errors` up to `limit` at 400 steps, in per cent.
  static func distribution(_ errors: [Double], to limit: Double) -> [Plot.Point] {
    let sorted = errors.filter(\.isFinite).sorted()
    guard !sorted.isEmpty else { return [] }
    let points = (0...400).map { step in
      Plot.Point(
        x: ErrorStatistics.quantile(Double(step) / 400, ofSorted: sorted), y: Double(step) / 4)
    }
    return points.filter { $0.x <= limit }
  }
}

/// The bound of an error that follows from its covariance.
enum ClaimedError {
  /// Returns the length, in metres, that a normal error with this covariance, in m², does not
  /// exceed with the given probability.
  ///
  /// The squared length is a sum of squares weighted with the variances λ of the principal axes. It
  /// is approximated by g·χ² with h degrees of freedom of the same mean and variance: g = Σλ²/Σλ
  /// and h = (Σλ)²/Σλ² [Satterthwaite 1946]. This is exact for a sphere, a circle and a line;
  /// elsewhere the error is at most a few per cent. With `isHorizontal`, only x and y
  /// count. `probability` is between 0 and 1.
  ///
  /// ## Edge cases
  /// Nil when an element is not finite or a variance is negative. Zero for a zero covariance.
  static func radius(
    _ covariance: Matrix<3, 3>, isHorizontal: Bool, probability: Double = 0.95
  ) -> Double? {
    let axes = isHorizontal ? 0..<2 : 0..<3
    // Σλ is the trace, and Σλ² the trace of the square: the sum of all squared elements.
    var (sum, squares) = (0.0, 0.0)
    for row in axes {
      guard covariance[row, row] >= 0 else { return nil }
      sum += covariance[row, row]
      for column in axes {
        let element = covariance[min(row, column), max(row, column)]
        squares += element * element
      }
    }
    guard sum.isFinite, squares.isFinite else { return nil }
    guard squares > 0, sum > 0 else { return 0 }
    let scale = squares / sum
    let dof = sum * sum / squares
    return (scale * ChiSquare.quantile(probability, degreesOfFreedom: dof)).squareRoot()
  }
}
