/// Values of four epochs.
typealias LaneQuad = SIMD4<Double>
/// Values of two epochs: the vector width that every processor supports.
typealias LanePair = SIMD2<Double>

/// The loss of a batch; one type per loss, so that each gets its own kernel.
protocol BatchLoss: Sendable {
  /// The accumulator of a sum of losses.
  associatedtype Sum: LossSum
  /// Whether all weights are one.
  static var isSquared: Bool { get }
  /// Whether second derivatives are continuous, so that Newton steps converge quadratically.
  static var isSmooth: Bool { get }
  /// Returns the weight ω = ψ(x)/x of a residual x with the given square, and the slope ψ'(x).
  func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair)
  /// Adds the loss of a residual with this square and weight.
  func add(_ square: LanePair, _ weight: LanePair, to sum: inout Sum)
}

/// A sum of losses, used only for comparisons.
protocol LossSum {
  init()
  /// Normalises the accumulator; called once every few terms.
  mutating func fold()
  /// A number that increases with the sum.
  var value: LanePair { get }
}

/// Half the square: all weights are one.
struct SquaredLoss: BatchLoss {
  @inline(__always) static var isSquared: Bool { true }
  @inline(__always) static var isSmooth: Bool { true }
  @inline(__always) func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair) {
    (LanePair(repeating: 1), LanePair(repeating: 1))
  }
  @inline(__always) func add(_ square: LanePair, _ weight: LanePair, to sum: inout AdditiveLossSum)
  {
    sum.value += square
  }
}

/// Quadratic inside the threshold, linear outside [Huber 1964].
struct HuberLoss: BatchLoss {
  @inline(__always) static var isSquared: Bool { false }
  @inline(__always) static var isSmooth: Bool { false }
  let threshold: Double

  @inline(__always) func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair) {
    // At least `limit` by construction: never negative, however the compiler vectorises.
    let limit = threshold * threshold
    let ratio = limit / square.replacing(with: limit, where: square .< limit)
    return (
      ratio.squareRoot(), LanePair.zero.replacing(with: 1, where: square .<= limit)
    )
  }
  @inline(__always) func add(_ square: LanePair, _ weight: LanePair, to sum: inout AdditiveLossSum)
  {
    sum.value += square * weight * (2 - weight)
  }
}

/// Cauchy's loss, the logarithm of 1 + x²/c².
///
/// It is also the loss of Student's t with c² degrees of freedom [Lange et al. 1989].
struct CauchyLoss: BatchLoss {
  @inline(__always) static var isSquared: Bool { false }
  @inline(__always) static var isSmooth: Bool { true }
  let inverseSquare: Double

  init(scale: Double) { inverseSquare = 1 / (scale * scale) }

  @inline(__always) func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair) {
    let weight = 1 / (1 + inverseSquare * square)
    return (weight, weight * (2 * weight - 1))
  }
  @inline(__always) func add(
    _ square: LanePair, _ weight: LanePair, to sum: inout LogarithmicLossSum
  ) {
    sum.product *= 1 + inverseSquare * square
  }
}

/// The loss of Geman and McClure, z²/(1 + z²/k²).
struct GemanMcClureLoss: BatchLoss {
  let inverseSquare: Double

  init(scale: Double) { inverseSquare = 1 / (scale * scale) }

  @inline(__always) static var isSquared: Bool { false }
  @inline(__always) static var isSmooth: Bool { true }
  @inline(__always) func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair) {
    let root = 1 / (1 + inverseSquare * square)
    let weight = root * root
    return (weight, (4 * root - 3) * weight)
  }
  @inline(__always) func add(_ square: LanePair, _ weight: LanePair, to sum: inout AdditiveLossSum)
  {
    // In a form that does not overflow.
    sum.value += 1 - 1 / (1 + inverseSquare * square)
  }
}

/// Tukey's biweight: the weight is (1 - z²/k²)² up to k and zero beyond.
struct TukeyLoss: BatchLoss {
  let inverseSquare: Double

  init(scale: Double) { inverseSquare = 1 / (scale * scale) }

  @inline(__always) static var isSquared: Bool { false }
  @inline(__always) static var isSmooth: Bool { true }
  @inline(__always) func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair) {
    let rest = rest(square)
    // Beyond k the rest is zero, and so are both results.
    return (rest * rest, rest * (5 * rest - 4))
  }
  @inline(__always) func add(_ square: LanePair, _ weight: LanePair, to sum: inout AdditiveLossSum)
  {
    let rest = rest(square)
    sum.value += 1 - rest * rest * rest
  }
  @inline(__always) private func rest(_ square: LanePair) -> LanePair {
    let rest = 1 - inverseSquare * square
    return rest.replacing(with: 0, where: rest .< 0)
  }
}

/// A plain sum.
struct AdditiveLossSum: LossSum {
  var value = LanePair.zero
  @inline(__always) init() {}
  @inline(__always) mutating func fold() {}
}

/// A sum of logarithms, stored as the product of the arguments, which are at least one.
///
/// The product is folded into a binary exponent before it overflows. `value` replaces the binary
/// logarithm of the mantissa m by m - 1, which preserves the order of products without computing a
/// logarithm.
struct LogarithmicLossSum: LossSum {
  var product = LanePair(repeating: 1)
  private var exponent = LanePair.zero
  @inline(__always) init() {}

  @inline(__always) mutating func fold() {
    let bits = unsafeBitCast(product, to: SIMD2<UInt64>.self)
    // Reads the exponent from the last bits of 2⁵² + exponent, which is exact; the bias is the same
    // for all.
    let shifted = (bits &>> 52) | 0x4330_0000_0000_0000
    exponent += unsafeBitCast(shifted, to: LanePair.self) - (0x1p52 + 1023)
    let mantissa = (bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000
    product = unsafeBitCast(mantissa, to: LanePair.self)
  }

  @inline(__always) var value: LanePair {
    var folded = self
    folded.fold()
    return folded.exponent + (folded.product - 1)
  }
}
