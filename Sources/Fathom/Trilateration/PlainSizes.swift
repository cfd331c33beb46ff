/// How many and how large the numbers of an epoch are.
struct PlainSizes {
  typealias Pair = PlainEpoch.Pair
  /// Number of ranges.
  private(set) var count = 0
  /// The sum of the ranges, the shortest, and the longest.
  private(set) var total = 0.0
  private var shortest = Double.infinity
  private(set) var longest = 0.0
  /// The least and greatest inverse variances.
  private var coarsest = Pair(repeating: .infinity)
  private var sharpest = Pair.zero
  /// The sums of the anchors, and of their squares.
  private var (x, y, z) = (Pair.zero, Pair.zero, Pair.zero)
  private var (planar, vertical) = (Pair.zero, Pair.zero)

  /// Takes in a range.
  @inline(__always)
  mutating func add(_ range: Double) {
    count &+= 1
    total += range
    shortest = range < shortest ? range : shortest
    longest = range > longest ? range : longest
  }

  /// Takes in the anchors and variances of a block; where that is no pair, of the first alone, and
  /// the second gets a sharpness of zero.
  @inline(__always)
  mutating func add(_ block: UnsafeMutablePointer<Pair>, isPair: Bool) {
    let sharpness = block[PlainEpoch.sharpness]
    coarsest.replace(with: sharpness, where: sharpness .< coarsest)
    sharpest.replace(with: sharpness, where: sharpness .> sharpest)
    var (x, y, z) = (block[0], block[1], block[2])
    if !isPair {
      (x[1], y[1], z[1]) = (0, 0, 0)
      block[PlainEpoch.sharpness][1] = 0
    }
    self.x += x
    self.y += y
    self.z += z
    planar += x * x + y * y
    vertical += z * z
  }

  /// The sum of the squares of the distances of the anchors from their mean, in the plane or in
  /// space, where `share` is the inverse of their number.
  @inline(__always)
  func scatter(share: Double, isSpace: Bool) -> Double {
    let (x, y, z) = (self.x.both, self.y.both, self.z.both)
    let level = planar.both - share * (x * x + y * y)
    return isSpace ? level + (vertical.both - share * z * z) : level
  }

  /// What no range is less than in its own standard deviations.
  @inline(__always) var leastRatio: Double {
    shortest * min(coarsest[0], coarsest[1]).squareRoot()
  }

  /// Whether they are so alike that no square is lost beside another.
  @inline(__always) var arePlain: Bool {
    let coarsest = min(coarsest[0], coarsest[1])
    let sharpest = max(sharpest[0], sharpest[1])
    return shortest > 1e-3 * longest && coarsest > 1e-8 * sharpest && coarsest > 1e-18
      && sharpest < 1e18
  }
}
