import RealModule

/// What residuals of a packed epoch cost; a type per loss, so that each gets a kernel of its own.
///
/// The cost is a number that grows with the sum of the losses: that sum itself, or for Cauchy's
/// loss the product of 1 + z²/k², whose logarithm nobody needs to take.
protocol PackedLoss {
  typealias Pair = PackedEpoch.Pair
  /// The cost without residuals.
  static var costOfNothing: Double { get }
  /// The cost of all ranges, from those of every other one.
  static func total(_ cost: Pair) -> Double
  /// Adds what two residuals cost.
  ///
  /// Legend: r the residual, s the inverse variance, d the distance, w the weight, s c half the
  /// second derivative of the cost.
  ///
  /// - Returns: what the offset is weighed with for the gradient, s w r/d, and its products for the
  ///   matrix: without second derivatives, s w/d², and with them, (s c + s w r/d)/d².
  func weigh(
    _ residual: Pair, _ inverseVariance: Pair, _ distance: Pair, _ cost: inout Pair
  ) -> (pull: Pair, push: Pair, stiffness: Pair)
  /// Adds what residuals of these squares cost.
  func add(_ squares: Pair, to cost: inout Pair)
  /// A cost with a difference in squares added.
  func cost(_ cost: Double, raisedBy difference: Double) -> Double
  /// By how much a cost is higher than another, in squares.
  func excess(_ cost: Double, over other: Double) -> Double
  /// The greatest sum of squares that costs no more than a cost with a difference added.
  func mostSquares(of cost: Double, raisedBy difference: Double) -> Double
  /// 1/k², zero for squares.
  var inverseSquare: Double { get }
}

extension PackedLoss {
  /// The sum of squares, in standard deviations, of differences of residuals so small that no two
  /// minima are that close: a third of k, over which second derivatives hardly change; zero for
  /// squares.
  @inline(__always) var squareOfNearness: Double {
    inverseSquare > 0 ? 0.1 / inverseSquare : 0
  }
}

/// z².
struct PackedSquaredLoss: PackedLoss {
  @inline(__always) static var costOfNothing: Double { 0 }
  @inline(__always) static func total(_ cost: Pair) -> Double { cost.both }
  @inline(__always) func weigh(
    _ residual: Pair, _ inverseVariance: Pair, _ distance: Pair, _ cost: inout Pair
  ) -> (pull: Pair, push: Pair, stiffness: Pair) {
    let sharp = inverseVariance * residual
    cost += sharp * residual
    let inverse = 1 / distance
    let push = inverseVariance * (inverse * inverse)
    return (sharp * inverse, push, push * (1 + residual * inverse))
  }
  @inline(__always) func cost(_ cost: Double, raisedBy difference: Double) -> Double {
    cost + difference
  }
  @inline(__always) func add(_ squares: Pair, to cost: inout Pair) { cost += squares }
  @inline(__always) func excess(_ cost: Double, over other: Double) -> Double { cost - other }
  @inline(__always) func mostSquares(of cost: Double, raisedBy difference: Double) -> Double {
    cost + difference
  }
  @inline(__always) var inverseSquare: Double { 0 }
}

/// Cauchy's k² log(1 + z²/k²).
struct PackedCauchyLoss: PackedLoss {
  let inverseSquare: Double
  @inline(__always) static var costOfNothing: Double { 1 }
  @inline(__always) static func total(_ cost: Pair) -> Double { cost[0] * cost[1] }
  @inline(__always) func weigh(
    _ residual: Pair, _ inverseVariance: Pair, _ distance: Pair, _ cost: inout Pair
  ) -> (pull: Pair, push: Pair, stiffness: Pair) {
    let sharp = inverseVariance * residual
    let growth = 1 + inverseSquare * (sharp * residual)
    cost *= growth
    // One division for both reciprocals, w/d = 1/(d g) with g = 1/w, and little left to do after
    // it, which everything waits for: c = w (2w - 1).
    let both = 1 / (distance * growth)
    let push = (inverseVariance * growth) * (both * both)
    return (
      sharp * both, push, push * (both * (distance + distance + growth * residual) - 1)
    )
  }
  @inline(__always) func cost(_ cost: Double, raisedBy difference: Double) -> Double {
    // (1 + x/8 + x²/128)⁸ stands in for the exponential, of which it is 1 % less at x = 3.
    let eighth = (0.125 * inverseSquare) * difference
    var power = 1 + eighth * (1 + 0.5 * eighth)
    power *= power
    power *= power
    return cost * (power * power)
  }
  @inline(__always) func add(_ squares: Pair, to cost: inout Pair) {
    cost *= 1 + inverseSquare * squares
  }
  @inline(__always) func excess(_ cost: Double, over other: Double) -> Double {
    .log(cost / other) / inverseSquare
  }
  @inline(__always) func mostSquares(of cost: Double, raisedBy difference: Double) -> Double {
    // A product of terms of at least one: their sum is greatest where only one is more than that.
    (cost * .exp(inverseSquare * difference) - 1) / inverseSquare
  }
}

/// z²/(1 + z²/k²), that of Geman and McClure, over k².
struct PackedGemanMcClureLoss: PackedLoss {
  let inverseSquare: Double
  @inline(__always) static var costOfNothing: Double { 0 }
  @inline(__always) static func total(_ cost: Pair) -> Double { cost.both }
  @inline(__always) func weigh(
    _ residual: Pair, _ inverseVariance: Pair, _ distance: Pair, _ cost: inout Pair
  ) -> (pull: Pair, push: Pair, stiffness: Pair) {
    let growth = 1 + (inverseSquare * inverseVariance) * (residual * residual)
    let both = 1 / (distance * growth)
    let (inverse, root) = (both * growth, both * distance)
    cost += 1 - root
    let push = inverseVariance * (both * both)
    let bend = residual * inverse
    return (push * distance * residual, push, push * (4 * root - 3 + bend))
  }
  @inline(__always) func cost(_ cost: Double, raisedBy difference: Double) -> Double {
    cost + inverseSquare * difference
  }
  @inline(__always) func add(_ squares: Pair, to cost: inout Pair) {
    cost += 1 - 1 / (1 + inverseSquare * squares)
  }
  @inline(__always) func excess(_ cost: Double, over other: Double) -> Double {
    (cost - other) / inverseSquare
  }
  @inline(__always) func mostSquares(of cost: Double, raisedBy difference: Double) -> Double {
    // Bounded: a single residual may be of any size.
    .infinity
  }
}
