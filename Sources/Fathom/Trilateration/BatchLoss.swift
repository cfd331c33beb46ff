/// Four epochs at once.
typealias Lanes = SIMD4<Double>

/// How a batch weighs residuals; a type per loss, so that each gets a kernel of its own.
protocol BatchLoss: Sendable {
  /// What a sum of losses is kept in.
  associatedtype Sum: LossSum
  /// The weight ω of a residual x whose square is given, ω = ψ(x)/x, and the slope ψ'(x).
  func weigh(_ square: Lanes) -> (weight: Lanes, slope: Lanes)
  /// Adds the loss of a residual with this square and weight.
  func add(_ square: Lanes, _ weight: Lanes, to sum: inout Sum)
}

/// A sum of losses, of which only the order matters.
protocol LossSum {
  init()
  /// Called once for every few terms.
  mutating func fold()
  /// A number that grows with the sum.
  var value: Lanes { get }
}

/// Half the square: all weights are one.
struct SquaredLoss: BatchLoss {
  @inline(__always) func weigh(_ square: Lanes) -> (weight: Lanes, slope: Lanes) {
    (Lanes(repeating: 1), Lanes(repeating: 1))
  }
  @inline(__always) func add(_ square: Lanes, _ weight: Lanes, to sum: inout PlainSum) {
    sum.value += square
  }
}

/// Square inside the threshold, linear outside [Huber 1964].
struct HuberLoss: BatchLoss {
  let threshold: Double

  @inline(__always) func weigh(_ square: Lanes) -> (weight: Lanes, slope: Lanes) {
    // The root of all lanes at once: selecting lanes before it makes four calls of it.
    let size = square.squareRoot()
    let weight = threshold / size.replacing(with: threshold, where: size .< threshold)
    return (weight, Lanes.zero.replacing(with: 1, where: size .<= threshold))
  }
  @inline(__always) func add(_ square: Lanes, _ weight: Lanes, to sum: inout PlainSum) {
    sum.value += square * weight * (2 - weight)
  }
}

/// The logarithm of 1 + x²/c², Cauchy's.
///
/// It is also that of Student's t with c² degrees of freedom [Lange et al. 1989].
struct CauchyLoss: BatchLoss {
  let inverseSquare: Double

  init(scale: Double) { inverseSquare = 1 / (scale * scale) }

  @inline(__always) func weigh(_ square: Lanes) -> (weight: Lanes, slope: Lanes) {
    let weight = 1 / (1 + inverseSquare * square)
    return (weight, weight * (2 * weight - 1))
  }
  @inline(__always) func add(_ square: Lanes, _ weight: Lanes, to sum: inout ProductSum) {
    sum.product *= 1 + inverseSquare * square
  }
}

/// A sum.
struct PlainSum: LossSum {
  var value = Lanes.zero
  @inline(__always) init() {}
  @inline(__always) mutating func fold() {}
}

/// A sum of logarithms, kept as the product of the arguments, which are one or more.
///
/// The product is folded into a binary exponent before it overflows. Its value replaces the binary
/// logarithm of the mantissa m by m - 1: that preserves the order of products, and needs no logarithm.
struct ProductSum: LossSum {
  var product = Lanes(repeating: 1)
  private var exponent = Lanes.zero
  @inline(__always) init() {}

  @inline(__always) mutating func fold() {
    let bits = unsafeBitCast(product, to: SIMD4<UInt64>.self)
    // The exponent as the last bits of 2⁵² + exponent, which is exact; the bias is the same for all.
    let shifted = (bits &>> 52) | 0x4330_0000_0000_0000
    exponent += unsafeBitCast(shifted, to: Lanes.self) - (0x1p52 + 1023)
    let mantissa = (bits & 0x000F_FFFF_FFFF_FFFF) | 0x3FF0_0000_0000_0000
    product = unsafeBitCast(mantissa, to: Lanes.self)
  }

  @inline(__always) var value: Lanes {
    var folded = self
    folded.fold()
    return folded.exponent + (folded.product - 1)
  }
}
