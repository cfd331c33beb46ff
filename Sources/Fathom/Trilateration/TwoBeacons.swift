/// Both intersections of the range circles around two beacons in the plane.
public struct TwoBeaconCrossings: Sendable, Equatable {
  /// The intersection to the left of the direction from the first beacon to the second, metres.
  public var left: Vector<2>
  /// The intersection to the right, metres; equal to ``left`` if the circles touch or do not
  /// intersect.
  public var right: Vector<2>
  /// The gap between circles that do not intersect, metres; zero if they intersect.
  public var gap: Double
}

/// Computes coordinates from ranges to two beacons.
public enum TwoBeacons {
  /// Returns the intersections of the circles of radius `firstRange` and `secondRange` around two
  /// beacons.
  ///
  /// In the frame of the baseline of length b, x = (b² + r₁² - r₂²) / 2b along the baseline and y =
  /// ±√((r₁ - x)(r₁ + x)) across it. Circles that do not intersect may be disjoint or nested. The
  /// result is then the point on the line through the beacons with the least squared residuals, and
  /// the gap.
  ///
  /// - Parameters:
  ///   - first: the first beacon, metres.
  ///   - second: the second beacon, metres.
  ///   - firstRange: distance from the first beacon, metres.
  ///   - secondRange: distance from the second beacon, metres.
  /// - Returns: Both intersections and the gap, or nil if the beacons coincide, a number is not
  ///   finite, or a range is negative.
  public static func crossings(
    first: Vector<2>, second: Vector<2>, firstRange: Double, secondRange: Double
  ) -> TwoBeaconCrossings? {
    let along = second - first
    let baseline = along.length
    guard baseline > 0, first.isFinite, second.isFinite,
      firstRange >= 0, secondRange >= 0, firstRange.isFinite, secondRange.isFinite
    else { return nil }
    let axis = (1 / baseline) * along
    let normal = Vector<2>([-axis[1], axis[0]])

    let apart = baseline - (firstRange + secondRange)
    let inside = (firstRange - secondRange).magnitude - baseline
    if apart > 0 || inside > 0 {
      // Signed distances, from the first beacon along the axis, of the closest points of the two
      // circles.
      let outward: Double = secondRange > firstRange ? -1 : 1
      let onFirst = apart > 0 ? firstRange : outward * firstRange
      let onSecond = apart > 0 ? baseline - secondRange : baseline + outward * secondRange
      let point = first + (onFirst / 2 + onSecond / 2) * axis
      return TwoBeaconCrossings(left: point, right: point, gap: max(apart, inside))
    }
    // (r₁ - r₂)(r₁ + r₂) avoids the cancellation in r₁² - r₂².
    let x = (baseline + (firstRange - secondRange) / baseline * (firstRange + secondRange)) / 2
    let y = max(0, (firstRange - x) * (firstRange + x)).squareRoot()
    return TwoBeaconCrossings(
      left: first + x * axis + y * normal, right: first + x * axis + -y * normal, gap: 0)
  }

  /// Returns the coordinates exactly as the walk-through app computes them, defects included.
  ///
  /// Use ``crossings(first:second:firstRange:secondRange:)`` unless results must match the app's.
  ///
  /// x = C / A with A = 2 (x₂ - x₁) and C = d₁² - d₂² - x₁² + x₂² - y₁² + y₂²; y = √(d₁² - (x -
  /// x₁)²), or 0 if the radicand is not positive [Walk-through app].
  ///
  /// ## Edge cases
  /// - The formula is correct only for beacons on the x axis. If `first[1] != second[1]`, the term
  ///   in y is missing. If both are equal and not zero, y lacks that offset.
  /// - The intersection below the axis is never returned.
  /// - Circles that do not intersect give y = 0.
  /// - Beacons with equal x give infinity or NaN.
  ///
  /// - Parameters:
  ///   - first: the first beacon, metres; (0, 0) in the app.
  ///   - second: the second beacon, metres; (2.5, 0) in the app.
  ///   - firstRange: distance from the first beacon, metres.
  ///   - secondRange: distance from the second beacon, metres.
  /// - Returns: x and y, metres.
  public static func walkThroughCoordinates(
    first: Vector<2> = Vector([0, 0]), second: Vector<2> = Vector([2.5, 0]),
    firstRange: Double, secondRange: Double
  ) -> Vector<2> {
    let a = 2 * (second[0] - first[0])
    let c =
      firstRange * firstRange - secondRange * secondRange - first[0] * first[0]
      + second[0] * second[0] - first[1] * first[1] + second[1] * second[1]
    let x = c / a
    let t = firstRange * firstRange - (x - first[0]) * (x - first[0])
    return Vector([x, t > 0 ? t.squareRoot() : 0])
  }
}
