import CVectors

/// Two numbers at once, where Swift's operators go from one to the other; see CVectors.h.
///
/// Being less general, these are what `+` stands for wherever two doubles side by side are added in
/// this module. Inlinable, as what uses them is.
extension SIMD2 where Scalar == Double {
  @inlinable @inline(__always)
  static func + (a: Self, b: Self) -> Self { cvectors_sum(a, b) }

  @inlinable @inline(__always)
  static func - (a: Self, b: Self) -> Self { cvectors_difference(a, b) }

  @inlinable @inline(__always)
  static func * (a: Self, b: Self) -> Self { cvectors_product(a, b) }

  @inlinable @inline(__always)
  static func / (a: Self, b: Self) -> Self { cvectors_quotient(a, b) }

  @inlinable @inline(__always)
  static func + (a: Double, b: Self) -> Self { Self(repeating: a) + b }

  @inlinable @inline(__always)
  static func - (a: Double, b: Self) -> Self { Self(repeating: a) - b }

  @inlinable @inline(__always)
  static func * (a: Double, b: Self) -> Self { Self(repeating: a) * b }

  @inlinable @inline(__always)
  static func / (a: Double, b: Self) -> Self { Self(repeating: a) / b }

  @inlinable @inline(__always)
  static func + (a: Self, b: Double) -> Self { a + Self(repeating: b) }

  @inlinable @inline(__always)
  static func - (a: Self, b: Double) -> Self { a - Self(repeating: b) }

  @inlinable @inline(__always)
  static func * (a: Self, b: Double) -> Self { a * Self(repeating: b) }

  @inlinable @inline(__always)
  static func / (a: Self, b: Double) -> Self { a / Self(repeating: b) }

  @inlinable @inline(__always)
  static func += (a: inout Self, b: Self) { a = a + b }

  @inlinable @inline(__always)
  static func -= (a: inout Self, b: Self) { a = a - b }

  @inlinable @inline(__always)
  static func *= (a: inout Self, b: Self) { a = a * b }

  @inlinable @inline(__always)
  static func /= (a: inout Self, b: Self) { a = a / b }

  /// The roots of both.
  @inlinable @inline(__always)
  func squareRoot() -> Self { cvectors_root(self) }
}
