import RealModule

/// The cost of residuals of a packed epoch; one type per loss, so that each gets its own kernel.
///
/// The cost increases with the sum of the losses. It is that sum itself, or for Cauchy's loss the
/// product of 1 + z²/k², which avoids the logarithm.
protocol PackedLoss {
  typealias Pair = PackedEpoch.Pair
  /// The cost without residuals.
  static var costOfNothing: Double { get }
  /// Returns the total cost from the costs of the two lanes.
  static func total(_ cost: Pair) -> Double
  /// Adds the cost of two residuals.
  ///
  /// Legend: r the residual, s the inverse variance, d the distance, w the weight, s c half the
  /// second derivative of the cost.
  ///
  /// - Returns: The factors of the offset: s w r/d for the gradient, s w/d² for the matrix without
  ///   second derivatives, and (s c + s w r/d)/d² for the matrix with them.
  func weigh(
    _ residual: Pair, _ inverseVariance: Pair, _ distance: Pair, _ cost: inout Pair
  ) -> (pull: Pair, push: Pair, stiffness: Pair)
  /// Returns a cost increased by a difference in squares.
  func cost(_ cost: Double, raisedBy difference: Double) -> Double
  /// Returns the excess of a cost over another, in squares.
  func excess(_ cost: Double, over other: Double) -> Double
  /// Returns the largest sum of squares that costs no more than `cost` increased by a difference.
  func mostSquares(of cost: Double, raisedBy difference: Double) -> Double
  /// 1/k², zero for the squared loss.
  var inverseSquare: Double { get }
}

/// The squared loss, z².
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
  @inline(__always) func excess(_ cost: Double, over other: Double) -> Double { cost - other }
  @inline(__always) func mostSquares(of cost: Double, raisedBy difference: Double) -> Double {
    cost + difference
  }
  @inline(__always) var inverseSquare: Double { 0 }
}

/// Cauchy's loss, k² log(1 + z²/k²).
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
    // One division for both reciprocals, w/d = 1/(d g) with g = 1/w, and few operations after it,
    // as they all wait for it: c = w (2w - 1).
    let both = 1 / (distance * growth)
    let push = (inverseVariance * growth) * (both * both)
    return (
      sharp * both, push, push * (both * (distance + distance + growth * residual) - 1)
    )
  }
  @inline(__always) func cost(_ cost: Double, raisedBy difference: Double) -> Double {
    // (1 + x/8 + x²/128)⁸ approximates the exponential; it is 1 % less at x = 3.
    let eighth = (0.125 * inverseSquare) * difference
    var power = 1 + eighth * (1 + 0.5 * eighth)
    power *= power
    power *= power
    return cost * (power * power)
  }
  @inline(__always) func excess(_ cost: Double, over other: Double) -> Double {
    .log(cost / other) / inverseSquare
  }
  @inline(__always) func mostSquares(of cost: Double, raisedBy difference: Double) -> Double {
    // For a product of terms of at least one, the sum is largest if a single term exceeds one.
    (cost * .exp(inverseSquare * difference) - 1) / inverseSquare
  }
}
