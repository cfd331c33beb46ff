/// An epoch without anything unusual, laid out for the kernels that solve it.
///
/// Small and unambiguous is an epoch in two or three unknown coordinates, without a prior, whose
/// numbers are of sizes that neither squares nor their products overflow. Nearly all epochs are.
/// ``RangeProblem`` solves every epoch, this does so at a fraction of the cost: plain numbers on
/// the stack, two ranges side by side, so that the kernels work on both as vectors of two numbers,
/// which every processor has.
///
/// Everything is relative to the first of its anchors, metres.
struct PackedEpoch {
  /// Two numbers, of two ranges.
  typealias Pair = SIMD2<Double>

  /// Per two ranges a block of ``blockLength`` pairs; what they are is said by the places below.
  ///
  /// An odd range has a partner of inverse variance zero.
  let pairs: UnsafeMutablePointer<Pair>
  /// Number of ranges.
  let count: Int
  /// Number of unknown coordinates, 2 or 3.
  let free: Int
  /// The first of the anchors.
  let origin: SIMD3<Double>
  /// The third coordinate where it is given, else zero.
  let given: Double
  /// Root mean square distance of the anchors from their centre.
  let spread: Double
  /// The larger of ``spread`` and the longest range: for tolerances.
  let scale: Double
  /// The mean of the ranges.
  let meanRange: Double
  /// What no range is less than in its own standard deviations.
  let leastRatio: Double

  /// The length of a block.
  static var blockLength: Int { 12 }
  /// The most ranges of an epoch: 12 kB of the stack.
  static var mostRanges: Int { 128 }
  /// Where the coordinates of the anchors stand in a block; the third is one of them whatever the
  /// number of unknowns.
  static var anchor: Int { 0 }
  /// Where the ranges stand.
  static var range: Int { 3 }
  /// Where the inverses of the variances stand.
  static var inverseVariance: Int { 4 }
  /// Where the indices of the ranges in the input stand, as ``indices(_:)`` reads them.
  static var index: Int { 5 }
  /// Where the residuals are put.
  static var residual: Int { 6 }
  /// Where the weights are put.
  static var weight: Int { 7 }
  /// Where the information along the line to the anchor is put, over the square of its length.
  static var information: Int { 8 }
  /// Where ``PackedExpansion`` puts what it weighs the gradient and the matrix with.
  static var pull: Int { 9 }
  /// See ``pull``.
  static var stiffness: Int { 10 }
  /// The same without second derivatives.
  static var push: Int { 11 }

  /// The number of blocks.
  @inline(__always) var blocks: Int { (count &+ 1) &>> 1 }

