/// Why a number in a recording or from a device is no distance.
public enum AbsentDistance: Sendable, Hashable {
  /// Not a number: the usual "not available" of devices.
  case notANumber
  /// Infinite, or at least as large as the greatest finite `Float`, which devices use as a sentinel.
  case sentinel
  /// Below zero.
  case negative
  /// Exactly zero, which most devices write for "no measurement".
  case zero
}

/// The rule that tells a measured distance from an absent one.
///
/// [NI reference]: sources disagree about the values of "not available", so NaN, infinities,
/// magnitudes at or above the greatest finite `Float` and negative numbers all count as absent; zero
/// too, unless the caller says that zero is a distance.
public enum MeasuredDistance {
  /// Magnitudes from here on are sentinels, metres.
  ///
  /// The greatest finite `Float`, as a literal: a converted one would be computed at its first
  /// use, and every other would have to ask whether it was.
  public static let smallestSentinel = 0x1.fffffep127

  /// Why `metres` is no distance, or nil when it is one.
  ///
  /// - Parameters:
  ///   - metres: a distance in metres as a device wrote it.
  ///   - zeroIsDistance: whether exactly zero is a measured distance.
  /// - Returns: The reason, or nil.
  @inlinable
  public static func absence(
    of metres: Double, zeroIsDistance: Bool = false
  ) -> AbsentDistance? {
    if metres.isNaN { return .notANumber }
    if metres.magnitude >= smallestSentinel { return .sentinel }
    if metres < 0 { return .negative }
    if metres == 0, !zeroIsDistance { return .zero }
    return nil
  }

  /// `metres` when it is a distance, nil when it is absent.
  @inlinable
  public static func validated(_ metres: Double, zeroIsDistance: Bool = false) -> Double? {
    absence(of: metres, zeroIsDistance: zeroIsDistance) == nil ? metres : nil
  }
}
