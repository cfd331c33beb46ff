/// The minima of the squared ranges of a plain epoch, Σ wᵢ (|p - aᵢ|² - dᵢ²)², to start from: the
/// global one, and the other local one.
///
/// To a few digits, and without heap allocation.
struct PlainStarts {
  /// The global minimum; nil where it is hard to tell.
  let global: SIMD3<Double>?
  private let secular: SecularPolynomial
  /// The weighted mean of the anchors, in the flattest plane (line) through them.
  private let centre: SIMD3<Double>
  /// The sum of the weights.
  private let weight: Double

  /// Solves the squared ranges.
  init(of epoch: PlainEpoch) {
    typealias Pair = PlainEpoch.Pair
    // As in SquaredRanges: ranges near zero would get all the weight.
    let smallest = Pair(repeating: max(0.1 * epoch.meanRange, 1e-3 * epoch.spread))
    var (sum, mx, my, mz) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    var block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let range = block[PlainEpoch.range]
      let longer = smallest.replacing(with: range, where: range .> smallest)
      let weight = block[PlainEpoch.sharpness] / (longer * longer)
      block[PlainEpoch.weight] = weight
      sum += weight
      mx += weight * block[0]
      my += weight * block[1]
      mz += weight * block[2]
      block += PlainEpoch.blockLength
    }
    weight = sum.both
    let share = 1 / weight
    let isSpace = epoch.free == 3
    let (x, y, z) = (share * mx.both, share * my.both, isSpace ? share * mz.both : epoch.given)
    centre = SIMD3(x, y, z)
    var scatter = PairMatrix()
    var (mean, gx, gy, gz) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (dx, dy, dz) = (block[0] - x, block[1] - y, block[2] - z)
      let range = block[PlainEpoch.range]
      let weight = block[PlainEpoch.weight]
      let side = weight * (dx * dx + dy * dy + dz * dz - range * range)
      mean += side
      gx += side * dx
      gy += side * dy
      gz += side * dz
      scatter.add(dx, dy, dz, weight: weight)
      block += PlainEpoch.blockLength
    }
    // Twice the scatter. A given coordinate becomes one of its own, as wide as the others together.
    var double = (2 * share) * scatter.total
    if !isSpace { (double.xz, double.yz, double.zz) = (0, 0, double.xx + double.yy) }
    secular = SecularPolynomial(
      double, forcing: share * SIMD3(gx.both, gy.both, isSpace ? gz.both : 0),
      offset: share * mean.both)
    let (middle, secular) = (centre, secular)
    global = secular.globalRoot().map { middle + secular.position($0) }
  }

  /// The other local minimum.
  enum Other {
    /// There is none, or none that matters.
    case none
    /// Here.
    case position(SIMD3<Double>)
    /// Not plain to see.
    case unclear
  }

  /// The other local minimum, where the squared ranges can cost less than `ceiling` there.
  ///
  /// At every local minimum but the global one μ, the weighted mean of |p - aᵢ|² - dᵢ², lies left
  /// of the pole, and the cost is at least W μ², W being the sum of the weights. Where that is more
  /// than `ceiling`, all positions that cost less lie in one basin around the global minimum.
  func other(below ceiling: Double) -> Other {
    if secular.isRightOfPole(-(ceiling / weight).squareRoot()) { return .none }
    guard let pole = secular.pole() else { return .unclear }
    switch secular.otherRoot(pole: pole) {
    case .none: return .none
    case .root(let mu): return .position(centre + secular.position(mu))
    case .unclear: return .unclear
    }
  }

  /// Across the flattest plane through the anchors, of any length; nil where that is hard to tell.
  func normal() -> SIMD3<Double>? { secular.pole().map { secular.axis($0) } }

  /// The position whose height over that plane is `side` times that of another: its mirror image,
  /// or its foot.
  func image(
    of position: SIMD3<Double>, across normal: SIMD3<Double>, reaching side: Double = -1
  ) -> SIMD3<Double> {
    let height = SecularPolynomial.dot(position - centre, normal)
    return position + ((side - 1) * height / SecularPolynomial.dot(normal, normal)) * normal
  }
}
