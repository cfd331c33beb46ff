/// The minima of a squared-range problem, relative to the centre of the anchors.
struct SquaredRangeMinima<let D: Int>: Sendable {
  /// A global minimum.
  var global: Vector<D>
  /// The other local minimum, or nil if there is only one.
  ///
  /// It is as low as the global minimum if the anchors do not span the space.
  var other: Vector<D>?
  /// Whether both are mirror images of each other, equally low.
  var isPair = false
}

extension SquaredRanges {
  /// Computes both minima by Newton's method on the secular equation.
  ///
  /// With λ = |x|² the stationary points are the roots of φ(λ) = λ - Σ g_k²/(λ - D_k)². The largest
  /// root, right of all poles D_k, is the global minimum [Larsson et al. 2025]. The only other
  /// possible minimum is the larger root between the two largest poles [Martínez 1994]. If g has no
  /// component along the axis of least spread, the pole itself is the root, and the minima are a
  /// pair of mirror images. Newton's method is applied to 1/|x| - 1/√λ, which is nearly linear in λ
  /// [Moré & Sorensen 1983]; for exact ranges it starts at the root. No heap allocation.
  func minima() -> SquaredRangeMinima<D> {
    let top = free - 1
    // The part of λ at the pole that remains for the squared coordinate along the axis of least
    // spread.
    let rest = pole - norms(shift: 0, leavingOutTop: true).square
    let isHard = rest > 0 && forcing[top].magnitude <= 1e-13 * rest.squareRoot()
    if isHard {
      let height = rest.squareRoot()
      return SquaredRangeMinima(
        global: position(shift: 0, top: height), other: position(shift: 0, top: -height),
        isPair: true)
    }
    return SquaredRangeMinima(
      global: position(shift: largestRoot(), top: nil),
      other: secondRoot().map { position(shift: $0, top: nil) })
  }

  /// Returns Σ g²/(λ - D)² and Σ g²/(λ - D)³ at λ = ``pole`` + `shift`.
  @inline(__always)
  private func norms(
    shift: Double, leavingOutTop: Bool = false
  ) -> (square: Double, cube: Double) {
    var square = 0.0
    var cube = 0.0
    let least = spreads[free - 1]
    for axis in 0..<(leavingOutTop ? free - 1 : free) where forcing[axis] != 0 {
      let inverse = 1 / (2 * (spreads[axis] - least) + shift)
      let ratio = forcing[axis] * inverse
      square += ratio * ratio
      cube += ratio * ratio * inverse
    }
    return (square, cube)
  }

  /// Returns the root of the secular equation right of the pole, as a distance from it.
  private func largestRoot() -> Double {
    let pole = pole
    var low = max(0, -pole)
    var high = Double.infinity
    let size = forcing.length
    guard size > 0 else { return low }
    // Exact ranges have λ = -c̄: twice the least spread right of the pole.
    var shift = 2 * spreads[free - 1]
    if shift <= low { shift = low + size }
    for _ in 0..<200 {
      let (square, cube) = norms(shift: shift)
      let lambda = pole + shift
      let value = lambda - square
      if value == 0 { break }
      if value > 0 { high = shift } else { low = shift }
      var next = Double.nan
      if lambda > 0, square > 0, square.isFinite {
        let (length, root) = (square.squareRoot(), lambda.squareRoot())
        let difference = 1 / length - 1 / root
        let slope = cube / (square * length) + 0.5 / (lambda * root)
        next = shift - difference / slope
      }
      if !(next > low && next < high) {
        if high.isFinite {
          next = low > 0 ? (low * high).squareRoot() : high / 16
        } else {
          next = 2 * shift + .leastNormalMagnitude
        }
      }
      let change = (next - shift).magnitude
      shift = next
      if change <= 1e-13 * shift { break }
    }
    return shift
  }

  /// Returns the larger root between the two largest poles, as a (negative) distance from the
  /// larger pole, or nil if no such root exists.
  private func secondRoot() -> Double? {
    let pole = pole
    let component = forcing[free - 1].magnitude
    guard pole > 0, component > 0 else { return nil }
    let floor = free > 1 ? -2 * (spreads[free - 2] - spreads[free - 1]) : -pole
    // Left of this point the equation is concave and increases to its root from below.
    var shift = -component / pole.squareRoot()
    for _ in 0..<100 {
      guard shift > max(floor, -pole) else { return nil }
      let (square, cube) = norms(shift: shift)
      let value = pole + shift - square
      let slope = 1 + 2 * cube
      if value >= 0 { return shift }
      guard slope < 0 else { return nil }
      let change = value / slope
      shift -= change
      if change <= 1e-13 * shift.magnitude { return shift > floor ? shift : nil }
    }
    return nil
  }
}
