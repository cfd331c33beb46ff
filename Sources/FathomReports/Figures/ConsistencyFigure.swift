import Fathom
import FathomEvaluation
import FathomRecordings

extension RecordedResults {
  /// The mean normalised innovation squared over time, with its 95 % band.
  var consistencyFigure: Figure {
    let figure = Figure(
      name: "consistency", heading: "Consistency of the filter (NIS)", content: .absent(""))
    guard summary.settings.method == .filter, !isRelative else {
      return absent(
        figure, "Only a filter has innovations; these positions come from another method.")
    }
    guard let consistency = summary.consistency else {
      return absent(figure, "The filter had no innovations.")
    }
    guard let bins = consistency.timeline, let first = bins.first else {
      return absent(
        figure, "The summary has no innovations over time; process the recording again.")
    }
    var sections = bins.map { InnovationSection($0, since: start.seconds) }
    for index in bins.indices.dropFirst() {
      sections[index].followsGap = bins[index].startS > bins[index - 1].endS
    }
    let values = sections.map(\.mean)
    let low = max(0.01, min(values.min() ?? 1, sections.map(\.band.lowerBound).min() ?? 1))
    let high = max(values.max() ?? 1, sections.map(\.band.upperBound).max() ?? 1)
    let outside = sections.filter { !$0.band.contains($0.mean) }
    let clamped = { (value: Double) in max(value, low) }
    let layers = [
      Plot.Layer(
        name: "95 % band", colour: .anchors, mark: .band,
        points: sections.flatMap { section in
          [section.begin, section.end].map {
            Plot.Point(
              x: $0, y: clamped(section.band.lowerBound), upper: section.band.upperBound,
              beginsAnew: $0 == section.begin && section.followsGap)
          }
        }),
      Plot.Layer(
        name: nil, colour: .muted, mark: .line(1),
        points: [
          Plot.Point(x: sections[0].begin, y: 1),
          Plot.Point(x: sections[sections.count - 1].end, y: 1),
        ]),
      Plot.Layer(
        name: "mean NIS", colour: .track, mark: .line(1.6),
        points: sections.flatMap { section in
          [section.begin, section.end].map {
            Plot.Point(
              x: $0, y: clamped(section.mean),
              beginsAnew: $0 == section.begin && section.followsGap)
          }
        }),
      Plot.Layer(
        name: "outside", colour: .rejected, mark: .sign(.disc, 0.4),
        points: outside.map {
          Plot.Point(x: ($0.begin + $0.end) / 2, y: clamped($0.mean))
        }),
    ]
    let panel = Plot.Panel(
      height: 200, xLabel: "time since the start, s", yLabel: "mean NIS",
      x: Ticks.interval(min(0, sections[0].begin), max(sections[sections.count - 1].end, 1e-3)),
      y: Ticks.interval(low / 1.2, high * 1.2), isLogarithmic: true, layers: layers)
    var drawn = figure
    let share = Double(bins.count - outside.count) / Double(bins.count) * 100
    drawn.caption =
      "Mean normalised innovation squared of the ranges, per \((first.endS - first.startS).text(decimals: 0)) s."
      + " It is 1 for a consistent filter. The band contains the mean of independent innovations with 95 %"
      + " probability; \(share.text(decimals: 0)) % of the sections lie in it. Values above"
      + " the band indicate covariances that are too small, values below it too large ones."
    drawn.content = .plot(Plot(panels: [panel]))
    return drawn
  }
}

/// An interval of time with the mean of its innovations and the band of that mean.
struct InnovationSection: Sendable, Equatable {
  /// Begin and end, seconds since the start of the recording.
  var begin: Double
  var end: Double
  /// Mean normalised innovation squared.
  var mean: Double
  /// The interval that contains the mean with 95 % probability.
  ///
  /// Its ends are the 2.5 % and 97.5 % quantiles of the chi-square distribution, divided by the
  /// number of innovations, which is also the number of degrees of freedom.
  var band: ClosedRange<Double>
  /// Whether the interval follows a gap in the data.
  var followsGap = false

  /// Creates the section of `bin`, with times relative to `start` (seconds).
  init(_ bin: RecordingSummary.FilterConsistency.Bin, since start: Double) {
    begin = bin.startS - start
    end = bin.endS - start
    mean = bin.meanNormalizedSquare
    let count = Double(max(bin.count, 1))
    band =
      ChiSquare.quantile(0.025, degreesOfFreedom: count) / count...ChiSquare.quantile(
        0.975, degreesOfFreedom: count) / count
  }
}
