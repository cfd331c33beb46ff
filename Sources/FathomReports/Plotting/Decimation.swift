/// Takes points out of long curves so that what the eye sees stays.
enum Decimation {
  /// The most points of one curve in a report.
  static let limit = 2000

  /// Indices of the points to keep, in order: all of them up to `limit`, otherwise the first, the last,
  /// and of equally many consecutive points the least and the greatest of every column.
  ///
  /// The extremes of every column are among them. Cost: the number of values.
  ///
  /// - Parameters:
  ///   - columns: the coordinates of the points, equally long; NaN is never an extreme.
  ///   - limit: the most indices returned, at least 2 and twice the number of columns more.
  /// - Returns: the indices.
  static func indices(of columns: [[Double]], limit: Int = limit) -> [Int] {
    precondition(limit >= 2 + 2 * columns.count, "room for the ends and one bucket")
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

  /// `points` thinned out by their coordinates; a break in the line before a point that was taken out
  /// moves to the next one kept.
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
