/// An epoch without anything unusual, laid out for the kernels that solve it.
///
/// Plain is an epoch whose anchors clearly span the space, in two or three unknown coordinates,
/// without a prior, whose numbers are of sizes that neither squares nor their products overflow.
/// Nearly all epochs are. ``RangeProblem`` solves every epoch, this does so at a fraction of the
/// cost: plain numbers on the stack, two ranges side by side, so that the kernels work on both as
/// vectors of two numbers, which every processor has.
///
/// Everything is relative to the mean of the anchors, metres.
struct PlainEpoch {
  /// Two numbers, of two ranges.
  typealias Pair = SIMD2<Double>

  /// Per two ranges a block of ``blockLength`` pairs; what they are is said by the places below.
  ///
  /// An odd range has a partner of sharpness zero.
  let pairs: UnsafeMutablePointer<Pair>
  /// Number of ranges.
  private(set) var count = 0
  /// Number of unknown coordinates, 2 or 3.
  let free: Int
  /// The mean of the anchors.
  private(set) var centre = SIMD3<Double>.zero
  /// The third coordinate where it is given, else zero.
  private(set) var given = 0.0
  /// Root mean square distance of the anchors from their centre.
  private(set) var spread = 0.0
  /// The larger of ``spread`` and the longest range: for tolerances.
  private(set) var scale = 0.0
  /// The mean of the ranges.
  private(set) var meanRange = 0.0
  /// The least range in its own standard deviations.
  private(set) var leastRatio = Double.infinity

  /// The length of a block.
  static var blockLength: Int { 8 }
  /// The most ranges of an epoch: 8 kB of the stack.
  static var mostRanges: Int { 128 }
  /// Where the coordinates of the anchors stand in a block; the third is one of them whatever the
  /// number of unknowns.
  static var anchor: Int { 0 }
  /// Where the ranges stand.
  static var range: Int { 3 }
  /// Where the inverses of the variances stand.
  static var sharpness: Int { 4 }
  /// Where the indices of the ranges in the input stand, as ``indices(_:)`` reads them.
  static var index: Int { 5 }
  /// Where the residuals are put.
  static var residual: Int { 6 }
  /// Where the weights are put.
  static var weight: Int { 7 }

  /// The number of blocks.
  @inline(__always) var blocks: Int { (count + 1) / 2 }

  /// How many pairs of numbers as many ranges need.
  static func room(for count: Int) -> Int { max(1, (count + 1) / 2) * blockLength }

  /// The indices in the input of the ranges of a block; the second is negative where there is none.
  @inline(__always)
  func indices(_ block: UnsafeMutablePointer<Pair>) -> (first: Int, second: Int) {
    let index = block[Self.index]
    return (
      Int(truncatingIfNeeded: index[0].bitPattern), Int(truncatingIfNeeded: index[1].bitPattern)
    )
  }

  /// A number of one range.
  @inline(__always)
  func value(_ place: Int, of range: Int) -> Double {
    scalars(of: range)[2 * place]
  }

  /// The numbers of one range, two apart.
  @inline(__always)
  private func scalars(of range: Int) -> UnsafeMutablePointer<Double> {
    let block = pairs + (range >> 1) * Self.blockLength
    // A vector is its numbers, side by side.
    return UnsafeMutableRawPointer(block).assumingMemoryBound(to: Double.self) + (range & 1)
  }