  /// How many pairs of numbers as many ranges need.
  static func capacity(for count: Int) -> Int { max(1, (count + 1) / 2) * blockLength }

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
    // A vector is its numbers, side by side.
    let numbers = UnsafeMutableRawPointer(pairs).assumingMemoryBound(to: Double.self)
    return numbers[2 &* ((range &>> 1) &* Self.blockLength &+ place) &+ (range & 1)]
  }

  /// Lays out the ranges that are distances; nil where the fast path does not apply, or the input
  /// is not valid.
  ///
  /// A range of zero is left to the full solver: whether it is a distance is for
  /// ``MeasuredDistance`` to say.
  ///
  /// `pairs` is ``capacity(for:)`` the ranges, and `absent` becomes the number of ranges that are
  /// no distances.
  @inline(__always)
  static func laidOut<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ options: PositionOptions, pairs: UnsafeMutablePointer<Pair>, absent: inout Int
  ) -> Self? {
    guard anchors.count == ranges.count, (sigmas?.count ?? ranges.count) == ranges.count else {
      return nil
    }
    let usual = 1 / options.rangeSigma
    guard usual > 0 else { return nil }
    var sizes = EpochMagnitudes()
    for index in 0..<ranges.count {
      let range = ranges[index]
      if let sigmas, !(1 / sigmas[index] > 0) { return nil }
      guard isDistance(range) else {
        // An anchor that is not finite makes the input invalid also where there is no range; where
        // there is one the scatter is not finite then.
        guard anchors[index].isFinite, range != 0 || !options.zeroIsDistance else { return nil }
        continue
      }
      sizes.add(range)
    }
    absent = ranges.count - sizes.count
    var first = Vector<D>.zero
    var block = pairs
    var index = 0
    /// The index of the next range that is a distance, where one is left.
    func next() -> Int {
      while !isDistance(ranges[index]) { index &+= 1 }
      defer { index &+= 1 }
      return index
    }
    var left = sizes.count
    while left > 0 {
      let one = next()
      if left == sizes.count { first = anchors[one] }
      // The partner of an odd range: itself, of inverse variance zero.
      let isPair = left > 1
      let two = isPair ? next() : one
      let (offset, other) = (anchors[one] - first, anchors[two] - first)
      block[0] = Pair(offset[0], other[0])
      block[1] = Pair(offset[1], other[1])
      block[2] = D == 3 ? Pair(offset[D - 1], other[D - 1]) : .zero
      block[Self.range] = Pair(ranges[one], ranges[two])
      var precision = Pair(repeating: usual)
      if let sigmas { precision = 1 / Pair(sigmas[one], sigmas[two]) }
      block[Self.inverseVariance] = precision * precision
      block[Self.index] = Pair(
        Double(bitPattern: UInt64(truncatingIfNeeded: one)),
        Double(bitPattern: isPair ? UInt64(truncatingIfNeeded: two) : .max))
      sizes.add(block, isPair: isPair)
      block += Self.blockLength
      left &-= 2
    }
    let origin = SIMD3(first[0], first[1], D == 3 ? first[D - 1] : 0)
    let height = D == 3 ? options.height : nil
    return Self(
      pairs, sizes, free: height == nil ? D : 2, origin: origin,
      given: height.map { $0 - origin.z } ?? 0)
  }

  /// Whether a range is a distance beyond doubt.
  @inline(__always)
  private static func isDistance(_ range: Double) -> Bool {
    // A constant here: reading the static one takes a look whether it has been set.
    range > 0 && range < Double(Float.greatestFiniteMagnitude)
  }

  /// The epoch that has been laid out; nil where the fast path does not apply.
  private init?(
    _ pairs: UnsafeMutablePointer<Pair>, _ sizes: EpochMagnitudes, free: Int, origin: SIMD3<Double>,
    given: Double
  ) {
    guard sizes.count > free, sizes.areComparable else { return nil }
    self.pairs = pairs
    self.free = free
    self.origin = origin
    self.given = given
    count = sizes.count
    let share = 1 / Double(sizes.count)
    meanRange = share * sizes.total
    leastRatio = sizes.leastRatio
    let longest = sizes.longest
    spread = (share * sizes.scatter(share: share, isSpace: free == 3)).squareRoot()
    scale = max(spread, longest)
    let away = origin.x.magnitude + origin.y.magnitude + origin.z.magnitude
    guard spread > 1e-6 * longest, scale > 1e-6, scale < 1e9, away < 1e8 * spread,
      given.magnitude <= 1e3 * scale
    else { return nil }
  }
}

/// How many and how large the numbers of an epoch are.
struct EpochMagnitudes {
  typealias Pair = PackedEpoch.Pair
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
  /// the second gets a inverse variance of zero.
  @inline(__always)
  mutating func add(_ block: UnsafeMutablePointer<Pair>, isPair: Bool) {
    let inverseVariance = block[PackedEpoch.inverseVariance]
    coarsest.replace(with: inverseVariance, where: inverseVariance .< coarsest)
    sharpest.replace(with: inverseVariance, where: inverseVariance .> sharpest)
    var (x, y, z) = (block[0], block[1], block[2])
    if !isPair {
      (x[1], y[1], z[1]) = (0, 0, 0)
      block[PackedEpoch.inverseVariance][1] = 0
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
  @inline(__always) var areComparable: Bool {
    let coarsest = min(coarsest[0], coarsest[1])
    let sharpest = max(sharpest[0], sharpest[1])
    return shortest > 1e-3 * longest && coarsest > 1e-8 * sharpest && coarsest > 1e-18
      && sharpest < 1e18
  }
}
