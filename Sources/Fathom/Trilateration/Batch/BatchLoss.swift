/// Four epochs at once.
typealias LaneQuad = SIMD4<Double>
/// Two of them: what fits a register of every processor.
typealias LanePair = SIMD2<Double>

/// How a batch weighs residuals; a type per loss, so that each gets a kernel of its own.
protocol BatchLoss: Sendable {
  /// What a sum of losses is kept in.
  associatedtype Sum: LossSum
  /// Whether all weights are one.
  static var isSquared: Bool { get }
  /// Whether second derivatives are continuous, so that Newton's steps shrink as they should.
  static var isSmooth: Bool { get }
  /// The weight ω of a residual x whose square is given, ω = ψ(x)/x, and the slope ψ'(x).
  func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair)
  /// Adds the loss of a residual with this square and weight.
  func add(_ square: LanePair, _ weight: LanePair, to sum: inout Sum)
}

/// A sum of losses, of which only the order matters.
protocol LossSum {
  init()
  /// Called once for every few terms.
  mutating func fold()
  /// A number that grows with the sum.
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

/// Square inside the threshold, linear outside [Huber 1964].
struct HuberLoss: BatchLoss {
  @inline(__always) static var isSquared: Bool { false }
  @inline(__always) static var isSmooth: Bool { false }
  let threshold: Double

  @inline(__always) func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair) {
    // Never negative, whatever the compiler makes of the lanes.
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

/// The logarithm of 1 + x²/c², Cauchy's.
///
/// It is also that of Student's t with c² degrees of freedom [Lange et al. 1989].
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

/// z²/(1 + z²/k²), that of Geman and McClure.
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
    // Written so that it does not overflow.
    sum.value += 1 - 1 / (1 + inverseSquare * square)
  }
}

/// Tukey's biweight: (1 - z²/k²)² up to k, nothing beyond.
struct TukeyLoss: BatchLoss {
  let inverseSquare: Double

  init(scale: Double) { inverseSquare = 1 / (scale * scale) }

  @inline(__always) static var isSquared: Bool { false }
  @inline(__always) static var isSmooth: Bool { true }
  @inline(__always) func weigh(_ square: LanePair) -> (weight: LanePair, slope: LanePair) {
    let rest = rest(square)
    // Beyond, where the rest is zero, both are.
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

/// A sum.
struct AdditiveLossSum: LossSum {
  var value = LanePair.zero
  @inline(__always) init() {}
  @inline(__always) mutating func fold() {}
}

/// A sum of logarithms, kept as the product of the arguments, which are one or more.
///
/// The product is folded into a binary exponent before it overflows. Its value replaces the binary
/// logarithm of the mantissa m by m - 1: that preserves the order of products, and needs no
/// logarithm.
struct LogarithmicLossSum: LossSum {
  var product = LanePair(repeating: 1)
  private var exponent = LanePair.zero
  @inline(__always) init() {}

  @inline(__always) mutating func fold() {
    let bits = unsafeBitCast(product, to: SIMD2<UInt64>.self)
    // The exponent as the last bits of 2⁵² + exponent, which is exact; the bias is the same for
    // all.
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
