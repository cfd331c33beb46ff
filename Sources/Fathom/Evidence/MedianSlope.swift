/// The slope of a line through a few points: the median of the slopes of all pairs [Theil 1950].
///
/// One wrong point of five does not change it by much.
enum MedianSlope {
  /// Returns the slope through two to five points; `point` returns a point by its number, and x
  /// increases.
  ///
  /// Costs one step for each pair, and no memory from the heap.
  @inline(__always)
  static func through(_ count: Int, _ point: (Int) -> (x: Double, y: Double)) -> Double {
    // In ascending order.
    var slopes = InlineArray<10, Double>(repeating: 0)
    var pairs = 0
    for number in 0..<count {
      let one = point(number)
      for next in (number + 1)..<count {
        let other = point(next)
        let slope = (other.y - one.y) / (other.x - one.x)
        var place = pairs
        while place > 0, slopes[place - 1] > slope {
          slopes[place] = slopes[place - 1]
          place -= 1
        }
        slopes[place] = slope
        pairs += 1
      }
    }
    let middle = pairs / 2
    return pairs.isMultiple(of: 2) ? 0.5 * (slopes[middle - 1] + slopes[middle]) : slopes[middle]
  }
}
