import RealModule

/// A plane angle, whose positive sense is defined by the convention that uses it.
///
/// Stored in radians and not wrapped: sums keep whole turns until ``wrapped()`` is called.
@frozen
public struct Angle: Sendable, Hashable, Comparable, Codable {
  /// The angle in radians.
  public var radians: Double

  /// Creates an angle of `radians`; every number is accepted and kept.
  @inlinable
  public init(radians: Double) {
    self.radians = radians
  }

  /// Creates an angle of `degrees`, computed as `degrees * .pi / 180` in that order.
  ///
  /// Multiples of 45 degrees up to one turn give exact multiples of a quarter of `Double.pi`. All
  /// other values have a relative error below 3e-16.
  @inlinable
  public init(degrees: Double) {
    radians = degrees * .pi / 180
  }

  /// The angle in degrees, computed as `radians * 180 / .pi` in that order [EDM sample].
  ///
  /// Multiples of 45 degrees up to one turn round-trip exactly; 60 degrees give 59.99999999999999.
  /// The relative error of this conversion is below 3e-16.
  @inlinable
  public var degrees: Double { radians * 180 / .pi }

  /// The zero angle.
  @inlinable
  public static var zero: Self { Self(radians: 0) }

  /// Half a turn, exactly `Double.pi` radians.
  @inlinable
  public static var halfTurn: Self { Self(radians: .pi) }

  /// Whether the angle is a finite number.
  @inlinable
  public var isFinite: Bool { radians.isFinite }

  /// The absolute value.
  @inlinable
  public var magnitude: Self { Self(radians: radians.magnitude) }

  /// The sine.
  @inlinable
  public var sine: Double { .sin(radians) }

  /// The cosine.
  @inlinable
  public var cosine: Double { .cos(radians) }

  /// Returns the same direction within (-π, π]: a - 2π ⌈(a - π) / 2π⌉ [Android stack].
  ///
  /// A turn is 2 `Double.pi`, which is 2.4e-16 rad less than 2π; with that period the result is
  /// exact. To keep whole degrees exact, wrap degrees with ``wrapDegrees(_:)``.
  ///
  /// ## Edge cases
  /// `Double.pi` is unchanged; `-Double.pi` becomes `Double.pi`. NaN and infinities give NaN.
  @inlinable
  public func wrapped() -> Self {
    Self(radians: Self.wrap(radians, halfTurn: .pi))
  }

  /// Returns `degrees` within (-180, 180], exact for every finite number.
  ///
  /// ## Edge cases
  /// 180 is unchanged and -180 becomes 180. NaN and infinities give NaN.
  @inlinable
  public static func wrapDegrees(_ degrees: Double) -> Double {
    wrap(degrees, halfTurn: 180)
  }

  /// Returns `value` within (-`halfTurn`, `halfTurn`].
  @inlinable
  static func wrap(_ value: Double, halfTurn: Double) -> Double {
    if value > -halfTurn, value <= halfTurn { return value }
    // The IEEE remainder has no rounding error. The formula with the ceiling has one when the
    // quotient needs more than 53 bits. The remainder lies in [-halfTurn, halfTurn], whose ends are
    // the same angle.
    let remainder = value.remainder(dividingBy: 2 * halfTurn)
    if remainder == -halfTurn { return halfTurn }
    return remainder + 0  // negative whole turns leave -0
  }

  /// Returns the signed turn from `other` to this angle in the shorter direction, within (-π, π].
  ///
  /// ## Edge cases
  /// Opposite directions give +π in either order, as far as rounding of the difference allows.
  /// Returns NaN when either angle is not finite.
  @inlinable
  public func difference(from other: Self) -> Self {
    (self - other).wrapped()
  }

  /// Returns the sum, not wrapped.
  @inlinable
  public static func + (left: Self, right: Self) -> Self {
    Self(radians: left.radians + right.radians)
  }

  /// Returns the difference, not wrapped; see also ``difference(from:)``.
  @inlinable
  public static func - (left: Self, right: Self) -> Self {
    Self(radians: left.radians - right.radians)
  }

  /// Returns the angle with the opposite sign.
  @inlinable
  public static prefix func - (angle: Self) -> Self {
    Self(radians: -angle.radians)
  }

  /// Returns the angle multiplied by a number.
  @inlinable
  public static func * (scale: Double, angle: Self) -> Self {
    Self(radians: scale * angle.radians)
  }

  /// Returns whether `left` has fewer radians, including whole turns.
  ///
  /// A comparison with NaN is false.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.radians < right.radians
  }
}

extension Angle: CustomStringConvertible {
  /// The angle in degrees, with its unit.
  public var description: String { "\(degrees)°" }
}
