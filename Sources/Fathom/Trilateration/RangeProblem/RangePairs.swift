import RealModule

/// The ranges of a problem in up to three dimensions, two at a time, for the kernels that evaluate
/// their cost.
struct RangePairs: Sendable {
  typealias Pair = SIMD2<Double>

  /// Five pairs per block: x, y and z of two anchors, ranges, and inverse standard deviations.
  ///
  /// An odd last range is padded with one of zero precision.
  private var pairs: [Pair] = []
  @inline(__always) private static var length: Int { 5 }
  /// Whether the kernels apply: in up to three dimensions, unless squares could overflow or
  /// underflow.
  private(set) var isUsable = false

  /// Lays out the ranges.
  init<let D: Int>(_ anchors: [Vector<D>], _ distances: [Double], _ sigmas: [Double]) {
    guard D <= 3, !distances.isEmpty else { return }
    pairs.reserveCapacity(Self.length * ((distances.count + 1) / 2))
    var largest = 0.0
    for first in stride(from: 0, to: distances.count, by: 2) {
      let second = first + 1 < distances.count ? first + 1 : first
      for axis in 0..<3 {
        let both = axis < D ? Pair(anchors[first][axis], anchors[second][axis]) : .zero
        pairs.append(both)
        largest = max(largest, both[0].magnitude, both[1].magnitude)
      }
      pairs.append(Pair(distances[first], distances[second]))
      largest = max(largest, distances[first], distances[second])
      var precision = 1 / Pair(sigmas[first], sigmas[second])
      guard all(precision .< 1e100), all(precision .> 1e-100) else { return }
      if second == first { precision[1] = 0 }
      pairs.append(precision)
    }
    isUsable = largest > 1e-50 && largest < 1e50
  }

  /// The sums of an expansion; see ``RangeExpansion``.
  struct Sums {
    var cost = 0.0
    /// The logarithm of the product of the growths, see ``LossTerms``.
    var logarithm = 0.0
    var descent = SIMD3<Double>.zero
    var information = SymmetricMatrix3()
    var curvature = SymmetricMatrix3()

    /// Removes the known coordinates, of which `free` precede.
    mutating func leaveOutCoordinates(from free: Int) {
      descent.z = 0
      information.leaveOutCoordinates(from: free)
      curvature.leaveOutCoordinates(from: free)
      if free < 2 { descent.y = 0 }
      if free < 1 { descent.x = 0 }
    }
  }

  /// Returns the sums at a position; `isBent`, a constant, selects the curvature.
  @inline(__always)
  func sums<Loss: LossKernel>(at here: SIMD3<Double>, _ loss: Loss, isBent: Bool) -> Sums {
    var (cost, growth) = (Pair.zero, LogarithmOfProduct())
    var (gx, gy, gz, bend) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    var (information, curvature) = (SymmetricMatrixPair(), SymmetricMatrixPair())
    var result = Sums()
    pairs.withUnsafeBufferPointer { pairs in
      for start in stride(from: 0, to: pairs.count, by: Self.length) {
        let precision = pairs[start + 4]
        let (x, y, z) = (
          here.x - pairs[start], here.y - pairs[start + 1], here.z - pairs[start + 2]
        )
        let square = x * x + y * y + z * z
        let distance = square.squareRoot()
        let scaled = (pairs[start + 3] - distance) * precision
        let terms = loss.terms(of: scaled)
        cost += terms.cost
        growth.multiply(by: terms.growth)
        // At an anchor the direction is undefined, so only the cost of its range counts.
        let inverse = (1 / distance).replacing(with: 0, where: square .== 0)
        let (ux, uy, uz) = (x * inverse, y * inverse, z * inverse)
        let pull = terms.weight * scaled * precision
        let sharp = precision * precision
        gx += pull * ux
        gy += pull * uy
        gz += pull * uz
        information.add(ux, uy, uz, weight: terms.weight * sharp)
        if isBent {
          let turn = pull * inverse
          bend += turn
          curvature.add(ux, uy, uz, weight: terms.curvature * sharp + turn)
        }
      }
    }
    (result.cost, result.logarithm) = (cost.both, growth.total)
    result.descent = SIMD3(gx.both, gy.both, gz.both)
    result.information = information.total
    result.curvature = curvature.total
    let shift = bend.both
    result.curvature.xx -= shift
    result.curvature.yy -= shift
    result.curvature.zz -= shift
    return result
  }
}

/// The logarithm of a product of factors of at least 1, with as few logarithms as do not overflow.
private struct LogarithmOfProduct {
  private var product = RangePairs.Pair(repeating: 1)
  private var logarithm = 0.0

  /// The product from which its logarithm is taken: another factor may be as large.
  private static var most: Double { 1e120 }

  @inline(__always)
  mutating func multiply(by factors: RangePairs.Pair) {
    product *= factors
    if product[0] * product[1] > Self.most {
      logarithm += .log(product[0]) + .log(product[1])
      product = RangePairs.Pair(repeating: 1)
    }
  }

  @inline(__always) var total: Double {
    let both = product[0] * product[1]
    return both > 1 ? logarithm + .log(both) : logarithm
  }
}
