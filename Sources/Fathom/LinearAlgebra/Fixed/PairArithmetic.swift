import CVectors

/// Arithmetic on two numbers in one instruction, where Swift's operators process them one by one;
/// see CVectors.h.
///
/// These operators are more specialised than the standard ones and are therefore chosen for every
/// `SIMD2<Double>` in this module. They are inlinable because their callers are.
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

  /// Returns the square roots of both.
  @inlinable @inline(__always)
  func squareRoot() -> Self { cvectors_root(self) }
}

/// Loops over vectors of a fixed small length, two numbers at a time.
///
/// The compiler vectorises such loops only when no single number is stored in between. A pair
/// loaded after a single store would wait for it to reach the cache, which costs a third of an
/// update. All pointers have `count` elements.
@usableFromInline
enum PairKernels {
  /// Sets the target to factor * source.
  @inlinable
  @inline(__always)
  static func scale(
    _ source: UnsafePointer<Double>, by factor: Double, into target: UnsafeMutablePointer<Double>,
    count: Int
  ) {
    let factors = SIMD2(repeating: factor)
    for pair in 0..<count / 2 {
      store(factors * load(source, pair), to: target, pair)
    }
    if count % 2 == 1 { target[count - 1] = factor * source[count - 1] }
  }

  /// Adds factor * source to the target.
  @inlinable
  @inline(__always)
  static func add(
    _ source: UnsafePointer<Double>, times factor: Double, to target: UnsafeMutablePointer<Double>,
    count: Int
  ) {
    let factors = SIMD2(repeating: factor)
    for pair in 0..<count / 2 {
      store(load(target, pair) + factors * load(source, pair), to: target, pair)
    }
    if count % 2 == 1 { target[count - 1] += factor * source[count - 1] }
  }

  /// Subtracts factor * source from the target, after multiplying its element at `place` by
  /// `raise`.
  @inlinable
  @inline(__always)
  static func subtract(
    _ source: UnsafePointer<Double>, times factor: Double,
    from target: UnsafeMutablePointer<Double>, raising place: Int, by raise: Double, count: Int
  ) {
    let factors = SIMD2(repeating: factor)
    for pair in 0..<count / 2 {
      var elements = load(target, pair)
      if place / 2 == pair {
        elements *= place % 2 == 0 ? SIMD2(raise, 1) : SIMD2(1, raise)
      }
      store(elements - factors * load(source, pair), to: target, pair)
    }
    if count % 2 == 1 {
      let last = count - 1
      let element = place == last ? raise * target[last] : target[last]
      target[last] = element - factor * source[last]
    }
  }

  @inlinable
  @inline(__always)
  static func load(_ source: UnsafePointer<Double>, _ pair: Int) -> SIMD2<Double> {
    UnsafeRawPointer(source + 2 * pair).loadUnaligned(as: SIMD2<Double>.self)
  }

  @inlinable
  @inline(__always)
  static func store(
    _ elements: SIMD2<Double>, to target: UnsafeMutablePointer<Double>, _ pair: Int
  ) {
    UnsafeMutableRawPointer(target + 2 * pair).storeBytes(of: elements, as: SIMD2<Double>.self)
  }
}
