/// The reason why a reported number is not a distance.
public enum AbsentDistance: Sendable, Hashable {
  /// Not a number: the value most devices report for "not available".
  case notANumber
  /// Infinite, or at least the greatest finite `Float`, which devices use as a sentinel.
  case sentinel
  /// Below zero.
  case negative
  /// Exactly zero, which most devices write for "no measurement".
  case zero
}

/// The rule that distinguishes a measured distance from an absent one.
///
/// [NI reference]: sources disagree about the values of "not available". NaN, infinities,
/// magnitudes at or above the greatest finite `Float` and negative numbers therefore all count as
/// absent. Zero counts as absent unless the caller declares it a distance.
public enum MeasuredDistance {
  /// The smallest magnitude that counts as a sentinel, metres: the greatest finite `Float`.
  ///
  /// A literal, because a converted value would be initialised lazily and every access would check
  /// whether it exists.
  public static let smallestSentinel = 0x1.fffffep127

  /// Returns the reason why `metres` is not a distance, or nil when it is one.
  ///
  /// - Parameters:
  ///   - metres: A distance in metres as the device wrote it.
  ///   - zeroIsDistance: Whether exactly zero is a measured distance.
  /// - Returns: The reason, or nil for a valid distance.
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

  /// Returns `metres` when it is a distance, and nil when it is absent.
  @inlinable
  public static func validated(_ metres: Double, zeroIsDistance: Bool = false) -> Double? {
    absence(of: metres, zeroIsDistance: zeroIsDistance) == nil ? metres : nil
  }
}
