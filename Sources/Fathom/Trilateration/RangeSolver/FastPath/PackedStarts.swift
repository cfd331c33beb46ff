/// Starting points of a packed epoch: the global and the other local minimum of the squared ranges,
/// Σ wᵢ (|p - aᵢ|² - dᵢ²)².
///
/// They are accurate to a few digits and computed without heap allocation. The type holds forty
/// numbers and is never copied.
struct PackedStarts: ~Copyable {
  /// The global minimum; nil if the iteration fails or the anchors hardly span the space.
  let global: SIMD3<Double>?
  private let secular: SecularPolynomial
  /// The weighted mean of the anchors, in the best-fitting plane (line) through them.
  private let centre: SIMD3<Double>
  /// The inverse of the square root of the sum of the weights.
  private let rootOfShare: Double

  /// Solves the squared ranges in one pass over them.
  ///
  /// Legend: w the weights, h = |a|² - d², c the weighted mean of the anchors a. Moments about c
  /// are those about the origin minus those of c.
  @inline(__always)
  init(of epoch: PackedEpoch) {
    typealias Pair = PackedEpoch.Pair
    // As in SquaredRanges: ranges near zero would get all the weight.
    let smallest = Pair(repeating: max(0.1 * epoch.meanRange, 1e-3 * epoch.spread))
    let given = epoch.given
    var (sum, mx, my, mz) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    var (mean, gx, gy, gz) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    var products = SymmetricMatrixPair()
    var block = epoch.pairs
    for _ in 0..<epoch.blocks {
      let (x, y, z) = (block[0], block[1], block[2] - given)
      let range = block[PackedEpoch.range]
      let longer = smallest.replacing(with: range, where: range .> smallest)
      let weight = block[PackedEpoch.inverseVariance] / (longer * longer)
      let side = weight * (x * x + y * y + z * z - range * range)
      sum += weight
      mx += weight * x
      my += weight * y
      mz += weight * z
      mean += side
      gx += side * x
      gy += side * y
      gz += side * z
      products.add(x, y, z, weight: weight)
      block += PackedEpoch.blockLength
    }
    let share = 1 / sum.both
    rootOfShare = share.squareRoot()
    let isSpace = epoch.free == 3
    let (x, y, z) = (share * mx.both, share * my.both, isSpace ? share * mz.both : 0)
    centre = SIMD3(x, y, isSpace ? z : given)
    // Twice the scatter matrix. A known coordinate becomes a separate axis, as wide as the others
    // together.
    var double = (2 * share) * products.total
    double.xx -= 2 * x * x
    double.xy -= 2 * x * y
    double.yy -= 2 * y * y
    double.xz -= 2 * x * z
    double.yz -= 2 * y * z
    double.zz -= 2 * z * z
    // Whether the anchors clearly span the space; otherwise AnchorSpan decides.
    let trace = double.xx + double.yy + (isSpace ? double.zz : 0)
    let isWide =
      isSpace
      ? double.determinant > 1e-9 * trace * trace * trace
      : double.xx * double.yy - double.xy * double.xy > 1e-6 * trace * trace
    if !isSpace { (double.xz, double.yz, double.zz) = (0, 0, trace) }
    let middle = share * mean.both
    let forcing = SIMD3(
      share * gx.both - x * middle - (double.xx * x + double.xy * y + double.xz * z),
      share * gy.both - y * middle - (double.xy * x + double.yy * y + double.yz * z),
      share * gz.both - z * middle - (double.xz * x + double.yz * y + double.zz * z))
    secular = SecularPolynomial(
      double, forcing: isSpace ? forcing : SIMD3(forcing.x, forcing.y, 0),
      offset: middle - (x * x + y * y + z * z))
    if isWide, let root = secular.globalRoot() {
      global = centre + secular.position(root)
    } else {
      global = nil
    }
  }

  /// The other local minimum.
  enum Other {
    /// There is no other minimum, or none of comparable likelihood.
    case none
    /// The position of the minimum.
    case position(SIMD3<Double>)
    /// Undecided at the precision of the polynomials.
    case unclear
  }

  /// Whether a simple criterion excludes another local minimum, as in nearly all epochs: |x|² would
  /// be negative at all μ left of the pole.
  @inline(__always) var isAlone: Bool { secular.isRightOfPole(secular.offset) }

  /// Returns the other local minimum, if the squared ranges can cost less than the square of `root`
  /// there.
  ///
  /// At every local minimum except the global one, μ, the weighted mean of |p - aᵢ|² - dᵢ², lies
  /// left of the pole. The cost there is at least W μ², where W is the sum of the weights. If that
  /// exceeds the square of `root`, all positions of lower cost lie in one basin around the global
  /// minimum.
  @inline(__always)
  func other(belowSquareOf root: Double) -> Other {
    secular.isRightOfPole(-root * rootOfShare) ? .none : otherLeftOfPole()
  }

  /// Returns the other local minimum for any cost.
  @inline(never)
  private func otherLeftOfPole() -> Other {
    guard let pole = secular.pole() else { return .unclear }
    switch secular.otherRoot(pole: pole) {
    case .none: return .none
    case .root(let mu): return .position(centre + secular.position(mu))
    case .unclear: return .unclear
    }
  }
}
