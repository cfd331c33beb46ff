/// Thins long curves and keeps their visible shape.
enum Decimation {
  /// Maximum number of points of one curve in a report.
  static let limit = 2000

  /// Returns the indices of the points to keep, in order.
  ///
  /// Up to `limit` points are all kept. Longer curves keep the first and the last point, and the
  /// minimum and maximum of every column in equal buckets of consecutive points. The extremes of
  /// every column are therefore kept. Cost: linear in the number of values. The columns have equal
  /// length; NaN is never an extreme. `limit` is at least 2 plus twice the number of columns.
  static func indices(of columns: [[Double]], limit: Int = limit) -> [Int] {
    precondition(limit >= 2 + 2 * columns.count, "limit must allow for both ends and one bucket")
    guard let count = columns.first?.count else { return [] }
    precondition(columns.allSatisfy { $0.count == count }, "columns differ in length")
    guard count > limit else { return Array(0..<count) }
    let buckets = (limit - 2) / (2 * columns.count)
    var kept: Set<Int> = [0, count - 1]
    for bucket in 0..<buckets {
      let places = bucket * count / buckets..<(bucket + 1) * count / buckets
      for column in columns {
        var (least, greatest) = (-1, -1)
        for place in places where !column[place].isNaN {
          if least < 0 || column[place] < column[least] { least = place }
          if greatest < 0 || column[place] > column[greatest] { greatest = place }
        }
        if least >= 0 { kept.formUnion([least, greatest]) }
      }
    }
    return kept.sorted()
  }

  /// Returns `points` thinned by their coordinates.
  ///
  /// A break before a removed point moves to the next kept point.
  static func points(_ points: [Plot.Point], limit: Int = limit) -> [Plot.Point] {
    guard points.count > limit else { return points }
    var columns = [points.map(\.x), points.map(\.y)]
    if points.contains(where: { $0.upper != 0 }) { columns.append(points.map(\.upper)) }
    var result: [Plot.Point] = []
    var next = 0
    for index in indices(of: columns, limit: limit) {
      var point = points[index]
      point.beginsAnew = points[next...index].contains { $0.beginsAnew }
      result.append(point)
      next = index + 1
    }
    return result
  }
}
