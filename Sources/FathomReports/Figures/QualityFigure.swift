import Fathom
import FathomRecordings

extension RecordedResults {
  /// The verdict on each link over time, with its zones below.
  var qualityFigure: Figure {
    let figure = Figure(name: "quality", heading: "Quality of the links", content: .absent(""))
    let chosen = summary.links.sorted { $0.ranges > $1.ranges }.prefix(24)
    let links = summary.links.filter(chosen.contains)
    guard !links.isEmpty, !distances.time.isEmpty else {
      return absent(figure, "The results have no distances.")
    }
    let hasZones = distances.zone.contains { $0 != .outside }
    let row = hasZones ? 44.0 : 36.0
    var layers: [String: Plot.Layer] = [:]
    var labels: [Plot.Label] = []
    let kinds = Self.qualityKinds
    for (place, link) in links.enumerated() {
      let rows = distances.time.indices.filter {
        distances.tag[$0] == link.tag && distances.anchor[$0] == link.anchor
      }
      let top = -Double(place)
      labels.append(Plot.Label(x: 0, y: top - 0.46, text: linkName(link.tag, link.anchor)))
      let strip = TimeStrip(
        times: rows.map { distances.time[$0].seconds(since: start) }, duration: duration)
      let stretches = [
        strip.stretches(rows.map(qualityWord), top - 0.5, top - 0.8),
        strip.stretches(rows.map { distances.zone[$0].word }, top - 0.82, top - 0.94),
      ]
      for (word, point) in stretches.joined() {
        guard let kind = kinds.first(where: { $0.word == word }) else { continue }
        layers[
          word, default: Plot.Layer(name: kind.name, colour: kind.colour, mark: .boxes, points: [])
        ].points.append(point)
      }
    }
    let panel = Plot.Panel(
      height: row * Double(links.count), xLabel: "time since the start, s",
      x: 0...max(duration, 1e-3), y: -Double(links.count)...0,
      names: [Plot.Name(at: -1000, text: "")], layers: kinds.compactMap { layers[$0.word] },
      labels: labels)
    var drawn = figure
    drawn.caption =
      "The verdict on each link over time: close (up to 10 m), good or unknown while its ranges agree"
      + " with the positions, else how they were used; white where there are no ranges."
    if hasZones { drawn.caption += " The thin strip below it is the zone." }
    drawn.caption += Figure.shown(links.count, of: summary.links.count)
    drawn.content = .plot(Plot(panels: [panel]))
    return drawn
  }

  /// Returns the verdict on a range: how it was used if it does not agree with the positions, else the
  /// quality of its link.
  private func qualityWord(_ row: Int) -> String {
    switch distances.decision[row] {
    case .discounted, .nonLineOfSight: DistanceColumns.Decision.discounted.word
    case .unused: DistanceColumns.Decision.unused.word
    case .used, .starting, .duplicate: distances.quality[row].word
    }
  }

  /// The words of quality, use and zone with their names and colours; other words are not drawn.
  private static var qualityKinds: [(word: String, name: String, colour: Palette)] {
    [
      (MeasurementQuality.good.word, "good", .anchors),
      (MeasurementQuality.close.word, "close", .close),
      (MeasurementQuality.unknown.word, "unknown", .unknown),
      (DistanceColumns.Decision.discounted.word, "discounted", .discounted),
      (DistanceColumns.Decision.unused.word, "not used", .rejected),
      (DistanceColumns.Zone.inner.word, "inner zone", .ink),
      (DistanceColumns.Zone.outer.word, "outer zone", .fixes),
    ]
  }
}

/// Words over time, drawn as coloured intervals.
struct TimeStrip: Sendable {
  /// Times of the words, seconds, sorted.
  var times: [Double]
  /// Length of the strip, seconds.
  var duration: Double

  /// Number of sections of a strip: about one per unit of the drawing.
  static let sections = 480

  /// Returns the section of a place in units of their width; places beyond the ends belong to the
  /// first and the last section.
  private static func section(_ place: Double) -> Int {
    Int(min(max(place, 0), Double(sections - 1)))
  }

  /// Returns intervals of one word between the heights `lower` and `upper`, sorted by time.
  ///
  /// A word holds until the next time, but at most for three median steps (at least one second).
  /// When several words fall into one section of the strip, the most frequent one counts; ties are
  /// resolved by name.
  func stretches(
    _ words: [String], _ lower: Double, _ upper: Double
  ) -> [(String, Plot.Point)] {
    precondition(words.count == times.count, "there must be one word for every time")
    guard duration > 0 else { return [] }
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    let hold = max(1, 3 * (Ticks.quantile(0.5, of: steps) ?? 0))
    let width = duration / Double(Self.sections)
    var counts = [[String: Int]](repeating: [:], count: Self.sections)
    for (index, time) in times.enumerated() {
      let next = index + 1 < times.count ? times[index + 1] : time + hold
      let first = Self.section(time / width)
      let last = max(first, Self.section(min(next, time + hold) / width))
      for section in first...last { counts[section][words[index], default: 0] += 1 }
    }
    var result: [(String, Plot.Point)] = []
    var previous: String?
    for section in counts.indices {
      let order = counts[section].sorted {
        $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value
      }
      guard let word = order.first?.key else {
        previous = nil
        continue
      }
      let end = Double(section + 1) * width
      if word == previous {
        result[result.count - 1].1.right = end
      } else {
        result.append(
          (word, Plot.Point(x: Double(section) * width, y: lower, upper: upper, right: end)))
      }
      previous = word
    }
    return result
  }
}
