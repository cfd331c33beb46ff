/// The search of ``RangeProblem/consensusPosition()`` over a plain epoch, at a fraction of the cost.
///
/// Both positions that a smallest set determines are lanes of a vector, so that they are judged as
/// one.
///
/// Legend: a the first anchor of a set, u and v the offsets of the others from it, n = u × v; the
/// positions are a + α u + β v ± h n.
struct PlainConsensus {
  typealias Pair = StartPair.Pair

  private let epoch: PlainEpoch
  /// 1/k² of Cauchy's loss.
  private let inverseSquare: Double
  /// The two likeliest positions and their costs, see ``StartPair/Loss``; infinite where there is
  /// none.
  private(set) var best = (position: SIMD3<Double>.zero, score: Double.infinity)
  private(set) var second = (position: SIMD3<Double>.zero, score: Double.infinity)

  /// How many sets are tried at most: of an epoch with more the full search takes a sample.
  static var mostSets: Int { 120 }

  /// Judges the positions of all smallest sets; nil where there are more than ``mostSets``.
  init?(_ epoch: PlainEpoch, inverseSquare: Double) {
    self.epoch = epoch
    self.inverseSquare = inverseSquare
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
    let (first, other, last) = (row(one), row(two), row(three))
    let (ux, uy, uz) = (other[0] - first[0], other[1] - first[1], other[2] - first[2])
    let (vx, vy, vz) = (last[0] - first[0], last[1] - first[1], last[2] - first[2])
    let uu = ux * ux + uy * uy + uz * uz
    let vv = vx * vx + vy * vy + vz * vz
    let uv = ux * vx + uy * vy + uz * vz
    let (nx, ny, nz) = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
    let normal = nx * nx + ny * ny + nz * nz
    // Anchors on a line leave a circle.
    guard normal > 1e-12 * uu * vv else { return }
    let square = first[PlainEpoch.range] * first[PlainEpoch.range]
    let b = 0.5 * (square - other[PlainEpoch.range] * other[PlainEpoch.range] + uu)
    let c = 0.5 * (square - last[PlainEpoch.range] * last[PlainEpoch.range] + vv)
    let inverse = 1 / normal
    let alpha = (b * vv - c * uv) * inverse
    let beta = (c * uu - b * uv) * inverse
    // Spheres that miss each other come closest in the plane of the anchors, or nearly so.
    let height = (max(0, square - alpha * b - beta * c) * inverse).squareRoot()
    let lift = Pair(height, -height)
    judge(
      first[0] + alpha * ux + beta * vx + lift * nx, first[1] + alpha * uy + beta * vy + lift * ny,
      first[2] + alpha * uz + beta * vz + lift * nz)
  }

  /// Where two circles at the given height meet.
  private mutating func judgeCircles(_ one: Int, _ two: Int) {
    let (first, other) = (row(one), row(two))
    let (ux, uy) = (other[0] - first[0], other[1] - first[1])
    let uu = ux * ux + uy * uy
    let (up, otherUp) = (epoch.given - first[2], epoch.given - other[2])
    guard uu > 1e-12 * epoch.spread * epoch.spread else { return }
    let square = first[PlainEpoch.range] * first[PlainEpoch.range] - up * up
    let otherSquare = other[PlainEpoch.range] * other[PlainEpoch.range] - otherUp * otherUp
    let b = 0.5 * (square - otherSquare + uu)
    let alpha = b / uu
    let height = (max(0, square - alpha * b) / uu).squareRoot()
    let lift = Pair(height, -height)
    judge(
      first[0] + alpha * ux - lift * uy, first[1] + alpha * uy + lift * ux,
      Pair(repeating: epoch.given))
  }

  @inline(__always) private func row(_ index: Int) -> UnsafeMutablePointer<Double> {
    epoch.rows + index * PlainEpoch.rowLength
  }

  /// Takes in two positions.
  @inline(__always)
  private mutating func judge(_ x: Pair, _ y: Pair, _ z: Pair) {
    var score = Pair(repeating: 1)
    var row = epoch.rows
    for _ in 0..<epoch.count {
      let (dx, dy, dz) = (x - row[0], y - row[1], z - row[2])
      let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
      let residual = row[PlainEpoch.range] - distance
      score *= 1 + inverseSquare * row[PlainEpoch.sharpness] * (residual * residual)
      if all(score .>= second.score) { return }
      row += PlainEpoch.rowLength
    }
    for lane in 0..<2 where score[lane] < second.score {
      let found = (position: SIMD3(x[lane], y[lane], z[lane]), score: score[lane])
      if found.score < best.score {
        (best, second) = (found, best)
      } else {
        second = found
      }
    }
  }
}
