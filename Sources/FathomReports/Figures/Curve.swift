import Fathom
import FathomRecordings

/// Points over time as lines: sorted, with breaks at long gaps.
enum Curve {
  /// Returns the longest gap that a line through `times` bridges, seconds.
  ///
  /// This is five times the median step, and at least 1.5 s.
  static func longestGap(of times: [Timestamp]) -> Double {
    let steps = zip(times, times.dropFirst()).map { $1.seconds(since: $0) }.filter { $0 > 0 }
    return max(1.5, 5 * (Ticks.quantile(0.5, of: steps) ?? 0))
  }

  /// Returns `points` at `times`, with a break at every long gap.
  static func broken(_ points: [Plot.Point], at times: [Timestamp]) -> [Plot.Point] {
    let gap = longestGap(of: times)
    var result = points
    for index in times.indices.dropFirst()
    where times[index].seconds(since: times[index - 1]) > gap {
      result[index].beginsAnew = true
    }
    if !result.isEmpty { result[0].beginsAnew = true }
    return result
  }
}

extension Plot.Layer {
  /// Returns the layer of `points` at `times`, thinned, with a break at every long gap.
  static func curve(
    name: String, colour: Palette, mark: Plot.Mark, _ points: [Plot.Point], at times: [Timestamp]
  ) -> Plot.Layer {
    Plot.Layer(
      name: name, colour: colour, mark: mark,
      points: Decimation.points(Curve.broken(points, at: times)))
  }
}

extension PositionColumns {
  /// Names of the located tags that figures show, in order of first appearance: those with the most
  /// positions if there are more than ``mostTags``.
  var tags: [String] {
    var counts: [String: Int] = [:]
    var names: [String] = []
    for name in tag {
      let count = counts[name, default: 0]
      if count == 0 { names.append(name) }
      counts[name] = count + 1
    }
    guard names.count > Self.mostTags else { return names }
    let order = names.indices.sorted {
      let (one, other) = (counts[names[$0]] ?? 0, counts[names[$1]] ?? 0)
      return one == other ? $0 < $1 : one > other
    }
    return order.prefix(Self.mostTags).sorted().map { names[$0] }
  }

  /// Number of tags that a figure shows.
  static let mostTags = 24

  /// Returns the rows of `name` with determined coordinates on all of `axes`.
  func rows(of name: String, determined axes: [Int]) -> [Int] {
    time.indices.filter { row in
      tag[row] == name && axes.allSatisfy { position[row][$0].isFinite }
    }
  }
}
