/// How many and how large the numbers of an epoch are.
struct PlainSizes {
  typealias Pair = PlainEpoch.Pair
  /// Number of ranges.
  private(set) var count = 0
  /// The sums of the ranges, the shortest, and the longest.
  private(set) var total = Pair.zero
  private var shortest = Pair(repeating: .infinity)
  private(set) var longest = Pair.zero
  /// The least and greatest inverse variances.
  private var coarsest = Pair(repeating: .infinity)
  private var sharpest = Pair.zero
  /// The squares of the least ranges in their own standard deviations.
  private(set) var leastSquare = Pair(repeating: .infinity)
  /// The sums of the anchors, and of their products.
  private var (x, y, z) = (Pair.zero, Pair.zero, Pair.zero)
  private var products = PairMatrix()

  /// Takes in two ranges.
  @inline(__always)
  mutating func add(_ block: UnsafeMutablePointer<Pair>) {
    let (range, sharpness) = (block[PlainEpoch.range], block[PlainEpoch.sharpness])
    let square = range * range * sharpness
    count &+= 2
    total += range
    shortest.replace(with: range, where: range .< shortest)
    longest.replace(with: range, where: range .> longest)
    coarsest.replace(with: sharpness, where: sharpness .< coarsest)
    sharpest.replace(with: sharpness, where: sharpness .> sharpest)
    leastSquare.replace(with: square, where: square .< leastSquare)
    x += block[0]
    y += block[1]
    z += block[2]
    products.add(block[0], block[1], block[2], weight: Pair(repeating: 1))
  }

  /// Takes off the partner of an odd range.
  mutating func takeOff(_ range: Double) {
    count &-= 1
    total[1] -= range
  }

  /// The scatter of the anchors around their mean.
  var scatter: SymmetricMatrix3 {
    let share = 1 / Double(count)
    let (x, y, z) = (self.x.both, self.y.both, self.z.both)
    let (mx, my, mz) = (share * x, share * y, share * z)
    var result = products.total
    result.xx -= mx * x
    result.xy -= mx * y
    result.yy -= my * y
    result.xz -= mx * z
    result.yz -= my * z
    result.zz -= mz * z
    return result
  }

  /// Whether they are so alike that no square is lost beside another.
  var arePlain: Bool {
    let longest = max(longest[0], longest[1])
    let coarsest = min(coarsest[0], coarsest[1])
    let sharpest = max(sharpest[0], sharpest[1])
    return min(shortest[0], shortest[1]) > 1e-3 * longest && coarsest > 1e-8 * sharpest
      && coarsest > 1e-18 && sharpest < 1e18
  }
}
