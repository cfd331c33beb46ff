/// A small unambiguous epoch, laid out for the kernels of the fast path.
///
/// Such an epoch has two or three unknown coordinates, no prior, and magnitudes whose squares and
/// products do not overflow. Nearly all epochs qualify. ``RangeProblem`` solves every epoch; the
/// fast path solves these at a fraction of the cost. It stores scalars on the stack and processes
/// two ranges at a time, in vectors of two numbers that every processor supports.
///
/// All values are relative to the first anchor, metres.
struct PackedEpoch {
  /// Values of two ranges.
  typealias Pair = SIMD2<Double>

  /// One block of ``blockLength`` pairs per two ranges; the offsets below define its layout.
  ///
  /// An odd last range is padded with a range of zero inverse variance.
  let pairs: UnsafeMutablePointer<Pair>
  /// Number of ranges.
  let count: Int
  /// Number of unknown coordinates, 2 or 3.
  let free: Int
  /// The first anchor.
  let origin: SIMD3<Double>
  /// The third coordinate if it is known, else zero.
  let given: Double
  /// Root mean square distance of the anchors from their centre.
  let spread: Double
  /// The larger of ``spread`` and the longest range, for tolerances.
  let scale: Double
  /// The mean of the ranges.
  let meanRange: Double
  /// A lower bound of all ranges in units of their standard deviations.
  let leastRatio: Double

  /// The length of a block.
  static var blockLength: Int { 12 }
  /// The maximum number of ranges of an epoch: 12 kB of stack.
  static var mostRanges: Int { 128 }
  /// Offset of the anchor coordinates in a block: always three, for any number of unknowns.
  static var anchor: Int { 0 }
  /// Offset of the ranges.
  static var range: Int { 3 }
  /// Offset of the inverse variances.
  static var inverseVariance: Int { 4 }
  /// Offset of the indices of the ranges in the input, read by ``indices(_:)``.
  static var index: Int { 5 }
  /// Offset of the residuals, an output.
  static var residual: Int { 6 }
  /// Offset of the weights, an output.
  static var weight: Int { 7 }
  /// Offset of the information along the line to the anchor, divided by the squared length, an
  /// output.
  static var information: Int { 8 }
  /// Offset of the factor that ``PackedExpansion`` applies to the gradient.
  static var pull: Int { 9 }
  /// Offset of the factor that ``PackedExpansion`` applies to the matrix with second derivatives.
  static var stiffness: Int { 10 }
  /// Offset of the factor that ``PackedExpansion`` applies to the matrix without second
  /// derivatives.
  static var push: Int { 11 }

  /// The number of blocks.
  @inline(__always) var blocks: Int { (count &+ 1) &>> 1 }

  /// Returns the number of pairs that `count` ranges need.
  static func capacity(for count: Int) -> Int { max(1, (count + 1) / 2) * blockLength }

  /// Returns the input indices of the ranges of a block; the second is negative for padding.
  @inline(__always)
  func indices(_ block: UnsafeMutablePointer<Pair>) -> (first: Int, second: Int) {
    let index = block[Self.index]
    return (
      Int(truncatingIfNeeded: index[0].bitPattern), Int(truncatingIfNeeded: index[1].bitPattern)
    )
  }

  /// Returns a value of one range.
  @inline(__always)
  func value(_ place: Int, of range: Int) -> Double {
    // The lanes of a vector are contiguous.
    let numbers = UnsafeMutableRawPointer(pairs).assumingMemoryBound(to: Double.self)
    return numbers[2 &* ((range &>> 1) &* Self.blockLength &+ place) &+ (range & 1)]
  }

  /// Lays out the valid ranges, or returns nil if the fast path does not apply or the input is
  /// invalid.
  ///
  /// An epoch with a range of zero that counts as a distance is left to the full solver. `pairs`
  /// has the ``capacity(for:)`` of the ranges. `absent` is set to the number of invalid ranges.
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
        // An anchor that is not finite makes the input invalid even without a valid range. With a
        // valid range, it makes the scatter not finite.
        guard anchors[index].isFinite, range != 0 || !options.zeroIsDistance else { return nil }
        continue
      }
      sizes.add(range)
    }
    absent = ranges.count - sizes.count
    var first = Vector<D>.zero
    var block = pairs
    var index = 0
    /// Returns the index of the next valid range; at least one must remain.
    func next() -> Int {
      while !isDistance(ranges[index]) { index &+= 1 }
      defer { index &+= 1 }
      return index
    }
    var left = sizes.count
    while left > 0 {
      let one = next()
      if left == sizes.count { first = anchors[one] }
      // An odd last range is padded with itself, at zero inverse variance.
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

  /// Returns whether a range is valid under all options.
  @inline(__always)
  private static func isDistance(_ range: Double) -> Bool {
    // A local constant: reading the static one checks for its initialisation.
    range > 0 && range < Double(Float.greatestFiniteMagnitude)
  }

  /// Creates the epoch from its layout, or nil if the fast path does not apply.
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

/// The number and the magnitudes of the values of an epoch.
struct EpochMagnitudes {
  typealias Pair = PackedEpoch.Pair
  /// Number of ranges.
  private(set) var count = 0
  /// The sum of the ranges, the shortest, and the longest.
  private(set) var total = 0.0
  private var shortest = Double.infinity
  private(set) var longest = 0.0
  /// The smallest and largest inverse variances.
  private var coarsest = Pair(repeating: .infinity)
  private var sharpest = Pair.zero
  /// The sums of the anchors, and of their squares.
  private var (x, y, z) = (Pair.zero, Pair.zero, Pair.zero)
  private var (planar, vertical) = (Pair.zero, Pair.zero)

  /// Adds a range.
  @inline(__always)
  mutating func add(_ range: Double) {
    count &+= 1
    total += range
    shortest = range < shortest ? range : shortest
    longest = range > longest ? range : longest
  }

  /// Adds the anchors and variances of a block.
  ///
  /// If it is not a pair, adds only the first and sets the second inverse variance to zero.
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

  /// Returns the sum of squared distances of the anchors from their mean, in the plane or in space;
  /// `share` is the inverse of their number.
  @inline(__always)
  func scatter(share: Double, isSpace: Bool) -> Double {
    let (x, y, z) = (self.x.both, self.y.both, self.z.both)
    let level = planar.both - share * (x * x + y * y)
    return isSpace ? level + (vertical.both - share * z * z) : level
  }

  /// A lower bound of all ranges in units of their standard deviations.
  @inline(__always) var leastRatio: Double {
    shortest * min(coarsest[0], coarsest[1]).squareRoot()
  }

  /// Whether the magnitudes are similar enough that no square is lost to rounding beside another.
  @inline(__always) var areComparable: Bool {
    let coarsest = min(coarsest[0], coarsest[1])
    let sharpest = max(sharpest[0], sharpest[1])
    return shortest > 1e-3 * longest && coarsest > 1e-8 * sharpest && coarsest > 1e-18
      && sharpest < 1e18
  }
}
