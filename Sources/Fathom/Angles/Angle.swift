import RealModule

/// A plane angle; which way is positive is for the convention that uses it to say.
///
/// Held in radians and not wrapped by itself: sums keep their turns until ``wrapped()`` is asked for.
@frozen
public struct Angle: Sendable, Hashable, Comparable {
  /// The angle in radians.
  public var radians: Double

  /// The angle of `radians`; any number is accepted and kept.
  @inlinable
  public init(radians: Double) {
    self.radians = radians
  }

  /// The angle of `degrees`, as `degrees * .pi / 180` in that order.
  ///
  /// Multiples of 45 degrees up to one turn give exactly as many quarters of `Double.pi`; anything
  /// else has a relative error below 3e-16.
  @inlinable
  public init(degrees: Double) {
    radians = degrees * .pi / 180
  }

  /// The angle in degrees, as `radians * 180 / .pi` in that order [EDM sample].
  ///
  /// Multiples of 45 degrees up to one turn come back exactly; 60 degrees come back as
  /// 59.99999999999999. The relative error is below 3e-16 one way.
  @inlinable
  public var degrees: Double { radians * 180 / .pi }

  /// No angle.
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

  /// The same direction within (-π, π]: a - 2π ⌈(a - π) / 2π⌉ [Android stack].
  ///
  /// A turn is 2 `Double.pi`, which falls short of 2π by 2.4e-16 rad; with that period the result is
  /// exact. Where a whole number of degrees matters, wrap degrees with ``wrapDegrees(_:)``.
  ///
  /// ## Edge cases
  /// `Double.pi` stays; `-Double.pi` becomes `Double.pi`. NaN and infinities give NaN.
  @inlinable
  public func wrapped() -> Self {
    Self(radians: Self.wrap(radians, halfTurn: .pi))
  }

  /// `degrees` within (-180, 180], exact for every finite number.
  ///
  /// ## Edge cases
  /// 180 stays and -180 becomes 180. NaN and infinities give NaN.
  @inlinable
  public static func wrapDegrees(_ degrees: Double) -> Double {
    wrap(degrees, halfTurn: 180)
  }

  /// `value` within (-`halfTurn`, `halfTurn`].
  @inlinable
  static func wrap(_ value: Double, halfTurn: Double) -> Double {
    if value > -halfTurn, value <= halfTurn { return value }
    // The IEEE remainder has no rounding error, which the formula with the ceiling has once the
    // quotient needs more than 53 bits. It lies in [-halfTurn, halfTurn]: both ends are one angle.
    let remainder = value.remainder(dividingBy: 2 * halfTurn)
    if remainder == -halfTurn { return halfTurn }
    return remainder + 0  // whole turns backwards leave -0
  }

  /// The turn from `other` to this angle by the shorter way, within (-π, π].
  ///
  /// ## Edge cases
  /// Opposite directions give +π, whichever comes first, as far as rounding of the difference
  /// allows. NaN where either angle is not finite.
  @inlinable
  public func difference(from other: Self) -> Self {
    (self - other).wrapped()
  }

  /// The sum, not wrapped.
  @inlinable
  public static func + (left: Self, right: Self) -> Self {
    Self(radians: left.radians + right.radians)
  }

  /// The difference, not wrapped; see also ``difference(from:)``.
  @inlinable
  public static func - (left: Self, right: Self) -> Self {
    Self(radians: left.radians - right.radians)
  }

  /// The angle turned the other way.
  @inlinable
  public static prefix func - (angle: Self) -> Self {
    Self(radians: -angle.radians)
  }

  /// The angle scaled by a number.
  @inlinable
  public static func * (scale: Double, angle: Self) -> Self {
    Self(radians: scale * angle.radians)
  }

  /// Whether `left` has fewer radians; turns count, NaN is less than nothing.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.radians < right.radians
  }
}

extension Angle: CustomStringConvertible {
  /// The angle in degrees, with its unit.
  public var description: String { "\(degrees)°" }
}
