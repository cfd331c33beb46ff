/// An epoch without anything unusual, laid out for the kernels that solve it.
///
/// Plain is an epoch whose anchors clearly span the space, in two or three unknown coordinates,
/// without a prior, whose numbers are of sizes that neither squares nor their products overflow.
/// Nearly all epochs are. ``RangeProblem`` solves every epoch, this does so at a fraction of the
/// cost: plain numbers on the stack, two ranges side by side, so that the kernels work on both as
/// vectors of two numbers, which every processor has.
///
/// Everything is relative to the first of its anchors, metres.
struct PlainEpoch {
  /// Two numbers, of two ranges.
  typealias Pair = SIMD2<Double>

  /// Per two ranges a block of ``blockLength`` pairs; what they are is said by the places below.
  ///
  /// An odd range has a partner of sharpness zero.
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
  /// The least range in its own standard deviations.
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
  static var sharpness: Int { 4 }
  /// Where the indices of the ranges in the input stand, as ``indices(_:)`` reads them.
  static var index: Int { 5 }
  /// Where the residuals are put.
  static var residual: Int { 6 }
  /// Where the weights are put.
  static var weight: Int { 7 }
  /// Where the information along the line to the anchor is put, over the square of its length.
  static var information: Int { 8 }
  /// Where ``PlainExpansion`` puts what it weighs the gradient and the matrix with.
  static var pull: Int { 9 }
  /// See ``pull``.
  static var stiffness: Int { 10 }
  /// The same without second derivatives.
  static var push: Int { 11 }

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
    let block = pairs + (range >> 1) * Self.blockLength
    // A vector is its numbers, side by side.
    let scalars = UnsafeMutableRawPointer(block).assumingMemoryBound(to: Double.self)
    return scalars[2 * place + (range & 1)]
  }

  /// Lays out the ranges that are distances; nil where the epoch is not plain, or the input not
  /// valid.
  ///
  /// A range of zero is no plain one: whether it is a distance is for ``MeasuredDistance`` to say.
  ///
  /// `pairs` is ``room(for:)`` the ranges, and `absent` becomes the number of ranges that are no
  /// distances.
  static func laidOut<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?,
    _ options: Trilateration.Options, pairs: UnsafeMutablePointer<Pair>, absent: inout Int
  ) -> Self? {
    guard anchors.count == ranges.count, (sigmas?.count ?? ranges.count) == ranges.count else {
      return nil
    }
    let usual = 1 / options.rangeSigma
    // A constant here: reading the static one takes a look whether it has been set.
    let sentinel = Double(Float.greatestFiniteMagnitude)
    var sizes = PlainSizes()
    var first = Vector<D>.zero
    var block = pairs
    // The range that waits for a partner.
    var (waiting, waitingPrecision) = (-1, 0.0)
    for index in 0..<ranges.count {
      let range = ranges[index]
      let anchor = anchors[index]
      let precision = sigmas.map { 1 / $0[index] } ?? usual
      guard precision > 0 else { return nil }
      guard range > 0, range < sentinel else {
        // An anchor that is not finite makes the input invalid also where there is no range; where
        // there is one the scatter is not finite then.
        guard anchor.isFinite, range != 0 || !options.zeroIsDistance else { return nil }
        absent += 1
        continue
      }
      guard waiting >= 0 else {
        if sizes.count == 0 { first = anchor }
        (waiting, waitingPrecision) = (index, precision)
        continue
      }
      let other = anchors[waiting] - first
      let offset = anchor - first
      block[0] = Pair(other[0], offset[0])
      block[1] = Pair(other[1], offset[1])
      block[2] = D == 3 ? Pair(other[D - 1], offset[D - 1]) : .zero
      block[Self.range] = Pair(ranges[waiting], range)
      block[Self.sharpness] = Pair(
        waitingPrecision * waitingPrecision, precision * precision)
      block[Self.index] = Pair(
        Double(bitPattern: UInt64(truncatingIfNeeded: waiting)),
        Double(bitPattern: UInt64(truncatingIfNeeded: index)))
      sizes.add(block)
      block += Self.blockLength
      waiting = -1
    }
    if waiting >= 0 {
      // The partner of an odd range: itself, of sharpness zero, and at the origin, where it adds
      // nothing to the sums over the anchors.
      let other = anchors[waiting] - first
      let range = ranges[waiting]
      block[0] = Pair(other[0], 0)
      block[1] = Pair(other[1], 0)
      block[2] = D == 3 ? Pair(other[D - 1], 0) : .zero
      block[Self.range] = Pair(repeating: range)
      block[Self.sharpness] = Pair(repeating: waitingPrecision * waitingPrecision)
      block[Self.index] = Pair(
        Double(bitPattern: UInt64(truncatingIfNeeded: waiting)), Double(bitPattern: .max))
      sizes.add(block)
      sizes.takeOff(range)
      block[Self.sharpness][1] = 0
    }
    let origin = SIMD3(first[0], first[1], D == 3 ? first[D - 1] : 0)
    let height = D == 3 ? options.height : nil
    return Self(
      pairs, sizes, free: height == nil ? D : 2, origin: origin,
      given: height.map { $0 - origin.z } ?? 0)
  }

  /// Takes in what has been laid out; nil where it is not plain.
  private init?(
    _ pairs: UnsafeMutablePointer<Pair>, _ sizes: PlainSizes, free: Int, origin: SIMD3<Double>,
    given: Double
  ) {
    guard sizes.count > free, sizes.arePlain else { return nil }
    self.pairs = pairs
    self.free = free
    self.origin = origin
    self.given = given
    count = sizes.count
    let share = 1 / Double(sizes.count)
    meanRange = share * sizes.total.both
    leastRatio = min(sizes.leastSquare[0], sizes.leastSquare[1]).squareRoot()
    let longest = max(sizes.longest[0], sizes.longest[1])
    let scatter = sizes.scatter
    let trace = free == 3 ? scatter.trace : scatter.xx + scatter.yy
    spread = (trace * share).squareRoot()
    scale = max(spread, longest)
    // The determinant against what it would be of anchors spread evenly: beyond, AnchorFlat
    // decides.
    if free == 3 {
      guard scatter.determinant > 1e-9 * trace * trace * trace else { return nil }
    } else {
      guard scatter.xx * scatter.yy - scatter.xy * scatter.xy > 1e-6 * trace * trace else {
        return nil
      }
    }
    let away = origin.x.magnitude + origin.y.magnitude + origin.z.magnitude
    guard spread > 1e-6 * longest, scale > 1e-6, scale < 1e9, away < 1e8 * spread,
      given.magnitude <= 1e3 * scale
    else { return nil }
  }
}
