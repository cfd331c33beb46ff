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

extension PositionColumns {
  /// Names of the located tags, in order of first appearance.
  var tags: [String] {
    var seen: Set<String> = []
    return tag.filter { seen.insert($0).inserted }
  }

  /// Returns the rows of `name` with determined coordinates on all of `axes`.
  func rows(of name: String, determined axes: [Int]) -> [Int] {
    time.indices.filter { row in
      tag[row] == name && axes.allSatisfy { position[row][$0].isFinite }
    }
  }
}
