import RealModule

/// A vector for small filter states and points: the elements are stored inside the value and no
/// operation allocates.
///
/// Operations on vectors of different lengths do not compile. For problems whose size is known only
/// at run time use ``DenseMatrix``.
@frozen
public struct Vector<let Count: Int>: Sendable {
  @usableFromInline
  var elements: InlineArray<Count, Double>

  /// Creates a vector of the given elements: `Vector<3>([1, 2, 3])`.
  @inlinable
  public init(_ elements: InlineArray<Count, Double>) {
    self.elements = elements
  }

  /// Creates a vector whose elements are all `value`.
  @inlinable
  public init(repeating value: Double) {
    elements = InlineArray(repeating: value)
  }

  /// Creates a vector of the elements of `array`, or returns nil when their number is not `Count`.
  @inlinable
  public init?(array: [Double]) {
    guard array.count == Count else { return nil }
    elements = InlineArray { array[$0] }
  }

  /// The vector of zeros.
  @inlinable
  public static var zero: Self { Self(repeating: 0) }

  /// The number of elements, `Count`.
  @inlinable
  public var count: Int { Count }

  /// The element at `index`, which lies in `0..<Count`.
  @inlinable
  public subscript(index: Int) -> Double {
    get { elements[index] }
    set { elements[index] = newValue }
  }

  /// The elements in order, in a new array.
  @inlinable
  public var array: [Double] {
    var result: [Double] = []
    result.reserveCapacity(Count)
    for index in 0..<Count { result.append(elements[index]) }
    return result
  }

  /// Whether every element is finite.
  @inlinable
  public var isFinite: Bool {
    for index in 0..<Count where !elements[index].isFinite { return false }
    return true
  }

  /// Calls `body` with the elements in order; the pointer is valid during the call only.
  @inlinable
  @inline(__always)
  func withElements<Result>(_ body: (UnsafePointer<Double>) -> Result) -> Result {
    withUnsafePointer(to: elements) {
      body(UnsafeRawPointer($0).assumingMemoryBound(to: Double.self))
    }
  }

  /// Calls `body` with the elements in order for writing; see ``withElements(_:)``.
  @inlinable
  @inline(__always)
  mutating func withMutableElements<Result>(
    _ body: (UnsafeMutablePointer<Double>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &elements) {
      body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: Double.self))
    }
  }

  /// Returns the inner product with `other`.
  @inlinable
  public func dot(_ other: Self) -> Double {
    var sum = 0.0
    for index in 0..<Count { sum += elements[index] * other.elements[index] }
    return sum
  }

  /// The Euclidean length.
  ///
  /// Scaled by the largest element where the squares of tiny or huge elements would underflow or
  /// overflow.
  ///
  /// ## Edge cases
  /// An infinite element gives infinity, a NaN element NaN.
  @inlinable
  public var length: Double {
    let square = dot(self)
    return square > 1e-200 && square < 1e200 ? square.squareRoot() : scaledLength
  }

  /// The length of a vector of tiny or huge elements.
  @inlinable
  @inline(never)
  var scaledLength: Double {
    var largest = 0.0
    for index in 0..<Count {
      let magnitude = elements[index].magnitude
      if !(magnitude <= largest) { largest = magnitude }
    }
    guard largest > 0, largest.isFinite else { return largest }
    var sum = 0.0
    for index in 0..<Count {
      let scaled = elements[index] / largest
      sum += scaled * scaled
    }
    return largest * sum.squareRoot()
  }

  /// Returns the elementwise sum.
  @inlinable
  public static func + (left: Self, right: Self) -> Self {
    Self(InlineArray { left.elements[$0] + right.elements[$0] })
  }

  /// Returns the elementwise difference.
  @inlinable
  public static func - (left: Self, right: Self) -> Self {
    Self(InlineArray { left.elements[$0] - right.elements[$0] })
  }

  /// Returns the vector with every sign changed.
  @inlinable
  public static prefix func - (vector: Self) -> Self {
    Self(InlineArray { -vector.elements[$0] })
  }

  /// Returns the vector multiplied by a number.
  @inlinable
  public static func * (scale: Double, vector: Self) -> Self {
    Self(InlineArray { scale * vector.elements[$0] })
  }

  /// Adds `right` to `left`, element by element.
  @inlinable
  public static func += (left: inout Self, right: Self) {
    for index in 0..<Count { left.elements[index] += right.elements[index] }
  }
}

extension Vector: Equatable {
  /// Returns whether all elements are equal as numbers (so `-0` equals `0`, and NaN equals
  /// nothing).
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    for index in 0..<Count where left.elements[index] != right.elements[index] { return false }
    return true
  }
}

extension Vector: AdditiveArithmetic {}

extension Vector: CustomStringConvertible {
  /// The elements in brackets, printed like an array.
  public var description: String { "\(array)" }
}

extension Vector where Count == 3 {
  /// Returns the cross product with `other`: across both, right-handed, with the area between them as its
  /// length.
  @inlinable
  public func cross(_ other: Self) -> Self {
    Self([
      self[1] * other[2] - self[2] * other[1], self[2] * other[0] - self[0] * other[2],
      self[0] * other[1] - self[1] * other[0],
    ])
  }
}
