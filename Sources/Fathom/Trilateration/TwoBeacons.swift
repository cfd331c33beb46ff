/// The position in the plane from ranges to two beacons: both crossings of the circles.
public struct TwoBeaconCrossings: Sendable, Equatable {
  /// The crossing to the left of the way from the first beacon to the second, metres.
  public var left: Vector<2>
  /// The crossing to the right, metres; equal to ``left`` where the circles touch or miss.
  public var right: Vector<2>
  /// By how much the circles miss each other, metres; zero where they meet.
  public var gap: Double
}

/// Coordinates from two beacons.
public enum TwoBeacons {
  /// The crossings of the circles of radius `firstRange` and `secondRange` around two beacons.
  ///
  /// In the frame of the baseline, of length b: x = (b² + r₁² - r₂²) / 2b along it and
  /// y = ±√((r₁ - x)(r₁ + x)) across. Circles that miss, beside or inside each other, give the
  /// point of the baseline (or its extension) with the least squared residuals, and the gap.
  ///
  /// - Parameters:
  ///   - first: the first beacon, metres.
  ///   - second: the second beacon, metres.
  ///   - firstRange: distance from the first beacon, metres.
  ///   - secondRange: distance from the second beacon, metres.
  /// - Returns: Both crossings and the gap; nil where the beacons coincide, or a number is not
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
      // Signed distances from the first beacon of the two points of the circles that are closest.
      let outward: Double = secondRange > firstRange ? -1 : 1
      let onFirst = apart > 0 ? firstRange : outward * firstRange
      let onSecond = apart > 0 ? baseline - secondRange : baseline + outward * secondRange
      let point = first + (onFirst / 2 + onSecond / 2) * axis
      return TwoBeaconCrossings(left: point, right: point, gap: max(apart, inside))
    }
    // (r₁ - r₂)(r₁ + r₂) keeps the digits that r₁² - r₂² would lose.
    let x = (baseline + (firstRange - secondRange) / baseline * (firstRange + secondRange)) / 2
    let y = max(0, (firstRange - x) * (firstRange + x)).squareRoot()
    return TwoBeaconCrossings(
      left: first + x * axis + y * normal, right: first + x * axis + -y * normal, gap: 0)
  }

  /// The coordinates as the walk-through app computes them, its defects included; use
  /// ``crossings(first:second:firstRange:secondRange:)`` instead unless results must match the
  /// app's.
  ///
  /// x = C / A with A = 2 (x₂ - x₁) and C = d₁² - d₂² - x₁² + x₂² - y₁² + y₂²;
  /// y = √(d₁² - (x - x₁)²), or 0 where that is no positive number [Walk-through app].
  ///
  /// ## Edge cases
  /// The formula is right only for beacons on the x axis: with `first[1] != second[1]` the term in
  /// y is missing, with both equal to another value y lacks that value. The crossing below the axis
  /// is never returned. Circles that miss give y = 0. Beacons of equal x give infinity or NaN.
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
