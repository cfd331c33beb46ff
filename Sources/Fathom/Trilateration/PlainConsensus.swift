/// The search of ``RangeProblem/consensusPosition()`` over a plain epoch, at a fraction of the cost.
///
/// Both positions that a smallest set determines are lanes of a vector, so that they are judged as
/// one.
///
/// Legend: a the first anchor of a set, u and v the offsets of the others from it, n = u × v; the
/// positions are a + α u + β v ± h n.
struct PlainConsensus<Loss: PlainLoss> {
  typealias Pair = PlainEpoch.Pair

  private let epoch: PlainEpoch
  private let loss: Loss
  /// The two likeliest positions and their costs, see ``PlainLoss``; infinite where there is none.
  private(set) var best = (position: SIMD3<Double>.zero, score: Double.infinity)
  private(set) var second = (position: SIMD3<Double>.zero, score: Double.infinity)

  /// How many sets are tried at most: of an epoch with more the full search takes a sample.
  static var mostSets: Int { 120 }

  /// What more than this costs is not worth a look.
  private var ceiling: Double

  /// Judges the positions of all smallest sets, of which those count that cost less than `ceiling`;
  /// nil where there are more than ``mostSets``.
  init?(_ epoch: PlainEpoch, _ loss: Loss, below ceiling: Double = .infinity) {
    self.epoch = epoch
    self.loss = loss
    self.ceiling = ceiling
    let count = epoch.count
    let pairs = count * (count - 1) / 2
    guard (epoch.free == 3 ? pairs * (count - 2) / 3 : pairs) <= Self.mostSets else { return nil }
    for one in 0..<count {
      for two in one + 1..<max(one + 1, count) {
        guard epoch.free == 3 else {
          judgeCircles(one, two)
          continue
        }
        for three in two + 1..<max(two + 1, count) { judgeSpheres(one, two, three) }
      }
    }
  }

  /// Where three spheres meet.
  private mutating func judgeSpheres(_ one: Int, _ two: Int, _ three: Int) {
    let first = epoch.anchor(one)
    let (u, v) = (epoch.anchor(two) - first, epoch.anchor(three) - first)
    let (uu, uv, vv) = (
      SecularPolynomial.dot(u, u), SecularPolynomial.dot(u, v), SecularPolynomial.dot(v, v)
    )
    let n = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    let normal = SecularPolynomial.dot(n, n)
    // Anchors on a line leave a circle.
    guard normal > 1e-12 * uu * vv else { return }
    let square = epoch.squaredRange(one)
    let b = 0.5 * (square - epoch.squaredRange(two) + uu)
    let c = 0.5 * (square - epoch.squaredRange(three) + vv)
    let inverse = 1 / normal
    let alpha = (b * vv - c * uv) * inverse
    let beta = (c * uu - b * uv) * inverse
    // Spheres that miss each other come closest in the plane of the anchors, or nearly so.
    let height = (max(0, square - alpha * b - beta * c) * inverse).squareRoot()
    let lift = Pair(height, -height)
    let foot = first + alpha * u + beta * v
    judge(foot.x + lift * n.x, foot.y + lift * n.y, foot.z + lift * n.z)
  }

  /// Where two circles at the given height meet.
  private mutating func judgeCircles(_ one: Int, _ two: Int) {
    let (first, other) = (epoch.anchor(one), epoch.anchor(two))
    let (ux, uy) = (other.x - first.x, other.y - first.y)
    let uu = ux * ux + uy * uy
    let (up, otherUp) = (epoch.given - first.z, epoch.given - other.z)
    guard uu > 1e-12 * epoch.spread * epoch.spread else { return }
    let square = epoch.squaredRange(one) - up * up
    let otherSquare = epoch.squaredRange(two) - otherUp * otherUp
    let b = 0.5 * (square - otherSquare + uu)
    let alpha = b / uu
    let height = (max(0, square - alpha * b) / uu).squareRoot()
    let lift = Pair(height, -height)
    judge(
      first.x + alpha * ux - lift * uy, first.y + alpha * uy + lift * ux,
      Pair(repeating: epoch.given))
  }

  /// Takes in two positions.
  @inline(__always)
  private mutating func judge(_ x: Pair, _ y: Pair, _ z: Pair) {
    var score = Pair(repeating: Loss.costOfNothing)
    for index in 0..<epoch.count {
      let anchor = epoch.anchor(index)
      let (dx, dy, dz) = (x - anchor.x, y - anchor.y, z - anchor.z)
      let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
      let residual = epoch.value(PlainEpoch.range, of: index) - distance
      loss.add(
        epoch.value(PlainEpoch.sharpness, of: index) * (residual * residual), to: &score)
      if all(score .>= ceiling) { return }
    }
    for lane in 0..<2 where score[lane] < ceiling {
      let found = (position: SIMD3(x[lane], y[lane], z[lane]), score: score[lane])
      if found.score < best.score {
        (best, second) = (found, best)
      } else {
        second = found
      }
      ceiling = min(ceiling, second.score)
    }
  }
}

extension PlainEpoch {
  /// The anchor of a range.
  @inline(__always)
  fileprivate func anchor(_ range: Int) -> SIMD3<Double> {
    SIMD3(
      value(Self.anchor, of: range), value(Self.anchor + 1, of: range),
      value(Self.anchor + 2, of: range))
  }

  /// The square of a range.
  @inline(__always)
  fileprivate func squaredRange(_ range: Int) -> Double {
    let distance = value(Self.range, of: range)
    return distance * distance
  }
}