  /// Lays out the ranges that are distances; nil where the epoch is not plain, or the input not
  /// valid.
  ///
  /// A range of zero is no plain one: whether it is a distance is for ``MeasuredDistance`` to say.
  ///
  /// `pairs` is ``room(for:)`` the ranges, and `absent` becomes the number of ranges that are no
  /// distances.
  init?<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ options: Trilateration.Options, pairs: UnsafeMutablePointer<Pair>, absent: inout Int
  ) {
    let height = D == 3 ? options.height : nil
    self.pairs = pairs
    free = height == nil ? D : 2
    guard anchors.count == ranges.count, (sigmas?.count ?? ranges.count) == ranges.count else {
      return nil
    }
    let usual = 1 / options.rangeSigma
    // A constant here: reading the static one takes a look whether it has been set.
    let sentinel = Double(Float.greatestFiniteMagnitude)
    var first = Vector<D>.zero
    // NaN where a number is not finite: zero times infinity is NaN.
    var poison = 0.0
    for index in 0..<ranges.count {
      let range = ranges[index]
      let anchor = anchors[index]
      let precision = sigmas.map { 1 / $0[index] } ?? usual
      // Also where there is no range: the input is then not valid.
      poison += 0 * anchor[0] + 0 * anchor[1] + 0 * anchor[D - 1]
      guard precision > 0 else { return nil }
      guard range > 0, range < sentinel else {
        if range == 0, options.zeroIsDistance { return nil }
        absent += 1
        continue
      }
      if count == 0 { first = anchor }
      let row = scalars(of: count)
      row[0] = anchor[0] - first[0]
      row[2] = anchor[1] - first[1]
      row[4] = D == 3 ? anchor[D - 1] - first[D - 1] : 0
      row[2 * Self.range] = range
      row[2 * Self.sharpness] = precision * precision
      row[2 * Self.index] = Double(bitPattern: UInt64(truncatingIfNeeded: index))
      count &+= 1
    }
    guard poison == 0, count > free else { return nil }
    let isOdd = count & 1 == 1
    // The partner of an odd range: its anchor the first one, which is the origin.
    if isOdd {
      let (row, other) = (scalars(of: count), scalars(of: 0))
      (row[0], row[2], row[4]) = (0, 0, 0)
      row[2 * Self.range] = other[2 * Self.range]
      row[2 * Self.sharpness] = other[2 * Self.sharpness]
      row[2 * Self.index] = Double(bitPattern: .max)
    }
    let sizes = PlainSizes(of: pairs, blocks: blocks)
    guard sizes.arePlain else { return nil }
    var total = sizes.total
    if isOdd {
      total -= scalars(of: 0)[2 * Self.range]
      scalars(of: count)[2 * Self.sharpness] = 0
    }
    let share = 1 / Double(count)
    meanRange = share * total
    leastRatio = sizes.leastSquare.squareRoot()
    let mean = share * sizes.sum
    centre = SIMD3(first[0], first[1], D == 3 ? first[D - 1] : 0) + mean
    if let height { given = height - centre.z }
    let scatter = centreAnchors(on: mean)
    let planar = scatter.xx * scatter.yy - scatter.xy * scatter.xy
    let trace = free == 3 ? scatter.xx + scatter.yy + scatter.zz : scatter.xx + scatter.yy
    spread = (trace / Double(count)).squareRoot()
    scale = max(spread, sizes.longest)
    // The determinant against what it would be of anchors spread evenly: beyond, AnchorFlat
    // decides.
    if free == 3 {
      guard scatter.determinant > 1e-9 * trace * trace * trace else { return nil }
    } else {
      guard planar > 1e-6 * trace * trace else { return nil }
    }
    let offCentre = centre.x.magnitude + centre.y.magnitude + centre.z.magnitude
    guard spread > 1e-6 * sizes.longest, scale > 1e-6, scale < 1e9, offCentre < 1e8 * spread,
      given.magnitude <= 1e3 * scale
    else { return nil }
  }

  /// Makes the anchors relative to `mean`; returns their scatter.
  private func centreAnchors(on mean: SIMD3<Double>) -> SymmetricMatrix3 {
    var sum = PairMatrix()
    var block = pairs
    for _ in 0..<blocks {
      let (x, y, z) = (block[0] - mean.x, block[1] - mean.y, block[2] - mean.z)
      (block[0], block[1], block[2]) = (x, y, z)
      sum.add(x, y, z, weight: Pair(repeating: 1))
      block += Self.blockLength
    }
    return sum.total
  }
}

/// How large the numbers of an epoch are.
private struct PlainSizes {
  typealias Pair = PlainEpoch.Pair
  /// The sum of the anchors.
  let sum: SIMD3<Double>
  /// The sum of the ranges, the shortest, and the longest.
  let total, shortest, longest: Double
  /// The least and greatest inverse variance.
  let coarsest, sharpest: Double
  /// The square of the least range in its own standard deviations.
  let leastSquare: Double

  init(of pairs: UnsafeMutablePointer<Pair>, blocks: Int) {
    var (x, y, z, total) = (Pair.zero, Pair.zero, Pair.zero, Pair.zero)
    var shortest = pairs[PlainEpoch.range]
    var (longest, coarsest) = (shortest, pairs[PlainEpoch.sharpness])
    var (sharpest, least) = (coarsest, Pair(repeating: .infinity))
    var block = pairs
    for _ in 0..<blocks {
      let (range, sharpness) = (block[PlainEpoch.range], block[PlainEpoch.sharpness])
      x += block[0]
      y += block[1]
      z += block[2]
      total += range
      shortest.replace(with: range, where: range .< shortest)
      longest.replace(with: range, where: range .> longest)
      coarsest.replace(with: sharpness, where: sharpness .< coarsest)
      sharpest.replace(with: sharpness, where: sharpness .> sharpest)
      let square = range * range * sharpness
      least.replace(with: square, where: square .< least)
      block += PlainEpoch.blockLength
    }
    sum = SIMD3(x.both, y.both, z.both)
    self.total = total.both
    self.shortest = min(shortest[0], shortest[1])
    self.longest = max(longest[0], longest[1])
    self.coarsest = min(coarsest[0], coarsest[1])
    self.sharpest = max(sharpest[0], sharpest[1])
    leastSquare = min(least[0], least[1])
  }

  /// Whether they are so alike that no square is lost beside another.
  var arePlain: Bool {
    shortest > 1e-3 * longest && coarsest > 1e-12 * sharpest && coarsest > 1e-18
      && sharpest < 1e18
  }
}
